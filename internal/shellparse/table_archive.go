package shellparse

import "strings"

// archives are the commands that pack and unpack files.
var archives = map[string]entry{
	"tar": {source: "GNU tar 1.35 manual", all: tarUse},
	"zip": {
		source: "Info-ZIP zip 3.0 manual", operands: others, acts: true, does: "writes an archive",
		flags: "-# -D -j -q -r -u -v -X -y",
		and: func(g given, u *use) {
			for i, a := range g.operands {
				switch {
				case i > 0:
					u.files = append(u.files, file{arg: a, tree: g.has("-r")})
				case strings.Contains(a.value, "."):
					u.write(a)
				default:
					u.write(a, a.with(".zip"))
				}
			}
		},
	},
	"unzip": {
		source: "Info-ZIP unzip 6.0 manual", operands: others, acts: true,
		flags: "-C -d= -f -j -l -L -n -o -p -q -t -u -v -z", // -Z is another program
		and:   unzipUse,
	},
	"gzip":    packer(".gz", "GNU gzip 1.13 manual"),
	"gunzip":  packer(".gz", "GNU gzip 1.13 manual"),
	"bzip2":   packer(".bz2", "bzip2 1.0.8 manual"),
	"bunzip2": packer(".bz2", "bzip2 1.0.8 manual"),
	"xz":      packer(".xz", "xz 5.6 manual"),
	"unxz":    packer(".xz", "xz 5.6 manual"),
	"zcat":    {source: "GNU gzip 1.13 manual", operands: reads, flags: "-f -q -v -h -V" + gnu},
	"bzcat":   {source: "bzip2 1.0.8 manual", operands: reads, flags: "-q -s"},
	"xzcat":   {source: "xz 5.6 manual", operands: reads, flags: "-f -q -v --help --version"},
}

// packer is a program that puts a packed file in the place of each operand, or
// the other way round, unless it prints.
func packer(suffix, source string) entry {
	return entry{
		source: source, operands: others, acts: true,
		flags: "-# -c -d -f -h -k -l -n -q -r -t -v -V -z --best --decompress --fast --force --keep --list --no-name --quiet" +
			" --recursive --stdout --test --verbose" + gnu,
		and: func(g given, u *use) {
			// Of the flags that say what to do, the last counts.
			looks := g.has("-l", "-t", "--list", "--test") && !g.has("-d", "-z", "--decompress")
			if looks || g.has("-c", "--stdout") {
				for _, a := range g.operands {
					u.files = append(u.files, file{arg: a, tree: g.has("-r", "--recursive")})
				}
				return
			}
			if len(g.operands) > 0 {
				u.worsen(Mutating, "it writes files in the place of others")
			}
			for _, a := range g.operands {
				tree := g.has("-r", "--recursive")
				u.files = append(u.files, file{arg: a, write: true, tree: tree}, file{arg: a.with(suffix), write: true})
				if name, ok := strings.CutSuffix(a.value, suffix); ok {
					a.value = name
					u.write(a)
				}
			}
		},
	}
}

func unzipUse(g given, u *use) {
	if len(g.operands) == 0 {
		return
	}
	archive := g.operands[0]
	if strings.ContainsAny(archive.value, "*?[") {
		u.worsen(Unknown, "unzip has patterns of its own")
	}
	u.read(archive, archive.with(".zip"))
	if g.has("-l", "-p", "-t", "-v", "-z") && !g.has("-d", "-f", "-u") {
		return
	}
	u.worsen(Mutating, "unzip writes files")
	for _, dir := range append(g.values("-d"), word("."))[:1] {
		u.files = append(u.files, file{arg: dir, write: true, tree: true})
	}
}

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
