package shellparse

import (
	"slices"
	"strings"
)

// A flagKind says whether a flag takes a value. In a table it follows the name of the
// flag: "-a -n= --color? --file<". "-#" stands for a number such as "-5", "+#" for one
// such as "+5".
type flagKind string

const (
	noValue       flagKind = ""  // no value
	takesValue    flagKind = "=" // a value, attached or in the next argument
	optionalValue flagKind = "?" // a value only if it is attached
	readsFile     flagKind = "<" // as takesValue; the value names a file that is read
	writesFile    flagKind = ">" // as takesValue; the value names a file that is written
)

// A flag is a flag of a command, under its name in the table.
type flag struct {
	name  string
	value arg
}

// parsedArgs are the arguments of a command, split into flags and operands.
type parsedArgs struct {
	flags    []flag
	operands []arg
	// splitValues are values of flags that may expand to several arguments, of which
	// all but the first are operands.
	splitValues []arg
	namedFiles  []file   // values of flags that name files
	writesNamed bool     // one of namedFiles is written
	unlisted    []string // long flags that are not known
	reason      string   // why the effect of the command is not known; empty if it is known
}

func (p parsedArgs) hasFlag(names ...string) bool {
	return slices.ContainsFunc(p.flags, func(f flag) bool { return slices.Contains(names, f.name) })
}

// flagValues returns the values of the flags with these names, in order.
func (p parsedArgs) flagValues(names ...string) []arg {
	var list []arg
	for _, f := range p.flags {
		if slices.Contains(names, f.name) {
			list = append(list, f.value)
		}
	}
	return list
}

// abbreviates reports whether a flag that is not known may be the given one, cut off.
func (p parsedArgs) abbreviates(name string) bool {
	return slices.ContainsFunc(p.unlisted, func(f string) bool { return len(f) > len("--") && strings.HasPrefix(name, f) })
}

// refuse records why the effect of the command is not known. The first reason is kept.
func (p *parsedArgs) refuse(reason string) {
	if p.reason == "" {
		p.reason = reason
	}
}

// kindOf looks a flag up in the table.
func (s commandSpec) kindOf(name string) (flagKind, bool) {
	if strings.ContainsAny(name, "=?<>#") {
		return "", false // not a flag, but with its mark it could match one
	}
	mark, ok := markOf(s.flags, name, "=?<>")
	return flagKind(mark), ok
}

// completed returns the only listed long flag that begins with a name, or "". The command is
// not known to understand it so, but rules that deny look at what it does then.
func (s commandSpec) completed(name string) (flag string) {
	if len(name) <= len("--") {
		return ""
	}
	for listed := range strings.FieldsSeq(s.flags) {
		listed = strings.TrimRight(listed, "=?<>")
		switch {
		case listed == name || !strings.HasPrefix(listed, name):
		case flag != "":
			return ""
		default:
			flag = listed
		}
	}
	return flag
}

// takesNumbers reports whether the command takes "-5" (mark "-#") or "+5" (mark "+#").
func (s commandSpec) takesNumbers(mark string) bool { return has(s.flags, mark) }

// refusesArg reports whether an argument that may be a flag makes the effect unknown.
// If a listed flag names a file, even an unknown word does: it could hide the file.
func (s commandSpec) refusesArg(a arg) bool {
	return a.mayBeFlag() && (s.hasUnsafeFlags || !a.known && strings.ContainsAny(s.flags, "<>"))
}

// readsOperands reports whether all operands that patterns stand for are files that the
// command reads.
func (s commandSpec) readsOperands() bool {
	return s.readsPatterns || s.operands == readFiles || s.operands == readTrees || s.operands == namedTrees
}

// An argParser parses the arguments of a command.
type argParser struct {
	spec   commandSpec
	parsed parsedArgs
	rest   []arg // not parsed yet
}

// parseArgs splits flags and operands as getopt does: flags may follow operands, short
// flags may be bundled, values may be attached. Long flags must not be abbreviated.
func (s commandSpec) parseArgs(args []arg) parsedArgs {
	p := argParser{spec: s, rest: args}
	for len(p.rest) > 0 {
		a := p.next()
		switch {
		case a.is("--"):
			p.takeOperands()
		case a.isLiteral() && strings.HasPrefix(a.value, "--"):
			p.longFlag(a)
		case a.isLiteral() && len(a.value) > 1 && a.value[0] == '-':
			p.shortFlags(a)
		case a.isLiteral() && a.value != "" && a.value[0] == '+' && isDigits(a.value[1:]) && s.takesNumbers("+#"):
		case p.globFlag(a):
		default:
			if s.refusesArg(a) && (!s.readsOperands() || !a.isNamePattern()) {
				p.parsed.refuse(a.source + " may become a flag")
			}
			p.parsed.operands = append(p.parsed.operands, a)
			if s.flagsEndAtOperand {
				p.takeOperands()
			}
		}
	}
	return p.parsed
}

func (p *argParser) next() arg {
	a := p.rest[0]
	p.rest = p.rest[1:]
	return a
}

// takeOperands takes the remaining arguments as operands.
func (p *argParser) takeOperands() {
	p.parsed.operands = append(p.parsed.operands, p.rest...)
	p.rest = nil
}

// longFlag takes a flag such as "--lines" or "--lines=5".
func (p *argParser) longFlag(a arg) {
	name, value, attached := strings.Cut(a.value, "=")
	kind, ok := p.spec.kindOf(name)
	if !ok || attached && kind == noValue {
		p.parsed.refuse("the flag " + name + " is not known")
		p.parsed.unlisted = append(p.parsed.unlisted, name)
		if name = p.spec.completed(name); name == "" {
			return
		}
		kind, _ = p.spec.kindOf(name)
	}
	a.value = value
	p.addFlag(name, kind, a, attached)
}

// shortFlags takes "-l", bundles such as "-la", and attached values as in "-n5".
func (p *argParser) shortFlags(a arg) {
	letters := a.value[1:]
	if isDigits(letters) && p.spec.takesNumbers("-#") {
		return
	}
	for letters != "" {
		name := "-" + letters[:1]
		letters = letters[1:]
		kind, ok := p.spec.kindOf(name)
		switch {
		case !ok:
			p.parsed.refuse("the flag " + name + " is not known")
		case kind == noValue:
			p.parsed.flags = append(p.parsed.flags, flag{name: name})
		default:
			if strings.HasPrefix(letters, "=") && (kind == readsFile || kind == writesFile) {
				p.parsed.refuse("not all programs read " + a.source + " in the same way")
			}
			a.value = letters
			p.addFlag(name, kind, a, letters != "")
			return
		}
	}
}

// addFlag adds a flag with its value, if it takes one: the attached one, or else the
// next argument.
func (p *argParser) addFlag(name string, kind flagKind, value arg, attached bool) {
	args := &p.parsed
	f := flag{name: name}
	switch {
	case kind == noValue || kind == optionalValue && !attached:
	case attached:
		f.value = value
	case len(p.rest) == 0:
		args.refuse("the flag " + name + " has no value")
	default:
		f.value = p.next()
		if f.value.mayBeSeveral() {
			args.splitValues = append(args.splitValues, f.value)
		}
		if f.value.mayBeSeveral() && p.spec.refusesArg(f.value) {
			args.refuse(f.value.source + " may become a flag")
		}
		// Another program of the same name may have this flag without a value.
		if v := f.value.value; p.spec.hasUnsafeFlags && len(v) > 1 && v[0] == '-' && !isDigits(v[1:2]) {
			args.refuse(f.value.source + " looks like a flag")
		}
		attached = true
	}
	if attached && (kind == readsFile || kind == writesFile) {
		args.namedFiles = append(args.namedFiles, file{arg: f.value, write: kind == writesFile})
		args.writesNamed = args.writesNamed || kind == writesFile && !f.value.is("/dev/null")
	}
	args.flags = append(args.flags, f)
}

// globFlag takes a flag such as --include=*.go. The shell may expand it, but only to
// the same flag with another value.
func (p *argParser) globFlag(a arg) bool {
	if !a.known || !a.glob || !strings.HasPrefix(a.value, "--") {
		return false
	}
	name, value, attached := strings.Cut(a.value, "=")
	kind, ok := p.spec.kindOf(name)
	if !attached || !ok || kind != takesValue && kind != optionalValue {
		return false
	}
	a.value = value
	p.parsed.flags = append(p.parsed.flags, flag{name: name, value: a})
	return true
}
