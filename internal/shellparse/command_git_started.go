package shellparse

import (
	"path"
	"strings"
)

// addGitStarted adds the commands in the operands of a subcommand of git, and in the
// addresses of repositories. Source: the page of each, git 2.39.
func (e *effect) addGitStarted(name string, args []arg, dir string) {
	name, sub, _ := strings.Cut(name, " ")
	if sub != "" {
		args = append([]arg{literalArg(sub)}, args...)
	}
	for _, a := range args {
		if strings.Contains(a.value, "::") {
			_, value, attached := strings.Cut(a.value, "=")
			if attached && strings.HasPrefix(a.value, "-") {
				a = a.withValue(value)
			}
			e.addGitAddress(a)
		}
	}
	switch name {
	case "config":
		e.addGitConfig(args, dir)
	case "bisect":
		e.addGitRun(gitWordsAfter(args, "run"))
	case "submodule", "submodule--helper":
		run := gitWordsAfter(args, "foreach")
		e.addGitRun(run)
		if len(run) == 1 {
			e.addGitCommand(run[0])
		}
	case "for-each-repo":
		operands := gitWordsAfter(args, "")
		if len(operands) > 0 {
			e.addGitRun(append([]arg{literalArg("git")}, operands...))
		}
	case "merge-index":
		e.addGitRun(gitWordsAfter(args, ""))
	case "remote-ext":
		for i, a := range args {
			if i > 0 && a.isLiteral() {
				e.addGitAddress(a.withValue("ext::" + a.value))
			}
		}
	case "am", "apply", "quiltimport", "read-tree":
		e.noWildcards = true // what it writes stands in a patch or a commit
	case "stash":
		e.noWildcards = e.noWildcards || len(args) > 0 && args[0].is("apply", "branch", "pop")
	case "checkout", "restore":
		e.noWildcards = e.noWildcards || restoresTree(name, args)
	case "hook", "maintenance", "web--browse", "instaweb", "shell", "upload-pack", "receive-pack", "upload-archive", "http-backend", "daemon", "cvsserver", "imap-send":
		e.noWildcards = true
	}
}

// addGitRun adds a command that is given as words. No rule with a wildcard covers it.
func (e *effect) addGitRun(words []arg) {
	if len(words) > 0 {
		e.noWildcards = true
		e.runs = append(e.runs, words)
	}
}

// gitWordsAfter returns the words after a subcommand of the second level and its flags.
// Without one, it returns those that follow the flags.
func gitWordsAfter(args []arg, sub string) []arg {
	found := sub == ""
	for i, a := range args {
		switch {
		case found && (!a.isLiteral() || !strings.HasPrefix(a.value, "-")):
			return args[i:]
		case !found && a.is(sub):
			found = true
		}
	}
	return nil
}

// restoresTree reports whether git checkout or restore takes whole directories from a
// commit, or what a pattern matches.
func restoresTree(name string, args []arg) bool {
	named, fromCommit := gitOperands(args, gitValuedFlags[name]), false
	if name == "restore" {
		for _, a := range args {
			flag, _, _ := strings.Cut(a.value, "=")
			fromCommit = fromCommit || strings.HasPrefix(a.value, "-s") || longGitFlag("--source", flag) == "--source"
		}
	} else {
		before := named
		named = gitCheckedOut(args)
		fromCommit = len(before) > len(named)
	}
	for _, a := range named {
		if value := pathspecPath(a.value); fromCommit && (!a.isLiteral() || value != a.value || path.Clean(value) == "." || strings.ContainsAny(value, "*?[")) {
			return true
		}
	}
	return false
}
