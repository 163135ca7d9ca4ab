package shellparse

import (
	"maps"
	"slices"
)

// An entry says what a command does with its arguments. It lists the flags that
// are known; a command with any other is unknown.
type entry struct {
	source   string // where the flags were taken from
	flags    string // the flags that are known, see flagKind
	operands role
	// acts says that the command has flags, listed or not, that write a file, run
	// a program or send something. An argument that may become a flag then makes
	// it unknown.
	acts bool
	// still says that the flags end at the first operand.
	still bool
	// here says that it works on the working directory if it has no operand.
	here bool
	does string // what it changes, such as "makes directories"; empty if nothing
	edit bool   // it does so to the files among its arguments, and nothing else
	// and does what the other fields cannot say, once they are applied.
	and func(g given, u *use)
	// all replaces everything else, for commands that do not read their
	// arguments as getopt does.
	all func(args []arg) use
}

// A role is what the operands of a command are.
type role int

const (
	none   role = iota // there are none
	texts              // words that name no file
	reads              // files that are read; "-" is the standard input
	trees              // directories that are read with all that is in them, or files
	writes             // files that are read and written
	others             // what the function of the entry says
)

// gnu are the flags that every program of GNU has.
const gnu = " --help --version"

// useOf says what the command called name, which is no path, does with its
// arguments. Wrappers, which run another command, are taken off before.
//
// A removal is not judged here: see critical.
func useOf(name string, args []arg) use {
	e, ok := lookup(name)
	switch {
	case !ok:
		return unknown("nobody here knows what " + name + " does")
	case e.all != nil:
		return e.all(args)
	}
	return e.use(name, args)
}

// lookup finds the entry of a command.
func lookup(name string) (entry, bool) {
	e, ok := programs[name]
	return e, ok
}

// programs are all commands that are known.
var programs = merged(tables())

func merged(tables [10]map[string]entry) map[string]entry {
	all := map[string]entry{}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}

// tables are the commands that are known, by family.
func tables() [10]map[string]entry {
	return [...]map[string]entry{
		listings, readers, filters, system, searches, languages, versions, edits, archives, network,
	}
}

// use is what a command called name does that reads its arguments as getopt does.
func (e entry) use(name string, args []arg) use {
	g := e.read(args)
	u := use{files: g.files(e)}
	if e.does != "" {
		u.class, u.why, u.edits = Mutating, name+" "+e.does, e.edit
	}
	if e.operands == none && len(g.operands) > 0 {
		u.worsen(Unknown, g.operands[0].source+" is an operand that is not known")
	}
	if e.and != nil {
		u = e.with(g, u)
	}
	if g.writes {
		u.worsen(Mutating, name+" writes a file")
	}
	if g.why != "" {
		u.worsen(Unknown, g.why)
	}
	u.edits = u.edits && u.class == Mutating
	return u
}

// with is a use after what the function of an entry adds.
func (e entry) with(g given, u use) use {
	e.and(g, &u)
	return u
}

// files are the files that an entry finds among the arguments.
func (g given) files(e entry) []file {
	files := g.named
	if e.operands == texts || e.operands == none || e.operands == others {
		return files
	}
	for _, a := range slices.Concat(g.operands, g.loose) {
		if a.value == "-" && a.known && e.operands == reads {
			continue
		}
		if e.operands == writes {
			files = append(files, file{arg: a, write: true})
			continue
		}
		files = append(files, file{arg: a, tree: e.operands == trees})
	}
	if e.here && len(g.operands) == 0 {
		files = append(files, file{arg: word("."), tree: e.operands == trees})
	}
	return files
}
