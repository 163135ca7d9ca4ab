package shellparse

import (
	"maps"
	"slices"
)

// A commandSpec describes the arguments of a command and their effects. It lists the
// known flags; any other flag makes the command unknown.
type commandSpec struct {
	source   string // the manual that the flags were taken from
	flags    string // the known flags; see flagKind
	operands operandKind
	// hasUnsafeFlags is set if a flag of the command, listed or not, writes a file,
	// runs a program or sends something. An argument that may be a flag then makes the
	// command unknown.
	hasUnsafeFlags bool
	// readsPatterns is set with otherOperands if post reads every operand that is a pattern.
	readsPatterns bool
	// flagsEndAtOperand is set if all arguments after the first operand are operands.
	flagsEndAtOperand bool
	// defaultsToDir is set if the command works on the working directory when it has no
	// operand.
	defaultsToDir bool
	changes       string // the change it makes, such as "makes directories"; empty for commands that only read
	editsOnly     bool   // it changes only the files among its arguments
	// post is called after the other fields are applied, for rules that they cannot
	// express.
	post func(p parsedArgs, e *effect)
	// custom replaces all other fields, for commands that do not parse their arguments
	// as getopt does.
	custom func(args []arg) effect
}

// An operandKind is the kind of a command's operands.
type operandKind int

const (
	noOperands    operandKind = iota // the command has no operands
	plainTexts                       // words that do not name files
	readFiles                        // files that are read; "-" is the standard input
	readTrees                        // files or directories that are read with everything below them
	namedTrees                       // files or directories of which everything below is named
	writtenFiles                     // files that are read and written
	otherOperands                    // handled by post
)

// gnuFlags are the flags that all GNU programs have.
const gnuFlags = " --help --version"

// effectOf returns the effect of the command called name with given arguments. name is
// not a path, and wrappers, which run another command, are removed already.
//
// Removals are not judged here; see removalReason.
func effectOf(name string, args []arg) effect {
	e := specEffectOf(name, args)
	if settingsWriters[name] != nil {
		e.addSettings(name, args)
	}
	return e
}

// specEffectOf is effectOf without the settings that a command writes.
func specEffectOf(name string, args []arg) effect {
	s, ok := specOf(name)
	switch {
	case !ok:
		return unknownEffect("nobody here knows what " + name + " does")
	case s.custom != nil:
		e := s.custom(args)
		e.start(name)
		return e
	}
	return s.effectOf(name, args)
}

// specOf returns the spec of a command.
func specOf(name string) (commandSpec, bool) {
	s, ok := commandSpecs[name]
	return s, ok
}

// KnowsProgram reports whether the tables describe a program of that name.
func KnowsProgram(name string) bool {
	_, ok := commandSpecs[name]
	return ok
}

// commandSpecs are all known commands.
var commandSpecs = mergeTables(tables())

func mergeTables(tables [10]map[string]commandSpec) map[string]commandSpec {
	all := map[string]commandSpec{}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}

// tables returns the known commands by family.
func tables() [10]map[string]commandSpec {
	return [...]map[string]commandSpec{
		listSpecs, readSpecs, filterSpecs, systemSpecs, searchSpecs, languageSpecs, versionSpecs, editSpecs, archiveSpecs, networkSpecs,
	}
}

// effectOf returns the effect of a command that parses its arguments as getopt does.
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

// applyPost returns the effect after post is applied.
func (s commandSpec) applyPost(p parsedArgs, e effect) effect {
	s.post(p, &e)
	return e
}

// fileOperands returns the files among the arguments of a command.
func (p parsedArgs) fileOperands(s commandSpec) []file {
	files := p.namedFiles
	if s.operands == plainTexts || s.operands == noOperands || s.operands == otherOperands {
		return files
	}
	for _, a := range slices.Concat(p.operands, p.splitValues) {
		if a.value == "-" && a.known && s.operands == readFiles {
			continue
		}
		if s.operands == writtenFiles {
			files = append(files, file{arg: a, write: true})
			continue
		}
		files = append(files, s.fileOperand(a))
	}
	if s.defaultsToDir && len(p.operands) == 0 {
		files = append(files, s.fileOperand(literalArg(".")))
	}
	return files
}

// fileOperand returns an operand that is read or named.
func (s commandSpec) fileOperand(a arg) file {
	named := s.operands == namedTrees
	return file{arg: a, tree: named || s.operands == readTrees, namesOnly: named}
}
