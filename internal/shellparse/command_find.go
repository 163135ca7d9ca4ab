package shellparse

import (
	"slices"
	"strings"
)

// The options of find before its first path, and the words of its expressions: those
// that take no value and those that take one, and those that name files or run
// commands. Source: GNU findutils 4.10 manual. -L and -follow are left out, because
// they lead out of the tree.
const (
	findOptions = "-H -P -O0 -O1 -O2 -O3"
	findAlone   = "( ) ! , -a -and -d -daystart -depth -empty -executable -false -help -ignore_readdir_race -ls -mount -nogroup" +
		" -noignore_readdir_race -noleaf -not -nouser -nowarn -o -or -print -print0 -prune -quit -readable -true -version" +
		" -warn -writable -xdev --help --version"
	findValued = "-amin -atime -cmin -context -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename -links" +
		" -lname -maxdepth -mindepth -mmin -mtime -name -path -perm -printf -regex -regextype -size -type -uid -used -user" +
		" -wholename -xtype"
	findReads  = "-anewer -cnewer -newer -samefile"
	findWrites = "-fls -fprint -fprint0 -fprintf"
	findRuns   = "-exec -execdir -ok -okdir"
)

// findEffect parses the arguments of find.
func findEffect(args []arg) effect {
	f := findParser{rest: args}
	f.readStarts()
	for len(f.rest) > 0 {
		a := f.next()
		f.printsLast = !f.either && len(f.rest) == 0 && a.is("-print", "-print0")
		f.readWord(a)
	}
	if f.deletes {
		f.effect.worsen(Mutating, "-delete removes files")
		f.effect.noWildcards = true
		for i := range f.startFiles {
			f.effect.addWrite(f.effect.files[f.startFiles[i]].arg)
			f.effect.files[len(f.effect.files)-1].tree = true
		}
	}
	f.effect.prints = f.printedNames()
	return f.effect
}

// A findParser parses an expression of find.
type findParser struct {
	effect     effect
	rest       []arg
	startFiles []int // indexes of the files that are starting points
	deletes    bool

	depth      int        // of parentheses
	negated    bool       // the next test counts if it fails
	tests      []nameStep // on names that everything up to here has passed
	printsLast bool       // the only action is the last word
	either     bool       // some of the tests are joined by "or"
	actions    []string
	files      bool // everything up to here is a file or directory and no link
}

func (f *findParser) next() arg {
	a := f.rest[0]
	f.rest = f.rest[1:]
	return a
}

// mayDoAnything records that find may do anything, so that no wildcard covers it.
func (f *findParser) mayDoAnything(reason string) {
	f.effect.worsen(Unknown, reason)
	f.effect.noWildcards = true
}

// readStarts reads the options and paths before the expression.
func (f *findParser) readStarts() {
	for len(f.rest) > 0 && f.rest[0].isLiteral() && has(findOptions, f.rest[0].value) {
		f.next()
	}
	for len(f.rest) > 0 && !f.startsExpression(f.rest[0]) {
		f.addStart(f.next())
	}
	if len(f.startFiles) == 0 {
		f.addStart(literalArg("."))
	}
}

// startsExpression reports whether an argument begins the expression.
func (f *findParser) startsExpression(a arg) bool {
	if a.mayBeFlag() {
		f.mayDoAnything(a.source + " may be an action of find")
	}
	return a.isLiteral() && (strings.HasPrefix(a.value, "-") && a.value != "-" || has("( ) ! ,", a.value))
}

func (f *findParser) addStart(a arg) {
	f.startFiles = append(f.startFiles, len(f.effect.files))
	f.effect.files = append(f.effect.files, file{arg: a, tree: true, namesOnly: true})
}

// readWord reads one word of the expression with its values.
func (f *findParser) readWord(a arg) {
	if has("-help -version --help --version -print -print0 -printf -ls -delete -quit "+findWrites+" "+findRuns, a.value) {
		f.actions = append(f.actions, a.value)
	}
	defer f.noteTest(a, f.rest)
	switch {
	case !a.isLiteral():
		f.mayDoAnything(a.source + " may be an action of find")
	case has(findAlone, a.value):
	case a.value == "-delete":
		f.deletes = true
	case has(findValued, a.value), strings.HasPrefix(a.value, "-newer") && len(a.value) == len("-newerXt") && a.value[7] == 't':
		f.readValue(a)
	case has(findReads, a.value), strings.HasPrefix(a.value, "-newer") && len(a.value) == len("-newerXY"):
		if v, ok := f.readValue(a); ok {
			f.effect.addRead(v)
		}
	case has(findWrites, a.value):
		f.effect.noWildcards = true
		f.effect.worsen(Mutating, a.value+" writes a file")
		if v, ok := f.readValue(a); ok {
			f.effect.addWrite(v)
		}
		if a.value == "-fprintf" {
			f.readValue(a)
		}
	case has(findRuns, a.value):
		f.readCommand(a)
	default:
		f.mayDoAnything("find " + a.value + " is not known")
	}
}

// readValue reads the value of a word.
func (f *findParser) readValue(of arg) (arg, bool) {
	if len(f.rest) == 0 {
		f.mayDoAnything("find " + of.value + " lacks its value")
		return arg{}, false
	}
	v := f.next()
	if v.mayBeSeveral() {
		f.mayDoAnything(v.source + " may be an action of find")
	}
	return v, true
}

// readCommand reads a command up to its ";", or the "+" after "{}".
func (f *findParser) readCommand(action arg) {
	var cmd, shown []arg // shown has the found name in place of each {}
	last := -1           // index in cmd behind the last trees
	for len(f.rest) > 0 {
		a := f.next()
		if a.is("+") && last == len(cmd) {
			// One name may be a pattern, and the next a file.
			f.effect.runs = append(f.effect.runs, slices.Concat(cmd, f.foundTrees()))
			break
		}
		if a.is(";") {
			break
		}
		switch {
		case a.is(findPlaceholder):
			cmd = append(cmd, f.foundTrees()...)
			shown, last = append(shown, f.foundName()), len(cmd)
			continue
		case a.known && strings.Contains(a.value, findPlaceholder):
			a = arg{source: a.value} // find replaces a part of the word
		}
		cmd, shown = append(cmd, a), append(shown, a)
	}
	if f.effect.noWildcards = true; action.value == "-exec" {
		f.effect.startsOnFound = append(f.effect.startsOnFound, shown)
	} else {
		f.mayDoAnything("find " + action.value + " runs a command")
	}
	if len(cmd) > 0 {
		f.effect.runs = append(f.effect.runs, cmd)
	}
}

// foundName returns the word that stands for the names which find puts in place of "{}": any
// number of names that begin with a starting point.
func (f *findParser) foundName() arg {
	names := &foundNames{plain: true, regular: f.files}
	for _, i := range f.startFiles {
		names.plain = names.plain && isPlainName(f.effect.files[i].arg)
		names.starts = append(names.starts, f.effect.files[i].arg)
	}
	return arg{source: findPlaceholder, anyNumber: true, found: names}
}

// foundTrees returns the starting points as trees that stand for "{}".
func (f *findParser) foundTrees() []arg {
	var list []arg
	for _, i := range f.startFiles {
		a := f.effect.files[i].arg
		a.source, a.fromBraces = findPlaceholder, len(f.startFiles) > 1
		a.found = &foundNames{filter: &NameFilter{every: true, steps: f.tests, LeaveOut: "! -name NAME"}, regular: f.files}
		list = append(list, a)
	}
	return list
}

// noteTest notes the test that a word of the expression makes on names. rest are the words
// after it. Only tests that are joined by "and", outside of parentheses, count.
func (f *findParser) noteTest(a arg, rest []arg) {
	negated := f.negated
	f.negated = false
	switch {
	case !a.isLiteral():
		f.tests, f.files = nil, false
	case a.value == "(":
		f.depth++
	case a.value == ")":
		f.depth--
	case has("! -not", a.value):
		f.negated = !negated
	case f.depth > 0:
	case has("-o -or ,", a.value):
		f.tests, f.files, f.either = nil, false, true
	case a.value == "-name" && len(rest) > 0 && rest[0].isLiteral() && isNameGlob(rest[0].value):
		f.tests = append(f.tests[:len(f.tests):len(f.tests)], nameStep{glob: rest[0].value, include: !negated})
	case a.value == "-type" && len(rest) > 0 && rest[0].is("f", "d", "f,d", "d,f") && !negated:
		f.files = true
	}
}

// printedNames returns the names that find prints, if it prints nothing else.
func (f *findParser) printedNames() *foundNames {
	switch {
	case f.effect.class != ReadOnly, len(f.actions) > 1, len(f.actions) == 1 && !has("-print -print0", f.actions[0]):
		return nil
	}
	names := &foundNames{plain: true, nul: len(f.actions) > 0 && f.actions[0] == "-print0"}
	for _, i := range f.startFiles {
		a := f.effect.files[i].arg
		if !a.known {
			return nil
		}
		names.trees, names.plain = append(names.trees, a), names.plain && isPlainName(a)
	}
	if !f.either && len(f.actions) == 0 || f.printsLast {
		names.filter, names.regular = &NameFilter{every: true, steps: f.tests, LeaveOut: "! -name NAME"}, f.files
	}
	return names
}
