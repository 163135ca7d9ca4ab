package shellparse

import (
	"strings"
)

// tarFlags are those of tar; a dash before the first ones is optional. -I, -F,
// --to-command and others run programs.
var tarFlags = entry{
	source: "GNU tar 1.35 manual, all tar options", operands: others, acts: true,
	flags: "-c -t -x -v -z -j -J -p -k -m -O -w -h -C= -f= --create --list --extract --get --verbose --gzip --bzip2 --xz --zstd" +
		" --directory= --file= --exclude= --strip-components= --keep-old-files --to-stdout --no-same-owner --same-permissions" +
		" --preserve-permissions --touch --full-time --numeric-owner --wildcards --force-local --totals" + gnu,
}

// tarUse reads the arguments of tar.
func tarUse(args []arg) use {
	if len(args) > 0 && args[0].exact() && !strings.HasPrefix(args[0].value, "-") {
		// In the old form the values follow the letters one by one: with no more
		// than one value, and that of the last letter, both forms are alike.
		letters := args[0].value
		if n := strings.IndexAny(letters, "fC"); letters == "" || n >= 0 && n < len(letters)-1 || strings.ContainsAny(letters, "IF") {
			u := unknown("the flags of tar are not known")
			if u.exact = strings.ContainsAny(letters, "IF"); u.exact {
				for _, a := range args[1:] { // one of the first, in the order of the letters
					u.shell(a.value)
				}
			}
			u.tarRuns(args[1:])
			return u
		}
		args = append([]arg{word("-" + letters)}, args[1:]...)
	}
	g := tarFlags.read(args)
	var u use
	if g.why != "" {
		u = unknown(g.why)
	}
	dirs := g.values("-C", "--directory")
	files := g.values("-f", "--file")
	if len(dirs) > 1 || len(files) > 1 {
		u.worsen(Unknown, "tar changes its directory more than once")
	}
	for _, f := range files {
		if !f.known || strings.Contains(f.value, ":") {
			u.worsen(Unknown, "tar takes a name with a colon for one on another machine")
		}
	}
	u.tar(g, append(dirs, word("."))[0], files)
	u.tarRuns(args)
	return u
}

// tar adds what tar reads and writes.
func (u *use) tar(g given, dir arg, archives []arg) {
	switch {
	case g.has("-c", "--create"):
		u.worsen(Mutating, "tar writes an archive")
		for _, f := range archives {
			if !f.is("-") {
				u.write(f)
			}
		}
		for _, a := range g.operands {
			if !dir.is(".") && a.known && !strings.HasPrefix(a.value, "/") {
				a.value, a.known = strings.TrimSuffix(dir.value, "/")+"/"+a.value, dir.exact()
			}
			u.files = append(u.files, file{arg: a, tree: true})
		}
	case g.has("-x", "--extract", "--get"):
		u.read(archives...)
		if !g.has("-O", "--to-stdout") {
			u.worsen(Mutating, "tar writes files")
			u.files = append(u.files, file{arg: dir, write: true, tree: true})
		}
	case g.has("-t", "--list"):
		u.read(archives...)
	default:
		u.worsen(Unknown, "it is not known what tar does")
	}
}

// tarRuns adds the programs that tar starts. No wildcard covers them, nor a word that
// may be an option.
func (u *use) tarRuns(args []arg) {
	for i, a := range args {
		name, value, glued := strings.Cut(a.value, "=")
		var after string
		if i+1 < len(args) {
			after = args[i+1].value
		}
		switch {
		case !a.known && a.mayBeFlag():
			u.exact = true
		case len(name) > len("--x") && name[:2] == "--":
			if !tarStarts(name) {
				continue
			}
			u.exact = true
			if !glued {
				value = after
			}
			u.shell(strings.TrimPrefix(value, "exec="))
		case len(name) > 1 && name[0] == '-':
			if n := strings.IndexAny(a.value, "IF"); n > 0 {
				u.exact = true
				if value = a.value[n+1:]; value == "" {
					value = after
				}
				u.shell(value)
			}
		}
	}
}

// tarStarts reports whether tar may take a name for that of an option that starts a
// program.
func tarStarts(name string) bool {
	for option := range strings.FieldsSeq("--checkpoint-action --use-compress-program --to-command --info-script" +
		" --new-volume-script --rsh-command --rmt-command") {
		if strings.HasPrefix(option, name) {
			return name != "--checkpoint"
		}
	}
	return false
}
