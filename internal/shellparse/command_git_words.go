package shellparse

import (
	"slices"
	"strings"
)

// gitWords are the words after a subcommand of git, as git tells them apart.
type gitWords struct {
	flags            []string // the names of the flags, "-n" of "-n5"
	operands         []arg    // before a "--"
	paths            []arg    // after it
	readFiles        []arg    // values of flags that name a file git reads
	shownFiles       []arg    // files in the repository that flags name
	flagAfterOperand bool     // a flag stands after an operand
}

// has reports whether one of the flags stands in the words.
func (w gitWords) has(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(w.flags, n) })
}

// operandCount is the number of operands, of either kind.
func (w gitWords) operandCount() int { return len(w.operands) + len(w.paths) }

// Values that a flag of a table takes, written after its name.
const (
	gitNoValue       = ""  // "--stat" alone
	gitValue         = "=" // glued, or in the next word, which must not look like a flag
	gitAnyValue      = "!" // the same, whatever the next word looks like
	gitOptionalValue = "?" // glued or none
	gitReadsFile     = "<" // as gitValue, and it names a file that git reads
)

// gitFlagKind looks a flag up in tables of the form "--stat? -n= -p": what value it
// takes, and whether it is there. Names are held against the tables letter by
// letter: git takes abbreviations, which would make "--open" another flag.
func gitFlagKind(tables []string, name string) (takes string, ok bool) {
	for _, table := range tables {
		for entry := range strings.FieldsSeq(table) {
			if rest, found := strings.CutPrefix(entry, name); found && len(rest) < 2 && strings.Contains("=!?<", rest) {
				return rest, true
			}
		}
	}
	return "", false
}

// A gitArgParser tells the words apart, one after the other.
type gitArgParser struct {
	tables           []string
	pathsAfterDashes bool  // git takes what follows "--" for paths
	args             []arg // those not read yet
	words            gitWords
}

// parseGitArgs tells flags, values and operands apart. why says which word keeps
// the command from being known to only read. paths says that git takes what
// follows "--" for paths, whatever it looks like; some subcommands hand their
// words on to others without the "--".
func parseGitArgs(args []arg, tables []string, paths bool) (w gitWords, why string) {
	r := gitArgParser{tables: tables, pathsAfterDashes: paths, args: args}
	for len(r.args) > 0 && why == "" {
		a := r.args[0]
		r.args = r.args[1:]
		switch {
		case !a.known:
			why = "it is not known what " + a.source + " is"
		case a.glob && !startsWithPlainByte(a.value):
			why = a.source + " may become a flag"
		case a.glob:
			r.words.operands = append(r.words.operands, a)
		case a.value == "--":
			why = r.takePathspecs()
		case strings.HasPrefix(a.value, "--"):
			why = r.longFlag(a)
		case strings.HasPrefix(a.value, "-"):
			why = r.shortFlags(a)
		default:
			r.words.operands = append(r.words.operands, a)
		}
	}
	return r.words, why
}

// startsWithPlainByte reports whether all that a pattern matches starts with its first
// letter, which does not make a flag.
func startsWithPlainByte(pattern string) bool {
	if pattern == "" {
		return false
	}
	c := pattern[0]
	return c == '.' || c == '/' || c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// takePathspecs takes what follows "--".
func (r *gitArgParser) takePathspecs() string {
	for _, a := range r.args {
		// Should git have taken the "--" for the value of a flag, then these
		// would be flags.
		if strings.HasPrefix(a.value, "-") {
			return a.value + " looks like a flag"
		}
		switch {
		case !a.known:
			return "it is not known what " + a.source + " is"
		case a.glob && !r.pathsAfterDashes && !startsWithPlainByte(a.value):
			return a.source + " may become a flag"
		}
	}
	r.words.paths, r.args = r.args, nil
	return ""
}

func (r *gitArgParser) longFlag(a arg) string {
	name, value, glued := strings.Cut(a.value, "=")
	takes, ok := gitFlagKind(r.tables, name)
	if !ok || glued && takes == gitNoValue {
		return "the flag " + name + " is not known to only read"
	}
	a.value = value
	return r.addFlag(name, takes, a, glued)
}

// shortFlags takes "-p", "-n5", "-n 5", "-5" and bundles such as "-sb".
func (r *gitArgParser) shortFlags(a arg) string {
	letters := a.value[1:]
	if letters != "" && strings.Trim(letters, "0123456789") == "" {
		letters = "#"
	}
	for letters != "" {
		name := "-" + letters[:1]
		letters = letters[1:]
		takes, ok := gitFlagKind(r.tables, name)
		if !ok {
			return "the flag " + name + " is not known to only read"
		}
		if takes == gitNoValue {
			r.recordFlag(name)
			continue
		}
		a.value = letters
		return r.addFlag(name, takes, a, letters != "")
	}
	if a.value == "-" {
		return "- is not known to only read"
	}
	return ""
}

func (r *gitArgParser) recordFlag(flag string) {
	r.words.flags = append(r.words.flags, flag)
	r.words.flagAfterOperand = r.words.flagAfterOperand || len(r.words.operands) > 0
}

// addFlag takes a flag that may have a value, glued to it or in the next word.
func (r *gitArgParser) addFlag(name, takes string, value arg, glued bool) string {
	r.recordFlag(name)
	if takes == gitNoValue || takes == gitOptionalValue && !glued {
		return ""
	}
	if !glued {
		if len(r.args) == 0 {
			return "" // git takes a default, or says what is missing
		}
		value = r.args[0]
		r.args = r.args[1:]
		if !value.known || value.glob {
			return "it is not known what " + value.source + " is"
		}
		if strings.HasPrefix(value.value, "-") && takes != gitAnyValue {
			return value.value + " after " + name + " looks like a flag"
		}
	}
	if takes == gitReadsFile {
		r.words.readFiles = append(r.words.readFiles, value)
	}
	if _, name, ok := cutLast(value.value, ":"); ok && name != "" && r.words.flags[len(r.words.flags)-1] == "-L" {
		r.words.shownFiles = append(r.words.shownFiles, arg{value: name, known: true, source: value.source})
	}
	return gitValueProblem(name, value.value)
}

// gitValueProblem says what makes git start a program because of a value.
func gitValueProblem(name, value string) string {
	for rest := value; ; {
		_, after, found := strings.Cut(rest, "%")
		if !found {
			break
		}
		if strings.HasPrefix(strings.TrimLeft(after, "+- "), "G") {
			return "%G in a format checks signatures, which runs gpg"
		}
		rest = after
	}
	switch {
	case (name == "--format" || name == "--sort") && strings.Contains(value, "signature"):
		return "a format with a signature may check it, which runs gpg"
	case name == "--diff-merges" && (value == "r" || value == "remerge"):
		return "a remerge runs merge drivers"
	case name == "--submodule" && value == "diff":
		return "--submodule=diff runs git in the submodules"
	}
	return ""
}
