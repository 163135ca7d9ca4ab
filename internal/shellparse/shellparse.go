// Package shellparse says what a command line does, without running it: which
// commands, which files, which hosts. What cannot be known from the text is said
// to be unknown; nothing is guessed in favour of the line.
//
// It does no I/O and starts nothing.
package shellparse

// A Shell is the program that will read the line.
type Shell int

// The shells.
const (
	Bash Shell = iota
	Zsh
	PowerShell // of which plain lines are understood
)

// Env is what a line is read in.
type Env struct {
	Shell Shell
	Dir   string // working directory, absolute: where relative paths start
	Home  string // what ~ and $HOME mean; empty if unknown
}

// A Line is what a command line does.
type Line struct {
	// Commands are the simple commands, in the order in which they stand, with
	// those inside substitutions, compounds and function bodies.
	Commands []Command
	Paths    []Path // files that redirections open
	// Unknown says why the line cannot be fully understood, or is empty.
	// Commands and Paths then hold what was found all the same.
	Unknown string
}

// A Path is a file that is named in a line.
type Path struct {
	Name  string // absolute if the directory is known, else as written
	Write bool
	Tree  bool // everything below it as well
	Glob  bool // the shell replaces it: Name is the pattern
	// CopiesNames is set for a path that is read and whose names are written elsewhere, as
	// by cp and ln.
	CopiesNames bool
	// FollowsLinks is set for a tree that is written through the links in it.
	FollowsLinks bool
	// Guess says that an argument of a command nobody knows looks like a
	// path. Only deny and ask rules should see it.
	Guess bool
}
