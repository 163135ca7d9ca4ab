package shellparse

import (
	"path"
	"strings"
)

// addTransfer adds the files that cp, mv, ln and install write. It returns the operands
// that are the sources; tree is set if these may be directories.
func (e *effect) addTransfer(p parsedArgs, tree bool) (from []arg) {
	from = p.operands
	into := p.flagValues("-t", "--target-directory")
	directory := len(into) > 0
	switch {
	case len(into) > 1:
		e.worsen(Unknown, "more than one directory to write into")
	case len(into) == 0 && len(from) > 1:
		into, from = from[len(from)-1:], from[:len(from)-1]
	}
	if len(from) == 0 || len(into) == 0 {
		e.worsen(Unknown, "it is not known what is written")
	}
	directory = directory || len(from) > 1
	parents, itself := p.hasFlag("--parents"), p.hasFlag("-T", "--no-target-directory")
	for _, to := range into {
		directory = directory || strings.HasSuffix(to.value, "/") || to.is(".", "..")
		f := file{arg: to, write: true, tree: parents || tree && (!directory || itself)}
		if len(from) == 1 && !parents {
			f.origin = originOf(from[0])
		}
		e.files = append(e.files, f)
		if to.known && !to.glob && !itself {
			e.addInto(to, from, tree, parents)
		}
	}
	return from
}

// addCopied adds sources whose names are used again in the destination.
func (e *effect) addCopied(from []arg, tree bool) {
	for _, a := range from {
		e.files = append(e.files, file{arg: a, tree: tree, copiesNames: true})
	}
}

// addInto adds the files that are written if dir is a directory. If it is not, these
// paths do not exist and do no harm. parents is set if the sources keep the names of
// their directories.
func (e *effect) addInto(dir arg, from []arg, tree, parents bool) {
	for _, a := range from {
		if !a.known {
			continue // an unknown source makes the line unknown in any case
		}
		name, to, origin := path.Base(strings.TrimRight(a.value, "/")), dir.value, originOf(a)
		if parents {
			name = strings.TrimLeft(a.value, "/")
		}
		if a.glob {
			to = escapeGlob(to)
		}
		to = strings.TrimSuffix(to, "/") + "/" + name
		e.files = append(e.files, file{arg: arg{value: to, known: true, glob: a.glob, source: dir.source}, write: true, tree: tree, origin: origin})
	}
}

// originOf returns the name of a file that is copied or moved, or "" if the line does not
// spell it.
func originOf(a arg) string {
	if !a.known || a.glob {
		return ""
	}
	return a.value
}

func mvEffect(p parsedArgs, e *effect) {
	for _, a := range e.addTransfer(p, true) {
		e.files = append(e.files, file{arg: a, write: true, tree: true, inPlace: true})
	}
}

func cpEffect(p parsedArgs, e *effect) {
	tree := p.hasFlag("-r", "-R", "-a", "--recursive", "--archive")
	if tree && p.hasFlag("-L", "--dereference") {
		e.worsen(Unknown, "cp follows the links in a directory")
	}
	from := e.addTransfer(p, tree)
	for i := range e.files {
		e.files[i].followsLinks = e.files[i].tree
	}
	e.addCopied(from, tree)
}

func lnEffect(p parsedArgs, e *effect) {
	if len(p.operands) == 1 && !p.hasFlag("-t", "--target-directory") {
		p.operands = append(p.operands[:1:1], literalArg("."))
	}
	e.addCopied(e.addTransfer(p, false), false)
}

func installEffect(p parsedArgs, e *effect) {
	if p.hasFlag("-d", "--directory") {
		e.addWrite(p.operands...)
		return
	}
	e.addCopied(e.addTransfer(p, false), false)
}

// ddEffect parses the operands of dd, each a name and a value.
func ddEffect(args []arg) effect {
	var e effect
	for _, a := range args {
		name, value, ok := strings.Cut(a.value, "=")
		a.value = value
		switch {
		case !ok || !a.isLiteral():
			e.worsen(Unknown, a.source+" is no operand that dd is known to have")
		case name == "if":
			e.addRead(a)
		case name == "of":
			e.worsen(Mutating, "dd writes a file")
			e.addWrite(a)
		case !has("bs cbs conv count ibs iflag iseek obs oflag oseek seek skip status", name):
			e.worsen(Unknown, "dd "+name+" is not known")
		}
	}
	return e
}

// tarSpec lists the flags of tar; the first ones need no dash. -I, -F, --to-command and
// others run programs and are left out.
var tarSpec = commandSpec{
	source: "GNU tar 1.35 manual, all tar options", operands: otherOperands, hasUnsafeFlags: true,
	flags: "-c -t -x -v -z -j -J -p -k -m -O -w -h -C= -f= --create --list --extract --get --verbose --gzip --bzip2 --xz --zstd" +
		" --directory= --file= --exclude= --strip-components= --keep-old-files --to-stdout --no-same-owner --same-permissions" +
		" --preserve-permissions --touch --full-time --numeric-owner --wildcards --force-local --totals" + gnuFlags,
}

// tarEffect parses the arguments of tar.
func tarEffect(args []arg) effect {
	if len(args) > 0 && args[0].isLiteral() && !strings.HasPrefix(args[0].value, "-") {
		// In the old form the values follow the letters in order. With at most one
		// value, that of the last letter, both forms are equal.
		letters := args[0].value
		if n := strings.IndexAny(letters, "fC"); letters == "" || n >= 0 && n < len(letters)-1 || strings.ContainsAny(letters, "IF") {
			e := unknownEffect("the flags of tar are not known")
			if e.noWildcards = strings.ContainsAny(letters, "IF"); e.noWildcards {
				for _, a := range args[1:] { // any of these may be the program
					e.addScript(a.value)
				}
			}
			e.addTarPrograms(args[1:])
			return e
		}
		args = append([]arg{literalArg("-" + letters)}, args[1:]...)
	}
	p := tarSpec.parseArgs(args)
	var e effect
	if p.reason != "" {
		e = unknownEffect(p.reason)
	}
	dirs := p.flagValues("-C", "--directory")
	files := p.flagValues("-f", "--file")
	if len(dirs) > 1 || len(files) > 1 {
		e.worsen(Unknown, "tar changes its directory more than once")
	}
	for _, f := range files {
		if !f.known || strings.Contains(f.value, ":") {
			e.worsen(Unknown, "tar takes a name with a colon for one on another machine")
		}
	}
	e.addTar(p, append(dirs, literalArg("."))[0], files)
	e.addTarPrograms(args)
	return e
}

// addTar adds the files that tar reads and writes.
func (e *effect) addTar(p parsedArgs, dir arg, archives []arg) {
	switch {
	case p.hasFlag("-c", "--create"):
		e.worsen(Mutating, "tar writes an archive")
		for _, f := range archives {
			if !f.is("-") {
				e.addWrite(f)
			}
		}
		for _, a := range p.operands {
			if !dir.is(".") && a.known && !strings.HasPrefix(a.value, "/") {
				a = a.inDir(dir)
			}
			e.files = append(e.files, file{arg: a, tree: true})
		}
	case p.hasFlag("-x", "--extract", "--get"):
		e.addRead(archives...)
		if !p.hasFlag("-O", "--to-stdout") {
			e.worsen(Mutating, "tar writes files")
			e.files = append(e.files, file{arg: dir, write: true, tree: true})
		}
	case p.hasFlag("-t", "--list"):
		e.addRead(archives...)
	default:
		e.worsen(Unknown, "it is not known what tar does")
	}
}

// addTarPrograms adds the programs that tar starts. No wildcard covers them, nor an
// argument that may be such an option.
func (e *effect) addTarPrograms(args []arg) {
	for i, a := range args {
		name, value, attached := strings.Cut(a.value, "=")
		var after string
		if i+1 < len(args) {
			after = args[i+1].value
		}
		switch {
		case !a.known && a.mayBeFlag():
			e.noWildcards = true
		case len(name) > len("--x") && name[:2] == "--":
			if !tarStartsProgram(name) {
				continue
			}
			e.noWildcards = true
			if !attached {
				value = after
			}
			e.addScript(strings.TrimPrefix(value, "exec="))
		case len(name) > 1 && name[0] == '-':
			if n := strings.IndexAny(a.value, "IF"); n > 0 {
				e.noWildcards = true
				if value = a.value[n+1:]; value == "" {
					value = after
				}
				e.addScript(value)
			}
		}
	}
}

// tarStartsProgram reports whether tar may read a name as that of an option that starts
// a program.
func tarStartsProgram(name string) bool {
	for option := range strings.FieldsSeq("--checkpoint-action --use-compress-program --to-command --info-script" +
		" --new-volume-script --rsh-command --rmt-command") {
		if strings.HasPrefix(option, name) {
			return name != "--checkpoint"
		}
	}
	return false
}

// archiveSpecs are the commands that create and unpack archives.
var archiveSpecs = map[string]commandSpec{
	"tar": {source: "GNU tar 1.35 manual", custom: tarEffect},
	"zip": {
		source: "Info-ZIP zip 3.0 manual", operands: otherOperands, hasUnsafeFlags: true, changes: "writes an archive",
		flags: "-# -D -j -q -r -u -v -X -y",
		post: func(p parsedArgs, e *effect) {
			for i, a := range p.operands {
				switch {
				case i > 0:
					e.files = append(e.files, file{arg: a, tree: p.hasFlag("-r")})
				case strings.Contains(a.value, "."):
					e.addWrite(a)
				default:
					e.addWrite(a, a.withSuffix(".zip"))
				}
			}
		},
	},
	"unzip": {
		source: "Info-ZIP unzip 6.0 manual", operands: otherOperands, hasUnsafeFlags: true,
		flags: "-C -d= -f -j -l -L -n -o -p -q -t -u -v -z", // -Z runs zipinfo instead
		post:  unzipEffect,
	},
	"gzip":    packerSpec(".gz", "GNU gzip 1.13 manual"),
	"gunzip":  packerSpec(".gz", "GNU gzip 1.13 manual"),
	"bzip2":   packerSpec(".bz2", "bzip2 1.0.8 manual"),
	"bunzip2": packerSpec(".bz2", "bzip2 1.0.8 manual"),
	"xz":      packerSpec(".xz", "xz 5.6 manual"),
	"unxz":    packerSpec(".xz", "xz 5.6 manual"),
	"zcat":    {source: "GNU gzip 1.13 manual", operands: readFiles, flags: "-f -q -v -h -V" + gnuFlags},
	"bzcat":   {source: "bzip2 1.0.8 manual", operands: readFiles, flags: "-q -s"},
	"xzcat":   {source: "xz 5.6 manual", operands: readFiles, flags: "-f -q -v --help --version"},
}

// packerSpec returns the spec of a program that replaces each operand by its compressed
// or decompressed form, unless it prints.
func packerSpec(suffix, source string) commandSpec {
	return commandSpec{
		source: source, operands: otherOperands, hasUnsafeFlags: true,
		flags: "-# -c -d -f -h -k -l -n -q -r -t -v -V -z --best --decompress --fast --force --keep --list --no-name --quiet" +
			" --recursive --stdout --test --verbose" + gnuFlags,
		post: func(p parsedArgs, e *effect) {
			// The last of the flags that choose an action counts.
			looks := p.hasFlag("-l", "-t", "--list", "--test") && !p.hasFlag("-d", "-z", "--decompress")
			if looks || p.hasFlag("-c", "--stdout") {
				for _, a := range p.operands {
					e.files = append(e.files, file{arg: a, tree: p.hasFlag("-r", "--recursive")})
				}
				return
			}
			if len(p.operands) > 0 {
				e.worsen(Mutating, "it writes files in the place of others")
			}
			for _, a := range p.operands {
				tree := p.hasFlag("-r", "--recursive")
				e.files = append(e.files, file{arg: a, write: true, tree: tree}, file{arg: a.withSuffix(suffix), write: true})
				if name, ok := strings.CutSuffix(a.value, suffix); ok {
					a.value = name
					e.addWrite(a)
				}
			}
		},
	}
}

func unzipEffect(p parsedArgs, e *effect) {
	if len(p.operands) == 0 {
		return
	}
	archive := p.operands[0]
	if strings.ContainsAny(archive.value, "*?[") {
		e.worsen(Unknown, "unzip has patterns of its own")
	}
	e.addRead(archive, archive.withSuffix(".zip"))
	if p.hasFlag("-l", "-p", "-t", "-v", "-z") && !p.hasFlag("-d", "-f", "-u") {
		return
	}
	e.worsen(Mutating, "unzip writes files")
	for _, dir := range append(p.flagValues("-d"), literalArg("."))[:1] {
		e.files = append(e.files, file{arg: dir, write: true, tree: true})
	}
}
