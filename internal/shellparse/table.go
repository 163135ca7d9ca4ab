package shellparse

import (
	"maps"
	"slices"
)

// An commandSpec says what a command does with its arguments. It lists the flags that
// are known; a command with any other is unknown.
type commandSpec struct {
	source   string // where the flags were taken from
	flags    string // the flags that are known, see flagKind
	operands operandKind
	// hasUnsafeFlags says that the command has flags, listed or not, that write a file, run
	// a program or send something. An argument that may become a flag then makes
	// it unknown.
	hasUnsafeFlags bool
	// flagsEndAtOperand says that the flags end at the first operand.
	flagsEndAtOperand bool
	// defaultsToDir says that it works on the working directory if it has no operand.
	defaultsToDir bool
	changes       string // what it changes, such as "makes directories"; empty if nothing
	editsOnly     bool   // it does so to the files among its arguments, and nothing else
	// post does what the other fields cannot say, once they are applied.
	post func(g parsedArgs, u *effect)
	// custom replaces everything else, for commands that do not read their
	// arguments as getopt does.
	custom func(args []arg) effect
}

// A operandKind is what the operands of a command are.
type operandKind int

const (
	noOperands    operandKind = iota // there are none
	plainTexts                       // words that name no file
	readFiles                        // files that are read; "-" is the standard input
	readTrees                        // directories that are read with all that is in them, or files
	writtenFiles                     // files that are read and written
	otherOperands                    // what the function of the entry says
)

// gnuFlags are the flags that every program of GNU has.
const gnuFlags = " --help --version"

// effectOf says what the command called name, which is no path, does with its
// arguments. Wrappers, which run another command, are taken off before.
//
// A removal is not judged here: see critical.
func effectOf(name string, args []arg) effect {
	s, ok := specOf(name)
	switch {
	case !ok:
		return unknownEffect("nobody here knows what " + name + " does")
	case s.custom != nil:
		return s.custom(args)
	}
	return s.effectOf(name, args)
}

// specOf finds the entry of a command.
func specOf(name string) (commandSpec, bool) {
	s, ok := commandSpecs[name]
	return s, ok
}

// commandSpecs are all commands that are known.
var commandSpecs = mergeTables(tables())

func mergeTables(tables [10]map[string]commandSpec) map[string]commandSpec {
	all := map[string]commandSpec{}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}

// tables are the commands that are known, by family.
func tables() [10]map[string]commandSpec {
	return [...]map[string]commandSpec{
		listSpecs, readSpecs, filterSpecs, systemSpecs, searchSpecs, languageSpecs, versionSpecs, editSpecs, archiveSpecs, networkSpecs,
	}
}

// effectOf is what a command called name does that reads its arguments as getopt does.
func (s commandSpec) effectOf(name string, args []arg) effect {
	p := s.parseArgs(args)
	e := effect{files: p.fileOperands(s)}
	if s.changes != "" {
		e.class, e.reason, e.editsOnly = Mutating, name+" "+s.changes, s.editsOnly
	}
	if s.operands == noOperands && len(p.operands) > 0 {
		e.worsen(Unknown, p.operands[0].source+" is an operand that is not known")
	}
	if s.post != nil {
		e = s.applyPost(p, e)
	}
	if p.writesNamed {
		e.worsen(Mutating, name+" writes a file")
	}
	if p.reason != "" {
		e.worsen(Unknown, p.reason)
	}
	e.editsOnly = e.editsOnly && e.class == Mutating
	return e
}

// applyPost is a use after what the function of an entry adds.
func (s commandSpec) applyPost(p parsedArgs, e effect) effect {
	s.post(p, &e)
	return e
}

// fileOperands are the files that an entry finds among the arguments.
func (p parsedArgs) fileOperands(s commandSpec) []file {
	files := p.namedFiles
	if s.operands == plainTexts || s.operands == noOperands || s.operands == otherOperands {
		return files
	}
	for _, a := range slices.Concat(p.operands, p.mayBeOperands) {
		if a.value == "-" && a.known && s.operands == readFiles {
			continue
		}
		if s.operands == writtenFiles {
			files = append(files, file{arg: a, write: true})
			continue
		}
		files = append(files, file{arg: a, tree: s.operands == readTrees})
	}
	if s.defaultsToDir && len(p.operands) == 0 {
		files = append(files, file{arg: literalArg("."), tree: s.operands == readTrees})
	}
	return files
}
