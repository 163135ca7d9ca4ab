package shellparse

// An arg is one word after the name of a command, as the command gets it.
type arg struct {
	value  string // what the shell makes of it; of a glob the pattern
	source string // as it stands in the line
	known  bool   // value is exactly what the command gets, or the pattern if glob is set
	glob   bool   // the shell replaces it by the names of files
	many   bool   // not known, and perhaps several arguments or none
	cont   bool   // one of several that the same braces make; they share their source
	hole   bool   // the program that starts the command puts something in place of it or of a part
}

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
