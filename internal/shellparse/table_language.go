package shellparse

import "strings"

// languages are the commands with a language of their own.
var languages = map[string]entry{
	"sed":  stream,
	"gsed": stream,
	"awk":  awk,
	"gawk": awk,
	"mawk": awk,
	"nawk": awk,
	"jq":   {source: "jq 1.8 manual, invoking jq", all: jqUse},
}

// awk takes a program and files. Files that hold programs are not read here.
var awk = entry{
	source: "POSIX awk, GNU awk 5.3 manual", operands: others, acts: true, still: true,
	flags: "-F= -v=",
	and: func(g given, u *use) {
		if len(g.operands) == 0 {
			u.worsen(Unknown, "awk has no program")
			return
		}
		program := g.operands[0]
		switch {
		case !program.exact():
			u.worsen(Unknown, "the program of awk is not known")
		case !awkReads(program.value):
			u.worsen(Unknown, "the program of awk may do more than read its files")
		}
		if u.class == Unknown || g.why != "" {
			u.awkMay(g)
		}
		for _, a := range g.operands[1:] {
			if name, _, ok := strings.Cut(a.value, "="); !a.known || !ok || !isName(name) {
				u.read(a)
			}
		}
	},
}

// stream is sed. Without -i it only reads, if its script does.
var stream = entry{
	source: "GNU sed 4.9 manual, command-line options", operands: others, acts: true,
	flags: "-n -e= -E -f< -r -s -u -z -b -l= -i? --quiet --silent --expression= --file< --regexp-extended --separate --unbuffered" +
		" --null-data --binary --line-length= --posix --debug --sandbox --in-place?" + gnu,
	and: sedUse,
}

func sedUse(g given, u *use) {
	scripts, operands := g.values("-e", "--expression"), g.operands
	if strings.HasPrefix(g.why, "the flag ") { // it may be the beginning of --expression
		u.exact, u.doubt = true, "the script of sed is not known"
	}
	if g.has("-f", "--file") {
		u.worsen(Unknown, "the script of sed stands in a file")
		u.exact = true
	} else if len(scripts) == 0 {
		if len(operands) == 0 {
			u.worsen(Unknown, "sed has no script")
			return
		}
		scripts, operands = operands[:1], operands[1:]
	}
	var lines []string
	for _, s := range scripts {
		if !s.exact() {
			u.worsen(Unknown, "the script of sed is not known")
			u.exact = true
		}
		lines = append(lines, s.value)
	}
	script := strings.Join(lines, "\n")
	u.sed(script)
	if !g.has("-i", "--in-place") {
		u.read(operands...)
		return
	}
	u.worsen(Mutating, "sed -i changes files")
	u.edits = true
	u.write(operands...)
	for _, suffix := range g.values("-i", "--in-place") {
		u.backups(operands, suffix.value)
	}
	if script == "" {
		u.worsen(Unknown, "not all seds take the empty word for the script")
	}
}

// sed adds what a script of sed does besides editing. No wildcard covers one that
// may run something.
func (u *use) sed(text string) {
	s := sedScript{text: text}
	if !s.read() {
		s.guess(text)
		u.worsen(Unknown, "the script of sed is not understood")
	}
	if s.runs || len(s.files) > 0 {
		u.worsen(Unknown, "the script of sed does more than edit text")
	}
	u.exact = u.exact || s.runs
	for _, line := range s.lines {
		u.shell(line)
	}
	if s.input {
		u.doubt = "sed runs what it reads"
	}
	u.files = append(u.files, s.files...)
}

// backups adds the files that sed keeps the old text in.
func (u *use) backups(files []arg, suffix string) {
	switch {
	case suffix == "":
	case strings.ContainsAny(suffix, "*/"):
		u.worsen(Unknown, "the backup of sed gets a name that is not known")
	default:
		for _, a := range files {
			u.write(a.with(suffix))
		}
	}
}

// with is an argument with more text at its end.
func (a arg) with(suffix string) arg {
	if a.known {
		a.value += suffix
	}
	a.source += suffix
	return a
}
