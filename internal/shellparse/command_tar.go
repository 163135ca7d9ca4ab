package shellparse

import "strings"

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
