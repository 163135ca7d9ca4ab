package shellparse

import (
	"slices"
	"strings"
)

// A flagKind is what a flag takes. In the table of a command it stands after the
// name of the flag: "-a -n= --color? --file<". "-#" stands for a number such as
// "-5", digits on their own; "+#" for one such as "+5".
type flagKind string

const (
	noValue       flagKind = ""  // nothing
	takesValue    flagKind = "=" // a value, glued on or in the next argument
	optionalValue flagKind = "?" // a value if one is glued on
	readsFile     flagKind = "<" // a value that names a file it reads
	writesFile    flagKind = ">" // a value that names a file it writes
)

// A flag is one that was given, under the name it has in the table.
type flag struct {
	name  string
	value arg
}

// parsedArgs is what a command was given.
type parsedArgs struct {
	flags    []flag
	operands []arg
	// mayBeOperands are values of flags that may turn out to be several arguments, of
	// which all but the first are operands.
	mayBeOperands []arg
	namedFiles    []file // the values of flags that name files
	writesNamed   bool   // one of them is written
	reason        string // why it is not known what the command does; empty if it is
}

func (g parsedArgs) hasFlag(names ...string) bool {
	return slices.ContainsFunc(g.flags, func(f flag) bool { return slices.Contains(names, f.name) })
}

// flagValues are the values of the flags of these names, in their order.
func (g parsedArgs) flagValues(names ...string) []arg {
	var list []arg
	for _, f := range g.flags {
		if slices.Contains(names, f.name) {
			list = append(list, f.value)
		}
	}
	return list
}

// refuse notes the first reason why nobody knows what the command does.
func (g *parsedArgs) refuse(why string) {
	if g.reason == "" {
		g.reason = why
	}
}

// kindOf looks a flag up in the table of an entry.
func (e commandSpec) kindOf(name string) (flagKind, bool) {
	if strings.ContainsAny(name, "=?<>#") {
		return "", false // no name, but could be taken for one with its mark
	}
	for known := range strings.FieldsSeq(e.flags) {
		if rest, ok := strings.CutPrefix(known, name); ok {
			switch k := flagKind(rest); k {
			case noValue, takesValue, optionalValue, readsFile, writesFile:
				return k, true
			}
		}
	}
	return "", false
}

// takesNumbers reports whether the command takes "-5" or, with another mark, "+5".
func (e commandSpec) takesNumbers(mark string) bool { return has(e.flags, mark) }

// refusesArg reports whether a word that is not known must not stand where the
// command takes flags. A listed flag that names a file is one reason: the file
// would go unseen.
func (e commandSpec) refusesArg(a arg) bool {
	return a.mayBeFlag() && (e.hasUnsafeFlags || !a.known && strings.ContainsAny(e.flags, "<>"))
}

// A argParser tells the arguments of a command apart.
type argParser struct {
	spec   commandSpec
	parsed parsedArgs
	rest   []arg // those not read yet
}

// parseArgs tells flags and operands apart as getopt does: flags may stand after
// operands, short ones in a bundle, values glued to them. Long ones count only
// if they are written out.
func (e commandSpec) parseArgs(args []arg) parsedArgs {
	r := argParser{spec: e, rest: args}
	for len(r.rest) > 0 {
		a := r.next()
		switch {
		case a.is("--"):
			r.takeOperands()
		case a.isLiteral() && strings.HasPrefix(a.value, "--"):
			r.longFlag(a)
		case a.isLiteral() && len(a.value) > 1 && a.value[0] == '-':
			r.shortFlags(a)
		case a.isLiteral() && a.value != "" && a.value[0] == '+' && isDigits(a.value[1:]) && e.takesNumbers("+#"):
		case r.globFlag(a):
		default:
			if e.refusesArg(a) {
				r.parsed.refuse(a.source + " may become a flag")
			}
			r.parsed.operands = append(r.parsed.operands, a)
			if e.flagsEndAtOperand {
				r.takeOperands()
			}
		}
	}
	return r.parsed
}

func (r *argParser) next() arg {
	a := r.rest[0]
	r.rest = r.rest[1:]
	return a
}

// takeOperands takes all that is left for operands.
func (r *argParser) takeOperands() {
	r.parsed.operands = append(r.parsed.operands, r.rest...)
	r.rest = nil
}

// longFlag takes a flag such as "--lines" or "--lines=5".
func (r *argParser) longFlag(a arg) {
	name, value, glued := strings.Cut(a.value, "=")
	kind, ok := r.spec.kindOf(name)
	if !ok || glued && kind == noValue {
		r.parsed.refuse("the flag " + name + " is not known")
		return
	}
	a.value = value
	r.addFlag(name, kind, a, glued)
}

// shortFlags takes "-l", bundles such as "-la", and values glued on as in "-n5".
func (r *argParser) shortFlags(a arg) {
	letters := a.value[1:]
	if isDigits(letters) && r.spec.takesNumbers("-#") {
		return
	}
	for letters != "" {
		name := "-" + letters[:1]
		letters = letters[1:]
		kind, ok := r.spec.kindOf(name)
		switch {
		case !ok:
			r.parsed.refuse("the flag " + name + " is not known")
		case kind == noValue:
			r.parsed.flags = append(r.parsed.flags, flag{name: name})
		default:
			if strings.HasPrefix(letters, "=") && (kind == readsFile || kind == writesFile) {
				r.parsed.refuse("not all programs read " + a.source + " in the same way")
			}
			a.value = letters
			r.addFlag(name, kind, a, letters != "")
			return
		}
	}
}

// addFlag takes a flag with its value, if it has one: glued, or else the next
// argument.
func (r *argParser) addFlag(name string, kind flagKind, value arg, glued bool) {
	g := &r.parsed
	f := flag{name: name}
	switch {
	case kind == noValue || kind == optionalValue && !glued:
	case glued:
		f.value = value
	case len(r.rest) == 0:
		g.refuse("the flag " + name + " has no value")
	default:
		f.value = r.next()
		if f.value.mayBeSeveral() {
			g.mayBeOperands = append(g.mayBeOperands, f.value)
		}
		if f.value.mayBeSeveral() && r.spec.refusesArg(f.value) {
			g.refuse(f.value.source + " may become a flag")
		}
		// Not all programs of the name give this flag a value.
		if v := f.value.value; r.spec.hasUnsafeFlags && len(v) > 1 && v[0] == '-' && !isDigits(v[1:2]) {
			g.refuse(f.value.source + " looks like a flag")
		}
		glued = true
	}
	if glued && (kind == readsFile || kind == writesFile) {
		g.namedFiles = append(g.namedFiles, file{arg: f.value, write: kind == writesFile})
		g.writesNamed = g.writesNamed || kind == writesFile
	}
	g.flags = append(g.flags, f)
}

// globFlag takes a flag such as --include=*.go, which a shell may expand, but to
// nothing else than the same flag with other text.
func (r *argParser) globFlag(a arg) bool {
	if !a.known || !a.glob || !strings.HasPrefix(a.value, "--") {
		return false
	}
	name, value, glued := strings.Cut(a.value, "=")
	kind, ok := r.spec.kindOf(name)
	if !glued || !ok || kind != takesValue && kind != optionalValue {
		return false
	}
	a.value = value
	r.parsed.flags = append(r.parsed.flags, flag{name: name, value: a})
	return true
}
