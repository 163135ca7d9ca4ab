package shellparse

import (
	"strings"
)

// A effect is what a command does with its arguments. The zero use is read-only
// and touches nothing.
type effect struct {
	class       Class
	reason      string // why class is not ReadOnly, such as "-o writes a file"
	editsOnly   bool
	noWildcards bool
	askReason   string
	files       []file
	hosts       []string
	runs        [][]arg // commands that it runs in its turn
	lineUnknown string  // why nobody knows what it runs, although rules that deny may be about it
	git         *Git    // Dir as it was given by -C, relative or absolute, or empty
}

// A file is an operand that names a file.
type file struct {
	arg
	write, tree, guess        bool
	copiesNames, followsLinks bool // see Path
}

// unknownEffect is the use of a command that nobody understands.
func unknownEffect(reason string) effect { return effect{class: Unknown, reason: reason} }

// worsen raises the class of a use.
func (e *effect) worsen(class Class, reason string) {
	if class > e.class {
		e.class, e.reason = class, reason
	}
}

// addRead adds files that are read.
func (e *effect) addRead(args ...arg) {
	for _, a := range args {
		if a.value != "-" || !a.known {
			e.files = append(e.files, file{arg: a})
		}
	}
}

// addWrite adds files that are written.
func (e *effect) addWrite(args ...arg) {
	for _, a := range args {
		e.files = append(e.files, file{arg: a, write: true})
	}
}

// addScript adds a line of text that is run.
func (e *effect) addScript(text string) {
	if text != "" {
		e.runs = append(e.runs, []arg{literalArg("sh"), literalArg("-c"), literalArg(text)})
	}
}

// isProcessSubst reports whether a file is a process substitution, or would be in it.
func (f file) isProcessSubst() bool {
	return strings.HasPrefix(f.value, processSubstPath) && (strings.HasPrefix(f.source, "<(") || strings.HasPrefix(f.source, ">("))
}

// isStandardStream reports whether a file is no file but something that the command
// holds open anyway.
func isStandardStream(name string) bool {
	switch name {
	case "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr":
		return true
	}
	return false
}
