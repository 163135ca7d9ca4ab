package shellparse

import "strings"

// gitConfigValued are the flags of git config with a value. Source: git-config(1).
const gitConfigValued = "-f --file --blob --type --default --comment --value --url"

// gitConfigFlagNames are its long flags, of which git accepts abbreviations.
const gitConfigFlagNames = gitConfigValued + " --global --system --local --worktree --add --replace-all --unset --unset-all --rename-section" +
	" --remove-section --edit --append --all --fixed-value --get --get-all --get-regexp --get-urlmatch --list --get-color --get-colorbool" +
	" --bool --int --bool-or-int --bool-or-str --path --expiry-date --no-type --null --name-only --includes --no-includes --show-origin" +
	" --show-scope --regexp"

// A gitConfigCall is a call of git config that may write.
type gitConfigCall struct {
	files    []file // that it writes
	operands []arg
	flags    []string
	unclear  bool // a word may be a flag
}

// parseGitConfig parses the arguments of git config.
func parseGitConfig(args []arg, dir string) gitConfigCall {
	var c gitConfigCall
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case !a.isLiteral():
			c.unclear = c.unclear || a.mayBeFlag() && len(c.operands) == 0
			c.operands = append(c.operands, a)
		case a.is("--"):
			c.operands = append(c.operands, args[i+1:]...)
			i = len(args)
		case !strings.HasPrefix(a.value, "-"):
			c.operands = append(c.operands, a)
		default:
			name, value, attached := strings.Cut(a.value, "=")
			name = longGitFlag(gitConfigFlagNames, name)
			v := a.withValue(value)
			if strings.HasPrefix(a.value, "-f") && len(a.value) > 2 {
				name, v, attached = "-f", a.withValue(a.value[2:]), true
			}
			if has(gitConfigValued, name) && !attached && i+1 < len(args) {
				i++
				v = args[i]
			}
			c.addFlag(name, v, dir)
		}
	}
	if len(c.files) == 0 {
		c.files = []file{{arg: gitInDir(literalArg(".git/config"), dir)}}
	}
	return c
}

// addFlag adds a flag, and the file that it names.
func (c *gitConfigCall) addFlag(name string, value arg, dir string) {
	c.flags = append(c.flags, name)
	switch name {
	case "--global":
		c.files = append(c.files, file{arg: literalArg(".gitconfig"), inHome: true})
	case "--system":
		c.files = append(c.files, file{arg: literalArg("/etc/gitconfig")})
	case "--worktree":
		c.files = append(c.files, file{arg: gitInDir(literalArg(".git/config.worktree"), dir)})
	case "-f", "--file":
		c.files = append(c.files, file{arg: gitInDir(value, dir)})
	}
}

// longGitFlag returns the first flag in a list that a long flag may be an abbreviation of. Two
// dashes alone end the flags.
func longGitFlag(list, name string) string {
	if !strings.HasPrefix(name, "--") || name == "--" || has(list, name) {
		return name
	}
	for known := range strings.FieldsSeq(list) {
		if strings.HasPrefix(known, name) {
			return known
		}
	}
	return name
}

// addGitConfig adds the files that git config writes, and what they make git run. A
// setting of the repository that makes git run nothing is no more than a guess at its
// file: otherwise each would be asked about in every mode.
func (e *effect) addGitConfig(args []arg, dir string) {
	c := parseGitConfig(args, dir)
	words := c.operands
	if len(words) > 0 && words[0].is("set", "unset", "edit", "rename-section", "remove-section") {
		c.flags, words = append(c.flags, words[0].value), words[1:]
	}
	harmless := false
	switch {
	case c.unclear:
		e.refuseUnseen("what git config sets is computed")
	case c.has("--unset", "--unset-all", "unset", "--remove-section", "remove-section"):
		harmless = true
	case c.has("--edit", "-e", "edit", "--rename-section", "rename-section"):
		e.noWildcards = true
	case len(words) > 1 && c.has("-f", "--file") && words[0].isLiteral() && gitKeyKindOf(words[0].value) == gitKeyUnseen:
		// The file is not known to be one of git's.
	case len(words) > 1:
		harmless = e.addGitSetting(gitSetting{words[0], words[1]})
	}
	for _, f := range c.files {
		f.write = true
		f.guess = harmless && !c.has("--global", "--system", "-f", "--file")
		e.files = append(e.files, f)
	}
}

func (c gitConfigCall) has(names ...string) bool { return gitWords{flags: c.flags}.has(names...) }
