package shellparse

import (
	"strings"
)

// A use is what a command does with its arguments. The zero use is read-only
// and touches nothing.
type use struct {
	class   Class
	why     string // why class is not ReadOnly, such as "-o writes a file"
	edits   bool
	exact   bool
	caution string
	files   []file
	hosts   []string
	runs    [][]arg // commands that it runs in its turn
	doubt   string  // why nobody knows what it runs, although rules that deny may be about it
	git     *Git    // Dir as it was given by -C, relative or absolute, or empty
}

// A file is an operand that names a file.
type file struct {
	arg
	write, tree, maybe bool
	copied             bool // as in Path
}

// unknown is the use of a command that nobody understands.
func unknown(why string) use { return use{class: Unknown, why: why} }

// worsen raises the class of a use.
func (u *use) worsen(class Class, why string) {
	if class > u.class {
		u.class, u.why = class, why
	}
}

// read adds files that are read.
func (u *use) read(args ...arg) {
	for _, a := range args {
		if a.value != "-" || !a.known {
			u.files = append(u.files, file{arg: a})
		}
	}
}

// write adds files that are written.
func (u *use) write(args ...arg) {
	for _, a := range args {
		u.files = append(u.files, file{arg: a, write: true})
	}
}

// shell adds a line of text that is run.
func (u *use) shell(text string) {
	if text != "" {
		u.runs = append(u.runs, []arg{word("sh"), word("-c"), word(text)})
	}
}

// isProcess reports whether a file is a process substitution, or would be in it.
func (f file) isProcess() bool {
	return strings.HasPrefix(f.value, processName) && (strings.HasPrefix(f.source, "<(") || strings.HasPrefix(f.source, ">("))
}

// isStream reports whether a file is no file but something that the command
// holds open anyway.
func isStream(name string) bool {
	switch name {
	case "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr":
		return true
	}
	return false
}
