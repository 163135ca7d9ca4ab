package shellparse

import (
	"strings"
)

// tarSpec are those of tar; a dash before the first ones is optional. -I, -F,
// --to-command and others run programs.
var tarSpec = commandSpec{
	source: "GNU tar 1.35 manual, all tar options", operands: otherOperands, hasUnsafeFlags: true,
	flags: "-c -t -x -v -z -j -J -p -k -m -O -w -h -C= -f= --create --list --extract --get --verbose --gzip --bzip2 --xz --zstd" +
		" --directory= --file= --exclude= --strip-components= --keep-old-files --to-stdout --no-same-owner --same-permissions" +
		" --preserve-permissions --touch --full-time --numeric-owner --wildcards --force-local --totals" + gnuFlags,
}

// tarEffect reads the arguments of tar.
func tarEffect(args []arg) effect {
	if len(args) > 0 && args[0].isLiteral() && !strings.HasPrefix(args[0].value, "-") {
		// In the old form the values follow the letters one by one: with no more
		// than one value, and that of the last letter, both forms are alike.
		letters := args[0].value
		if n := strings.IndexAny(letters, "fC"); letters == "" || n >= 0 && n < len(letters)-1 || strings.ContainsAny(letters, "IF") {
			u := unknownEffect("the flags of tar are not known")
			if u.noWildcards = strings.ContainsAny(letters, "IF"); u.noWildcards {
				for _, a := range args[1:] { // one of the first, in the order of the letters
					u.addScript(a.value)
				}
			}
			u.addTarPrograms(args[1:])
			return u
		}
		args = append([]arg{literalArg("-" + letters)}, args[1:]...)
	}
	g := tarSpec.parseArgs(args)
	var u effect
	if g.reason != "" {
		u = unknownEffect(g.reason)
	}
	dirs := g.flagValues("-C", "--directory")
	files := g.flagValues("-f", "--file")
	if len(dirs) > 1 || len(files) > 1 {
		u.worsen(Unknown, "tar changes its directory more than once")
	}
	for _, f := range files {
		if !f.known || strings.Contains(f.value, ":") {
			u.worsen(Unknown, "tar takes a name with a colon for one on another machine")
		}
	}
	u.addTar(g, append(dirs, literalArg("."))[0], files)
	u.addTarPrograms(args)
	return u
}

// addTar adds what tar reads and writes.
func (u *effect) addTar(g parsedArgs, dir arg, archives []arg) {
	switch {
	case g.hasFlag("-c", "--create"):
		u.worsen(Mutating, "tar writes an archive")
		for _, f := range archives {
			if !f.is("-") {
				u.addWrite(f)
			}
		}
		for _, a := range g.operands {
			if !dir.is(".") && a.known && !strings.HasPrefix(a.value, "/") {
				a.value, a.known = strings.TrimSuffix(dir.value, "/")+"/"+a.value, dir.isLiteral()
			}
			u.files = append(u.files, file{arg: a, tree: true})
		}
	case g.hasFlag("-x", "--extract", "--get"):
		u.addRead(archives...)
		if !g.hasFlag("-O", "--to-stdout") {
			u.worsen(Mutating, "tar writes files")
			u.files = append(u.files, file{arg: dir, write: true, tree: true})
		}
	case g.hasFlag("-t", "--list"):
		u.addRead(archives...)
	default:
		u.worsen(Unknown, "it is not known what tar does")
	}
}

// addTarPrograms adds the programs that tar starts. No wildcard covers them, nor a word that
// may be an option.
func (u *effect) addTarPrograms(args []arg) {
	for i, a := range args {
		name, value, glued := strings.Cut(a.value, "=")
		var after string
		if i+1 < len(args) {
			after = args[i+1].value
		}
		switch {
		case !a.known && a.mayBeFlag():
			u.noWildcards = true
		case len(name) > len("--x") && name[:2] == "--":
			if !tarStartsProgram(name) {
				continue
			}
			u.noWildcards = true
			if !glued {
				value = after
			}
			u.addScript(strings.TrimPrefix(value, "exec="))
		case len(name) > 1 && name[0] == '-':
			if n := strings.IndexAny(a.value, "IF"); n > 0 {
				u.noWildcards = true
				if value = a.value[n+1:]; value == "" {
					value = after
				}
				u.addScript(value)
			}
		}
	}
}

// tarStartsProgram reports whether tar may take a name for that of an option that starts a
// program.
func tarStartsProgram(name string) bool {
	for option := range strings.FieldsSeq("--checkpoint-action --use-compress-program --to-command --info-script" +
		" --new-volume-script --rsh-command --rmt-command") {
		if strings.HasPrefix(option, name) {
			return name != "--checkpoint"
		}
	}
	return false
}
