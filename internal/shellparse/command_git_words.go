package shellparse

import (
	"slices"
	"strings"
)

// gitWords are the words after a subcommand of git, as git classifies them.
type gitWords struct {
	flags            []string // names of the flags, such as "-n" for "-n5"
	operands         []arg    // before "--"
	paths            []arg    // after "--"
	readFiles        []arg    // values of flags that name a file git reads
	shownFiles       []arg    // files in the repository that flags name
	flagAfterOperand bool     // a flag follows an operand
}

// has reports whether the words include one of the flags.
func (w gitWords) has(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(w.flags, n) })
}

// operandCount returns the number of operands before and after "--".
func (w gitWords) operandCount() int { return len(w.operands) + len(w.paths) }

// The kinds of values, written after the name of a flag in a table.
const (
	gitNoValue       = ""  // no value, as "--stat"
	gitValue         = "=" // attached, or in the next word, which must not look like a flag
	gitAnyValue      = "!" // attached, or in the next word, whatever it looks like
	gitOptionalValue = "?" // attached or absent
	gitReadsFile     = "<" // as gitValue; the value names a file that git reads
)

// gitFlagKind looks a flag up in tables such as "--stat? -n= -p". It returns the kind
// of its value and whether a table lists it. The name must match completely: git
// accepts abbreviations, so "--open" could be another flag.
func gitFlagKind(tables []string, name string) (takes string, ok bool) {
	for _, table := range tables {
		if mark, ok := markOf(table, name, "=!?<"); ok {
			return mark, true
		}
	}
	return "", false
}

// A gitArgParser classifies the words of a subcommand.
type gitArgParser struct {
	tables           []string
	pathsAfterDashes bool  // git reads words after "--" as paths
	args             []arg // not parsed yet
	words            gitWords
}

// parseGitArgs splits flags, values and operands. reason names a word that may make the
// command do more than read. paths is set if git reads the words after "--" as paths
// whatever they look like; some subcommands pass their words on without the "--".
func parseGitArgs(args []arg, tables []string, paths bool) (w gitWords, reason string) {
	p := gitArgParser{tables: tables, pathsAfterDashes: paths, args: args}
	for len(p.args) > 0 && reason == "" {
		a := p.args[0]
		p.args = p.args[1:]
		switch {
		case !a.known:
			reason = "it is not known what " + a.source + " is"
		case a.glob && !startsWithPlainByte(a.value):
			reason = a.source + " may become a flag"
		case a.glob:
			p.words.operands = append(p.words.operands, a)
		case a.value == "--":
			reason = p.takePathspecs()
		case strings.HasPrefix(a.value, "--"):
			reason = p.longFlag(a)
		case strings.HasPrefix(a.value, "-"):
			reason = p.shortFlags(a)
		default:
			p.words.operands = append(p.words.operands, a)
		}
	}
	return p.words, reason
}

// startsWithPlainByte reports whether every match of a pattern begins with the
// pattern's first byte, and that byte does not begin a flag.
func startsWithPlainByte(pattern string) bool {
	if pattern == "" {
		return false
	}
	c := pattern[0]
	return c == '.' || c == '/' || c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// takePathspecs takes the words after "--".
func (p *gitArgParser) takePathspecs() string {
	for _, a := range p.args {
		// If git read the "--" as the value of a flag, these would be flags.
		if strings.HasPrefix(a.value, "-") {
			return a.value + " looks like a flag"
		}
		switch {
		case !a.known:
			return "it is not known what " + a.source + " is"
		case a.glob && !p.pathsAfterDashes && !startsWithPlainByte(a.value):
			return a.source + " may become a flag"
		}
	}
	p.words.paths, p.args = p.args, nil
	return ""
}

func (p *gitArgParser) longFlag(a arg) string {
	name, value, attached := strings.Cut(a.value, "=")
	takes, ok := gitFlagKind(p.tables, name)
	if !ok || attached && takes == gitNoValue {
		return "the flag " + name + " is not known to only read"
	}
	a.value = value
	return p.addFlag(name, takes, a, attached)
}

// shortFlags takes "-p", "-n5", "-n 5", "-5" and bundles such as "-sb".
func (p *gitArgParser) shortFlags(a arg) string {
	letters := a.value[1:]
	if letters != "" && strings.Trim(letters, "0123456789") == "" {
		letters = "#"
	}
	for letters != "" {
		name := "-" + letters[:1]
		letters = letters[1:]
		takes, ok := gitFlagKind(p.tables, name)
		if !ok {
			return "the flag " + name + " is not known to only read"
		}
		if takes == gitNoValue {
			p.recordFlag(name)
			continue
		}
		a.value = letters
		return p.addFlag(name, takes, a, letters != "")
	}
	if a.value == "-" {
		return "- is not known to only read"
	}
	return ""
}

func (p *gitArgParser) recordFlag(flag string) {
	p.words.flags = append(p.words.flags, flag)
	p.words.flagAfterOperand = p.words.flagAfterOperand || len(p.words.operands) > 0
}

// addFlag takes a flag and its value, which may be attached or the next word.
func (p *gitArgParser) addFlag(name, takes string, value arg, attached bool) string {
	p.recordFlag(name)
	if takes == gitNoValue || takes == gitOptionalValue && !attached {
		return ""
	}
	if !attached {
		if len(p.args) == 0 {
			return "" // git uses a default, or reports an error
		}
		value = p.args[0]
		p.args = p.args[1:]
		if !value.known || value.glob {
			return "it is not known what " + value.source + " is"
		}
		if strings.HasPrefix(value.value, "-") && takes != gitAnyValue {
			return value.value + " after " + name + " looks like a flag"
		}
	}
	if takes == gitReadsFile {
		p.words.readFiles = append(p.words.readFiles, value)
	}
	if _, name, ok := cutLast(value.value, ":"); ok && name != "" && p.words.flags[len(p.words.flags)-1] == "-L" {
		p.words.shownFiles = append(p.words.shownFiles, arg{value: name, known: true, source: value.source})
	}
	return gitValueProblem(name, value.value)
}

// gitValueProblem returns why a value may make git start a program, or an empty string.
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
