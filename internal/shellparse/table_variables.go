package shellparse

import "strings"

// A variableKind says what programs do with a variable of their environment.
type variableKind int

// The kinds. The zero kind is that of a variable that no table lists.
const (
	variableUnlisted variableKind = iota
	variableHarmless              // changes what is shown or how carefully a program runs
	variableCommand               // a command that a program runs, mostly by a shell
	variableUnseen                // the value does not tell what programs run because of it
	variableSetting               // gives git a setting
	variableHome                  // a directory with settings of programs
	variableCode                  // code, or a file with code, that a program runs when it starts
	variableProgram               // a program or its options
)

// variableNames are variables by kind. Those of git have the prefix GIT_; others with
// that prefix are unseen. Source: git(1), ENVIRONMENT VARIABLES, and git-config(1),
// ENVIRONMENT, git 2.39; environ(7), git-var(1), ssh(1), less(1), ld.so(8), bash(1).
var variableNames = map[variableKind]string{
	variableHarmless: "GIT_ADVICE GIT_ALLOW_PROTOCOL GIT_AUTHOR_DATE GIT_AUTHOR_EMAIL GIT_AUTHOR_NAME GIT_CEILING_DIRECTORIES GIT_COMMITTER_DATE" +
		" GIT_COMMITTER_EMAIL GIT_COMMITTER_NAME GIT_DEFAULT_HASH GIT_DIFF_OPTS" +
		" GIT_DISCOVERY_ACROSS_FILESYSTEM GIT_FLUSH GIT_GLOB_PATHSPECS GIT_HTTP_USER_AGENT GIT_ICASE_PATHSPECS GIT_INDEX_VERSION" +
		" GIT_LFS_SKIP_SMUDGE GIT_LITERAL_PATHSPECS GIT_MERGE_AUTOEDIT GIT_MERGE_VERBOSITY GIT_NAMESPACE GIT_NOGLOB_PATHSPECS" +
		" GIT_NO_LAZY_FETCH GIT_NO_REPLACE_OBJECTS GIT_NOTES_REF GIT_OPTIONAL_LOCKS GIT_PAGER_IN_USE GIT_PRINT_SHA1_ELLIPSIS GIT_PROTOCOL" +
		" GIT_PROTOCOL_FROM_USER GIT_REFLOG_ACTION GIT_SSH_VARIANT GIT_TERMINAL_PROMPT",
	variableCommand: "EDITOR FCEDIT PAGER SSH_ASKPASS VISUAL" +
		" GIT_ASKPASS GIT_EDITOR GIT_EXTERNAL_DIFF GIT_PAGER GIT_PROXY_COMMAND GIT_SEQUENCE_EDITOR GIT_SSH GIT_SSH_COMMAND",
	variableHome:    "HOME XDG_CONFIG_HOME",
	variableCode:    "LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES BASH_ENV ENV PYTHONSTARTUP PERL5OPT PERL5DB RUBYOPT GCONV_PATH VIMINIT EXINIT",
	variableProgram: "AR AS CC CPP CXX FC LD LESSCLOSE LESSOPEN MAKE PC PROMPT_COMMAND PS0 PS1 PS4 RUSTC YACC LEX",
}

// programSuffixes are how the names of variables end that name a program or its options,
// programPrefixes how they begin. Letter case does not count.
const (
	programSuffixes = "PAGER EDITOR VISUAL BROWSER COMMAND SHELL WRAPPER CMD PROGRAM RUNNER LINKER ASKPASS OPTIONS FLAGS RSH SSH PROXY_COMMAND"
	programPrefixes = "GIT_CONFIG NPM_CONFIG_ BASH_FUNC_"
)

// optionVariables are the variables from which programs take options.
var optionVariables = map[string]string{
	"TAR_OPTIONS": "tar", "MAKEFLAGS": "make", "GNUMAKEFLAGS": "make", "MFLAGS": "make", "NODE_OPTIONS": "node", "LESS": "less", "MORE": "more",
	"MANOPT": "man", "ZIPOPT": "zip", "ZIP": "zip", "UNZIP": "unzip", "RUBYOPT": "ruby", "PERL5OPT": "perl", "ACK_OPTIONS": "ack", "RSYNC_RSH": "rsync -e",
	"VIMINIT": "vim -c", "EXINIT": "ex -c", "NINJA_FLAGS": "ninja", "GREP_OPTIONS": "grep", "PYTEST_ADDOPTS": "pytest", "JAVA_TOOL_OPTIONS": "java",
	"MAVEN_OPTS": "java", "GOFLAGS": "go test", "SCREENRC": "screen -c", "npm_config_call": "npx -c", "CFLAGS": "gcc", "CXXFLAGS": "g++", "CPPFLAGS": "gcc", "LDFLAGS": "gcc", "WGETRC": "wget --config",
}

// variableKindOf returns the kind of a variable.
func variableKindOf(name string) variableKind {
	if harmlessVariables[name] {
		return variableHarmless
	}
	if strings.HasPrefix(name, "GIT_CONFIG_") {
		return variableSetting
	}
	upper := strings.ToUpper(name)
	for kind, names := range variableNames {
		if has(names, name) || kind == variableProgram && has(names, upper) {
			return kind
		}
	}
	if strings.HasPrefix(name, "GIT_") {
		return variableUnseen
	}
	if optionVariables[name] != "" || hasAffix(upper) {
		return variableProgram
	}
	return variableUnlisted
}

// hasAffix reports whether the name of a variable is of a family that names programs.
func hasAffix(upper string) bool {
	for end := range strings.FieldsSeq(programSuffixes) {
		if strings.HasSuffix(upper, end) {
			return true
		}
	}
	for start := range strings.FieldsSeq(programPrefixes) {
		if strings.HasPrefix(upper, start) {
			return true
		}
	}
	return false
}

// runsNothingMore reports whether a value of a variable surely makes programs run nothing
// but what they run anyway.
func runsNothingMore(kind variableKind, name, value string) bool {
	switch {
	case value == "":
		return true
	case kind == variableCommand:
		return has("true false : cat less more", value)
	}
	// Traces are written to a file only if the value names one.
	return value == "/dev/null" || strings.HasPrefix(name, "GIT_TRACE") && has("0 1 2 true false", value)
}

// namesProgram reports whether a program may run what a variable holds.
func namesProgram(kind variableKind, name string) bool {
	switch kind {
	case variableCommand, variableSetting, variableCode, variableProgram:
		return true
	}
	return hasAffix(strings.ToUpper(name))
}

// loadsCode reports whether a program may run code that the value of a variable names and
// that the line does not show.
func loadsCode(kind variableKind, name, value string) bool {
	switch {
	case kind == variableCode:
		return true
	case name == "NODE_OPTIONS":
		return strings.Contains(value, "require") || strings.Contains(value, "import") || strings.Contains(value, "loader") || strings.Contains(value, "-r")
	}
	path, _, _ := strings.Cut(value, " ")
	return namesProgram(kind, name) && strings.Contains(path, "/") && !strings.HasPrefix(path, "/usr/bin/") && !strings.HasPrefix(path, "/bin/") && !strings.HasPrefix(path, "-")
}
