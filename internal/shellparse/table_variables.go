package shellparse

import "strings"

// A variableKind says what programs do with a variable of their environment.
type variableKind int

// The kinds. The zero kind is that of a variable that no table lists.
const (
	variableUnlisted variableKind = iota
	variableHarmless
	variableCommand // a command that a program runs, mostly by a shell
	variableUnseen  // the value does not tell what programs run because of it
)

// gitVariables are the variables of git, by kind. Source: git(1), ENVIRONMENT VARIABLES,
// and git-config(1), ENVIRONMENT, git 2.39. Others that begin with GIT_ are unseen.
var gitVariables = map[variableKind]string{
	variableCommand: "GIT_ASKPASS GIT_EDITOR GIT_EXTERNAL_DIFF GIT_PAGER GIT_PROXY_COMMAND GIT_SEQUENCE_EDITOR GIT_SSH GIT_SSH_COMMAND",
	variableHarmless: "GIT_ADVICE GIT_ALLOW_PROTOCOL GIT_AUTHOR_DATE GIT_AUTHOR_EMAIL GIT_AUTHOR_NAME GIT_CEILING_DIRECTORIES GIT_COMMITTER_DATE" +
		" GIT_COMMITTER_EMAIL GIT_COMMITTER_NAME GIT_CONFIG_COUNT GIT_CONFIG_NOSYSTEM GIT_DEFAULT_HASH GIT_DIFF_OPTS" +
		" GIT_DISCOVERY_ACROSS_FILESYSTEM GIT_FLUSH GIT_GLOB_PATHSPECS GIT_HTTP_USER_AGENT GIT_ICASE_PATHSPECS GIT_INDEX_VERSION" +
		" GIT_LFS_SKIP_SMUDGE GIT_LITERAL_PATHSPECS GIT_MERGE_AUTOEDIT GIT_MERGE_VERBOSITY GIT_NAMESPACE GIT_NOGLOB_PATHSPECS" +
		" GIT_NO_LAZY_FETCH GIT_NO_REPLACE_OBJECTS GIT_NOTES_REF GIT_OPTIONAL_LOCKS GIT_PAGER_IN_USE GIT_PRINT_SHA1_ELLIPSIS GIT_PROTOCOL" +
		" GIT_PROTOCOL_FROM_USER GIT_REFLOG_ACTION GIT_SSH_VARIANT GIT_TERMINAL_PROMPT",
}

// editorVariables are variables of several programs, git among them, that name commands.
// Source: environ(7), git-var(1), ssh(1), less(1).
const editorVariables = "EDITOR FCEDIT PAGER SSH_ASKPASS VISUAL"

// variableKindOf returns the kind of a variable.
func variableKindOf(name string) variableKind {
	if has(editorVariables, name) {
		return variableCommand
	}
	if !strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "GIT_CONFIG_KEY_") || strings.HasPrefix(name, "GIT_CONFIG_VALUE_") {
		return variableUnlisted
	}
	for kind, names := range gitVariables {
		if has(names, name) {
			return kind
		}
	}
	return variableUnseen
}

// isHarmlessVariable reports whether a value of a variable surely makes programs run
// nothing but what they run anyway.
func isHarmlessVariable(kind variableKind, name, value string) bool {
	switch {
	case kind == variableHarmless, value == "":
		return true
	case kind == variableCommand:
		return has("true false : cat less more", value)
	}
	// Traces are written to a file only if the value names one.
	return value == "/dev/null" || strings.HasPrefix(name, "GIT_TRACE") && has("0 1 2 true false", value)
}
