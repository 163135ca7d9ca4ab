package shellparse

import "strings"

// What find knows before its first path, and the words of its expressions that
// only look: those that stand alone, and those that one word follows.
// Source: GNU findutils 4.10 manual. -L and -follow are left out, they lead out
// of the tree.
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

// findUse reads the arguments of find.
func findUse(args []arg) use {
	f := finder{rest: args}
	f.paths()
	for len(f.rest) > 0 {
		f.word(f.next())
	}
	if f.deletes {
		f.use.worsen(Mutating, "-delete removes files")
		f.use.exact = true
		for i := range f.starts {
			f.use.write(f.use.files[f.starts[i]].arg)
			f.use.files[len(f.use.files)-1].tree = true
		}
	}
	return f.use
}

// A finder reads an expression of find.
type finder struct {
	use     use
	rest    []arg
	starts  []int // those of the files that are paths to start from
	deletes bool
}

func (f *finder) next() arg {
	a := f.rest[0]
	f.rest = f.rest[1:]
	return a
}

// hidden notes that find may do anything: no wildcard is to cover that.
func (f *finder) hidden(why string) {
	f.use.worsen(Unknown, why)
	f.use.exact = true
}

// paths takes the options and the paths before the expression.
func (f *finder) paths() {
	for len(f.rest) > 0 && f.rest[0].exact() && has(findOptions, f.rest[0].value) {
		f.next()
	}
	for len(f.rest) > 0 && !f.expression(f.rest[0]) {
		f.start(f.next())
	}
	if len(f.starts) == 0 {
		f.start(word("."))
	}
}

// expression reports whether an argument begins the expression.
func (f *finder) expression(a arg) bool {
	if a.mayBeFlag() {
		f.hidden(a.source + " may be an action of find")
	}
	return a.exact() && (strings.HasPrefix(a.value, "-") && a.value != "-" || has("( ) ! ,", a.value))
}

func (f *finder) start(a arg) {
	f.starts = append(f.starts, len(f.use.files))
	f.use.files = append(f.use.files, file{arg: a, tree: true})
}

// word takes one word of the expression, with what belongs to it.
func (f *finder) word(a arg) {
	switch {
	case !a.exact():
		f.hidden(a.source + " may be an action of find")
	case has(findAlone, a.value):
	case a.value == "-delete":
		f.deletes = true
	case has(findValued, a.value), strings.HasPrefix(a.value, "-newer") && len(a.value) == len("-newerXt") && a.value[7] == 't':
		f.value(a)
	case has(findReads, a.value), strings.HasPrefix(a.value, "-newer") && len(a.value) == len("-newerXY"):
		if v, ok := f.value(a); ok {
			f.use.read(v)
		}
	case has(findWrites, a.value):
		f.use.exact = true
		f.use.worsen(Mutating, a.value+" writes a file")
		if v, ok := f.value(a); ok {
			f.use.write(v)
		}
		if a.value == "-fprintf" {
			f.value(a)
		}
	case has(findRuns, a.value):
		f.run(a)
	default:
		f.hidden("find " + a.value + " is not known")
	}
}

// value takes the word that follows another.
func (f *finder) value(of arg) (arg, bool) {
	if len(f.rest) == 0 {
		f.hidden("find " + of.value + " lacks its value")
		return arg{}, false
	}
	v := f.next()
	if v.loose() {
		f.hidden(v.source + " may be an action of find")
	}
	return v, true
}

// run takes a command up to its ";", or the "+" after "{}".
func (f *finder) run(action arg) {
	f.hidden("find " + action.value + " runs a command")
	var cmd []arg
	for len(f.rest) > 0 {
		a := f.next()
		if a.is(";") || a.is("+") && len(cmd) > 0 && cmd[len(cmd)-1].source == "{}" {
			break
		}
		switch {
		case a.is(found):
			cmd = append(cmd, f.founds()...)
			continue
		case a.known && strings.Contains(a.value, found):
			a = arg{source: a.value} // a word with the name of a file in it
		}
		cmd = append(cmd, a)
	}
	if len(cmd) > 0 {
		f.use.runs = append(f.use.runs, cmd)
	}
}

// founds are the trees that hold what find puts in place of "{}".
func (f *finder) founds() []arg {
	var list []arg
	for _, i := range f.starts {
		a := f.use.files[i].arg
		a.source, a.cont = found, len(f.starts) > 1
		list = append(list, a)
	}
	return list
}
