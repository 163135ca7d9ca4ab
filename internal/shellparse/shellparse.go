// Package shellparse determines the effects of a command line without running it: the
// commands it runs, the files it touches and the hosts it reaches. Effects that the
// text does not tell are reported as unknown; the package never guesses in favour of
// the line.
//
// It does no I/O, except by [Env].GitAliases, and starts no goroutine or process.
package shellparse

// A Shell is the program that will read the line.
type Shell int

// The shells.
const (
	Bash Shell = iota
	Zsh
	PowerShell // only plain lines are understood
)

// Env is the environment in which a line is read.
type Env struct {
	Shell Shell
	Dir   string // working directory, absolute; relative paths start here
	Home  string // value of ~ and $HOME; empty if unknown
	// IsPublic reports whether a variable of the environment holds no secret; nil means
	// none but those that are never secret, such as HOME and LANG.
	IsPublic func(name string) bool
	// IsExported reports whether programs that the line starts find a variable in their
	// environment, whatever the line does; nil means that any may be there.
	IsExported func(name string) bool
	// GitAliases returns the meanings that a subcommand of git has as an alias where git
	// starts in dir: none if it is no alias. The error says why there may be others. It is
	// called for names that are no subcommands of git itself. If it is nil, only the
	// aliases that the line makes are known.
	GitAliases func(dir, home, name string) ([]string, error)
}

// A Line holds the effects of a command line.
type Line struct {
	// Commands are the simple commands in the order of the text, including those inside
	// substitutions, compound commands and function bodies.
	Commands []Command
	Paths    []Path // files that redirections open
	// Unknown is the reason why the line cannot be fully understood. It is empty if the
	// line is understood. Commands and Paths hold everything that was found in either
	// case.
	Unknown string
	// Background reports whether the line starts something with & in bash or zsh.
	Background bool
}

// A Path is a file that the line names.
type Path struct {
	Name  string // absolute if the directory is known, otherwise as written
	Write bool
	Tree  bool // includes everything below it
	Glob  bool // Name is a pattern that the shell expands
	// CopiesNames is set for a path that is read and whose names are written elsewhere, as
	// by cp and ln.
	CopiesNames bool
	// FollowsLinks is set for a tree that is read or written through the links in it.
	FollowsLinks bool
	// NamesOnly is set for a tree of which only names, sizes and the like are shown.
	NamesOnly bool
	// Tracked is set for a tree of which git shows the files that it tracks.
	Tracked bool
	// NoIndex is set with Tracked if git shows files on the disk where there is no
	// repository.
	NoIndex bool
	// InPlace is set for a tree if only what is there already is changed, moved or removed;
	// and for a guess that is read, if only files are that the line has found there.
	InPlace bool
	// Origin is, of a tree that is written, the file or directory that is put there and
	// makes up all that is written; empty if it is not known.
	Origin string
	// Filter says which files of a tree that is read are read; nil means all.
	Filter *NameFilter
	// Enters is set for a directory in which other commands of the line run, as after cd, or
	// in which a program works because of an option.
	Enters bool
	// Guess is set if Name is only an argument that looks like a path, of a command
	// that the tables do not know. Only deny and ask rules should match it.
	Guess bool
	// MayWrite is set for a Guess that is written if nothing says that the program only reads
	// its file: whether that is a protected file, or one elsewhere, counts as well.
	MayWrite bool
}
