// Package shellparse determines the effects of a command line without running it: the
// commands it runs, the files it touches and the hosts it reaches. Effects that the
// text does not tell are reported as unknown; the package never guesses in favour of
// the line.
//
// It does no I/O, except by [Env].GitAliases, and starts no goroutine or process.
package shellparse

import (
	"slices"
	"strings"
)

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

// An effect is the effect of a command with given arguments. The zero effect is
// read-only and touches nothing.
type effect struct {
	class       Class
	reason      string // why class is not ReadOnly, such as "-o writes a file"
	editsOnly   bool
	noWildcards bool
	askReason   string
	files       []file
	hosts       []string
	runs        [][]arg // commands that it runs
	// startsOnFound are those of them that it starts itself, with files that it finds. They
	// are checked by effectOf: unless they only read, the effect is not known.
	startsOnFound [][]arg
	// acts are those of startsOnFound that may do more than read, if everything else that
	// the command does is to read.
	acts        [][]arg
	prints      *foundNames // the names that it prints, one a line; nil if it prints anything else
	lineUnknown string      // why the line becomes unknown: deny rules may concern a command that is not known
	git         *Git        // Dir is as given by -C: relative, absolute or empty
	alias       *gitAliasUse
	aliases     []gitSetting // aliases of git that it makes
}

// A file is an operand that names a file.
type file struct {
	arg
	write, tree, guess          bool
	mayWrite                    bool   // see Path
	inHome                      bool   // the name is relative to the home directory
	copiesNames, followsLinks   bool   // see Path
	namesOnly, tracked, noIndex bool   // see Path
	inPlace, enters             bool   // see Path
	origin                      string // see Path; relative to the same directory as the file
	filter                      *NameFilter
}

// unknownEffect returns the effect of a command that is not understood.
func unknownEffect(reason string) effect { return effect{class: Unknown, reason: reason} }

// worsen raises the class of an effect.
func (e *effect) worsen(class Class, reason string) {
	if class > e.class {
		e.class, e.reason = class, reason
	}
}

// start adds the effects of the commands that a program starts with files that it finds.
func (e *effect) start(program string) {
	reads := e.class == ReadOnly && !slices.ContainsFunc(e.files, func(f file) bool { return f.write || !f.namesOnly })
	for _, started := range e.startsOnFound {
		others, ok := readsFoundNames(started)
		if e.files = append(e.files, others...); ok {
			continue
		}
		e.worsen(Unknown, program+" runs a command")
		if reads {
			e.acts = append(e.acts, started)
		}
	}
}

// addRead adds files that are read, except - for the standard input.
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

// addScript adds a text that sh runs.
func (e *effect) addScript(text string) {
	if text != "" {
		e.runs = append(e.runs, []arg{literalArg("sh"), literalArg("-c"), literalArg(text)})
	}
}

// isProcessSubst reports whether a file is a process substitution, or a name derived
// from one.
func (f file) isProcessSubst() bool {
	return strings.HasPrefix(f.value, processSubstPath) && (strings.HasPrefix(f.source, "<(") || strings.HasPrefix(f.source, ">("))
}

// isStandardStream reports whether a name is that of a stream the command has open
// already, or /dev/null.
func isStandardStream(name string) bool {
	switch name {
	case "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr":
		return true
	}
	return false
}
