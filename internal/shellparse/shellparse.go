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

// Class says what a command does to the world.
type Class int

// The classes. Larger is worse.
const (
	ReadOnly Class = iota // changes nothing and sends nothing
	Mutating              // changes something
	Unknown               // nobody knows
)

// A Command is one simple command of a line.
type Command struct {
	// Text is what an allow rule is held against: the words as they stand in
	// the line, one blank between them, without redirections, without the
	// wrappers and assignments that an allow rule sees past.
	Text string
	// Inner are further texts that only deny and ask rules are held against:
	// the words without their quotes, with the bare name of a program given by
	// its path, without all wrappers and assignments, and what the command runs
	// in its turn (under sudo, xargs, find -exec, sh -c).
	Inner []string

	Class Class
	Why   string // why Class is not ReadOnly
	// Edits says that the command does nothing but read and write its Paths.
	Edits bool
	// Exact says that no allow rule with a wildcard may cover it.
	Exact bool
	// Fed says that its standard input may be what the line or another command
	// or a file of the line says: Text does not tell all that the program is
	// given. A command fed by nothing but /dev/null is not.
	Fed bool
	// Caution says why a person must be asked whatever rules and modes allow,
	// such as the removal of the home directory. Empty if there is no reason.
	Caution string
	// Banned says why nothing and nobody may let it run, in any mode. Caution
	// then is set, too. Empty if there is no reason.
	Banned string

	Paths []Path
	Hosts []string // as they stand in the line
	// Git is set for a git command that is ReadOnly provided that the
	// configuration of the repository starts no program.
	Git *Git
}

// A Path is a file that is named in a line.
type Path struct {
	Name  string // absolute if the directory is known, else as written
	Write bool
	Tree  bool // everything below it as well
	Glob  bool // the shell replaces it: Name is the pattern
	// Copied says of what is read that it is written elsewhere under its own
	// names, and of a tree that is written that links in it are followed.
	Copied bool
	// Maybe says that an argument of a command nobody knows looks like a
	// path. Only deny and ask rules should see it.
	Maybe bool
}

// Git is the use of git in a repository.
type Git struct {
	Dir string // the directory it starts in, absolute
}
