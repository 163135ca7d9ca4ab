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
	alone   flagKind = ""  // nothing
	valued  flagKind = "=" // a value, glued on or in the next argument
	perhaps flagKind = "?" // a value if one is glued on
	reading flagKind = "<" // a value that names a file it reads
	writing flagKind = ">" // a value that names a file it writes
)

// A flag is one that was given, under the name it has in the table.
type flag struct {
	name  string
	value arg
}

// given is what a command was given.
type given struct {
	flags    []flag
	operands []arg
	// loose are values of flags that may turn out to be several arguments, of
	// which all but the first are operands.
	loose  []arg
	named  []file // the values of flags that name files
	writes bool   // one of them is written
	why    string // why it is not known what the command does; empty if it is
}

func (g given) has(names ...string) bool {
	return slices.ContainsFunc(g.flags, func(f flag) bool { return slices.Contains(names, f.name) })
}

// values are the values of the flags of these names, in their order.
func (g given) values(names ...string) []arg {
	var list []arg
	for _, f := range g.flags {
		if slices.Contains(names, f.name) {
			list = append(list, f.value)
		}
	}
	return list
}

// refuse notes the first reason why nobody knows what the command does.
func (g *given) refuse(why string) {
	if g.why == "" {
		g.why = why
	}
}

// kind looks a flag up in the table of an entry.
func (e entry) kind(name string) (flagKind, bool) {
	if strings.ContainsAny(name, "=?<>#") {
		return "", false // no name, but could be taken for one with its mark
	}
	for known := range strings.FieldsSeq(e.flags) {
		if rest, ok := strings.CutPrefix(known, name); ok {
			switch k := flagKind(rest); k {
			case alone, valued, perhaps, reading, writing:
				return k, true
			}
		}
	}
	return "", false
}

// numbers reports whether the command takes "-5" or, with another mark, "+5".
func (e entry) numbers(mark string) bool { return has(e.flags, mark) }

// refuses reports whether a word that is not known must not stand where the
// command takes flags. A listed flag that names a file is one reason: the file
// would go unseen.
func (e entry) refuses(a arg) bool {
	return a.mayBeFlag() && (e.acts || !a.known && strings.ContainsAny(e.flags, "<>"))
}

// A reader tells the arguments of a command apart.
type reader struct {
	entry entry
	given given
	rest  []arg // those not read yet
}

// read tells flags and operands apart as getopt does: flags may stand after
// operands, short ones in a bundle, values glued to them. Long ones count only
// if they are written out.
func (e entry) read(args []arg) given {
	r := reader{entry: e, rest: args}
	for len(r.rest) > 0 {
		a := r.next()
		switch {
		case a.is("--"):
			r.operands()
		case a.exact() && strings.HasPrefix(a.value, "--"):
			r.long(a)
		case a.exact() && len(a.value) > 1 && a.value[0] == '-':
			r.short(a)
		case a.exact() && a.value != "" && a.value[0] == '+' && isDigits(a.value[1:]) && e.numbers("+#"):
		case r.pattern(a):
		default:
			if e.refuses(a) {
				r.given.refuse(a.source + " may become a flag")
			}
			r.given.operands = append(r.given.operands, a)
			if e.still {
				r.operands()
			}
		}
	}
	return r.given
}

func (r *reader) next() arg {
	a := r.rest[0]
	r.rest = r.rest[1:]
	return a
}

// operands takes all that is left for operands.
func (r *reader) operands() {
	r.given.operands = append(r.given.operands, r.rest...)
	r.rest = nil
}

// long takes a flag such as "--lines" or "--lines=5".
func (r *reader) long(a arg) {
	name, value, glued := strings.Cut(a.value, "=")
	kind, ok := r.entry.kind(name)
	if !ok || glued && kind == alone {
		r.given.refuse("the flag " + name + " is not known")
		return
	}
	a.value = value
	r.take(name, kind, a, glued)
}

// short takes "-l", bundles such as "-la", and values glued on as in "-n5".
func (r *reader) short(a arg) {
	letters := a.value[1:]
	if isDigits(letters) && r.entry.numbers("-#") {
		return
	}
	for letters != "" {
		name := "-" + letters[:1]
		letters = letters[1:]
		kind, ok := r.entry.kind(name)
		switch {
		case !ok:
			r.given.refuse("the flag " + name + " is not known")
		case kind == alone:
			r.given.flags = append(r.given.flags, flag{name: name})
		default:
			if strings.HasPrefix(letters, "=") && (kind == reading || kind == writing) {
				r.given.refuse("not all programs read " + a.source + " in the same way")
			}
			a.value = letters
			r.take(name, kind, a, letters != "")
			return
		}
	}
}

// take takes a flag with its value, if it has one: glued, or else the next
// argument.
func (r *reader) take(name string, kind flagKind, value arg, glued bool) {
	g := &r.given
	f := flag{name: name}
	switch {
	case kind == alone || kind == perhaps && !glued:
	case glued:
		f.value = value
	case len(r.rest) == 0:
		g.refuse("the flag " + name + " has no value")
	default:
		f.value = r.next()
		if f.value.loose() {
			g.loose = append(g.loose, f.value)
		}
		if f.value.loose() && r.entry.refuses(f.value) {
			g.refuse(f.value.source + " may become a flag")
		}
		// Not all programs of the name give this flag a value.
		if v := f.value.value; r.entry.acts && len(v) > 1 && v[0] == '-' && !isDigits(v[1:2]) {
			g.refuse(f.value.source + " looks like a flag")
		}
		glued = true
	}
	if glued && (kind == reading || kind == writing) {
		g.named = append(g.named, file{arg: f.value, write: kind == writing})
		g.writes = g.writes || kind == writing
	}
	g.flags = append(g.flags, f)
}

// pattern takes a flag such as --include=*.go, which a shell may expand, but to
// nothing else than the same flag with other text.
func (r *reader) pattern(a arg) bool {
	if !a.known || !a.glob || !strings.HasPrefix(a.value, "--") {
		return false
	}
	name, value, glued := strings.Cut(a.value, "=")
	kind, ok := r.entry.kind(name)
	if !glued || !ok || kind != valued && kind != perhaps {
		return false
	}
	a.value = value
	r.given.flags = append(r.given.flags, flag{name: name, value: a})
	return true
}
