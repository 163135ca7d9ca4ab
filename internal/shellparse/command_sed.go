package shellparse

import (
	"strings"
	"unicode/utf8"
)

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

// sedReads reports whether a script of sed does nothing but read its input and
// print. It refuses what seds read in different ways.
func sedReads(script string) bool {
	s := sedScript{text: script}
	return s.read() && !s.runs && len(s.files) == 0
}

// A sedScript is what is left to read of a script, and what it does so far besides
// editing.
type sedScript struct {
	text  string
	files []file
	runs  bool
	lines []string // of text that it runs
	input bool     // it runs what it reads
}

// read reads all of a script. It knows the commands of POSIX and GNU sed 4.9.
func (s *sedScript) read() bool {
	depth := 0
	for {
		s.blanks("\n;")
		if s.text == "" {
			return depth == 0
		}
		if !s.addresses() {
			return false
		}
		switch c := s.byte(); c {
		case '{':
			depth++
			continue
		case '}':
			depth--
			if depth < 0 {
				return false
			}
		case '#':
			s.line()
			continue
		default:
			if !s.command(c) {
				return false
			}
		}
		if !s.ended() {
			return false
		}
	}
}

func (s *sedScript) byte() byte {
	if s.text == "" {
		return 0
	}
	c := s.text[0]
	s.text = s.text[1:]
	return c
}

func (s *sedScript) peek() byte {
	if s.text == "" {
		return 0
	}
	return s.text[0]
}

// blanks skips blanks and whatever else is given.
func (s *sedScript) blanks(more string) { s.text = strings.TrimLeft(s.text, " \t"+more) }

func (s *sedScript) line() string {
	line, rest, _ := strings.Cut(s.text, "\n")
	s.text = rest
	return line
}

func (s *sedScript) number() string {
	rest := strings.TrimLeft(s.text, "0123456789")
	digits := s.text[:len(s.text)-len(rest)]
	s.text = rest
	return digits
}

// ended reports whether a command ends here.
func (s *sedScript) ended() bool {
	s.blanks("")
	return s.text == "" || strings.IndexByte("\n;}#", s.peek()) >= 0
}

// addresses reads "1", "1,/x/", "0~3!" and the like, or nothing.
func (s *sedScript) addresses() bool {
	found, ok := s.address()
	if !ok {
		return false
	}
	s.blanks("")
	if found && s.peek() == ',' {
		s.byte()
		s.blanks("")
		switch s.peek() {
		case '+', '~':
			s.byte()
			ok = s.number() != ""
		default:
			found, ok = s.address()
			ok = ok && found
		}
		if !ok {
			return false
		}
		s.blanks("")
	}
	for s.peek() == '!' {
		s.byte()
		s.blanks("")
	}
	return true
}

// address reads one address, if there is one.
func (s *sedScript) address() (found, ok bool) {
	switch c := s.peek(); {
	case '0' <= c && c <= '9':
		s.number()
		s.blanks("")
		if s.peek() == '~' {
			s.byte()
			return true, s.number() != ""
		}
		return true, true
	case c == '$':
		s.byte()
		return true, true
	case c == '/' || c == '\\':
		s.byte()
		if c == '\\' {
			c = s.byte()
		}
		if !s.part(c) {
			return false, false
		}
		s.text = strings.TrimLeft(s.text, "IM")
		return true, true
	}
	return false, true
}

// part reads up to a delimiter.
func (s *sedScript) part(delimiter byte) bool {
	if delimiter == 0 || delimiter >= utf8.RuneSelf || strings.IndexByte("\n\\[]", delimiter) >= 0 {
		return false
	}
	body, rest, ok := delimited(s.text, delimiter)
	s.text = rest
	return ok && closed(body)
}

// command reads what follows the letter of a command.
func (s *sedScript) command(c byte) bool {
	switch c {
	case '=', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', 'F':
		return true
	case 'q', 'Q', 'l', 'L':
		s.blanks("")
		s.number()
		return true
	case ':', 'b', 't', 'T':
		return s.label(c)
	case 'a', 'i', 'c':
		return s.insert()
	case 'y':
		d := s.byte()
		from := s.part(d)
		return from && s.part(d)
	case 's':
		return s.substitute()
	case 'r', 'R', 'w', 'W':
		return s.file(c == 'w' || c == 'W')
	case 'e':
		line := s.rest()
		s.runs, s.input, s.lines = true, s.input || line == "", append(s.lines, line)
		return true
	}
	return false
}

// rest takes the rest of the line.
func (s *sedScript) rest() string {
	s.blanks("")
	line, rest, more := strings.Cut(s.text, "\n")
	s.text = rest
	if more {
		s.text = "\n" + rest
	}
	return line
}

// file takes the name of a file, which ends with the line.
func (s *sedScript) file(write bool) bool {
	name := s.rest()
	s.files = append(s.files, file{arg: word(name), write: write})
	return name != ""
}

// label reads a label of letters and digits, about whose end all seds agree.
func (s *sedScript) label(c byte) bool {
	s.blanks("")
	rest := strings.TrimLeft(s.text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
	found := len(rest) < len(s.text)
	s.text = rest
	return found || c != ':'
}

// insert reads the text of a, i or c: a line on its own, or the line after a
// backslash. Other backslashes are read in different ways.
func (s *sedScript) insert() bool {
	s.blanks("")
	s.text = strings.TrimPrefix(s.text, "\\\n")
	line := s.rest()
	return line != "" && !strings.Contains(line, `\`)
}

func (s *sedScript) substitute() bool {
	d := s.byte()
	if !s.part(d) {
		return false
	}
	replacement, rest, ok := delimited(s.text, d)
	if !ok {
		return false
	}
	s.text = strings.TrimLeft(rest, "gpIiMm0123456789e")
	if strings.Contains(rest[:len(rest)-len(s.text)], "e") {
		s.runs, s.input, s.lines = true, true, append(s.lines, replacement)
	}
	if s.peek() == 'w' {
		s.byte()
		return s.file(true)
	}
	return true
}

// maxGuesses is how many files a script may perhaps name.
const maxGuesses = 50

// guess notes what a script that is not understood may do: the files behind each
// letter that may be a command or a flag, and whether one runs something.
func (s *sedScript) guess(script string) {
	for i := 0; i < len(script); i++ {
		if strings.IndexByte("erRwW", script[i]) < 0 || !sedEnds(script[:i]) {
			continue
		}
		name, _, _ := strings.Cut(script[i+1:], "\n")
		name = strings.Trim(name, " \t")
		switch {
		case len(s.files) >= maxGuesses:
			s.runs, s.input = true, true
			return
		case script[i] == 'e':
			s.runs = true
			s.input = s.input || name == "" || strings.IndexByte(";}#wgpIiMm0123456789", name[0]) >= 0
		case name != "":
			write := lower(script[i]) == 'w'
			s.files = append(s.files, file{arg: word(name), write: write, maybe: !write})
		}
	}
}

// sedEnds reports whether a command may begin, or the flags of s may go on, behind a
// text: after a blank, a number, a mark, or flags behind one.
func sedEnds(text string) bool {
	text = strings.TrimRight(text, "gpIiMm0123456789")
	c := text[max(len(text)-1, 0):]
	return c == "" || !isName(c)
}
