package shellparse

import (
	"strings"
	"unicode/utf8"
)

// sedSpec is for sed. Without -i it only reads, if its script does.
var sedSpec = commandSpec{
	source: "GNU sed 4.9 manual, command-line options", operands: otherOperands, hasUnsafeFlags: true,
	flags: "-n -e= -E -f< -r -s -u -z -b -l= -i? --quiet --silent --expression= --file< --regexp-extended --separate --unbuffered" +
		" --null-data --binary --line-length= --posix --debug --sandbox --in-place?" + gnuFlags,
	post: sedEffect,
}

func sedEffect(p parsedArgs, e *effect) {
	scripts, operands := p.flagValues("-e", "--expression"), p.operands
	if strings.HasPrefix(p.reason, "the flag ") { // may be an abbreviation of --expression
		e.noWildcards, e.lineUnknown = true, "the script of sed is not known"
	}
	if p.hasFlag("-f", "--file") {
		e.worsen(Unknown, "the script of sed stands in a file")
		e.noWildcards = true
	} else if len(scripts) == 0 {
		if len(operands) == 0 {
			e.worsen(Unknown, "sed has no script")
			return
		}
		scripts, operands = operands[:1], operands[1:]
	}
	var lines []string
	for _, s := range scripts {
		if !s.isLiteral() {
			e.worsen(Unknown, "the script of sed is not known")
			e.noWildcards = true
		}
		lines = append(lines, s.value)
	}
	script := strings.Join(lines, "\n")
	e.addSedScript(script)
	if !p.hasFlag("-i", "--in-place") {
		e.addRead(operands...)
		return
	}
	e.worsen(Mutating, "sed -i changes files")
	e.editsOnly = true
	e.addWrite(operands...)
	for _, suffix := range p.flagValues("-i", "--in-place") {
		e.addBackups(operands, suffix.value)
	}
	if script == "" {
		e.worsen(Unknown, "not all seds take the empty word for the script")
	}
}

// addSedScript adds the effects of a sed script other than editing. No wildcard covers
// a script that may run something.
func (e *effect) addSedScript(text string) {
	s := sedScript{text: text}
	if !s.read() {
		s.guessEffects(text)
		e.worsen(Unknown, "the script of sed is not understood")
	}
	if s.runs || len(s.files) > 0 {
		e.worsen(Unknown, "the script of sed does more than edit text")
	}
	e.noWildcards = e.noWildcards || s.runs
	for _, line := range s.scripts {
		e.addScript(line)
	}
	if s.runsInput {
		e.lineUnknown = "sed runs what it reads"
	}
	e.files = append(e.files, s.files...)
}

// addBackups adds the files in which sed keeps the old text.
func (e *effect) addBackups(files []arg, suffix string) {
	switch {
	case suffix == "":
	case strings.ContainsAny(suffix, "*/"):
		e.worsen(Unknown, "the backup of sed gets a name that is not known")
	default:
		for _, a := range files {
			e.addWrite(a.withSuffix(suffix))
		}
	}
}

// A sedScript is the unread rest of a script, and the effects other than editing that
// were found so far.
type sedScript struct {
	text      string
	files     []file
	runs      bool
	scripts   []string // texts that sed runs
	runsInput bool     // sed runs text from its input
}

// read reads the whole script. It understands the commands of POSIX and GNU sed 4.9.
func (s *sedScript) read() bool {
	depth := 0
	for {
		s.skipBlanks("\n;")
		if s.text == "" {
			return depth == 0
		}
		if !s.addresses() {
			return false
		}
		switch c := s.next(); c {
		case '{':
			depth++
			continue
		case '}':
			depth--
			if depth < 0 {
				return false
			}
		case '#':
			s.skipLine()
			continue
		default:
			if !s.command(c) {
				return false
			}
		}
		if !s.atCommandEnd() {
			return false
		}
	}
}

func (s *sedScript) next() byte {
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

// skipBlanks skips blanks and the bytes in more.
func (s *sedScript) skipBlanks(more string) { s.text = strings.TrimLeft(s.text, " \t"+more) }

func (s *sedScript) skipLine() string {
	line, rest, _ := strings.Cut(s.text, "\n")
	s.text = rest
	return line
}

func (s *sedScript) skipNumber() string {
	rest := strings.TrimLeft(s.text, "0123456789")
	digits := s.text[:len(s.text)-len(rest)]
	s.text = rest
	return digits
}

// atCommandEnd reports whether a command ends here.
func (s *sedScript) atCommandEnd() bool {
	s.skipBlanks("")
	return s.text == "" || strings.IndexByte("\n;}#", s.peek()) >= 0
}

// addresses reads "1", "1,/x/", "0~3!" and the like, if there are any.
func (s *sedScript) addresses() bool {
	found, ok := s.address()
	if !ok {
		return false
	}
	s.skipBlanks("")
	if found && s.peek() == ',' {
		s.next()
		s.skipBlanks("")
		switch s.peek() {
		case '+', '~':
			s.next()
			ok = s.skipNumber() != ""
		default:
			found, ok = s.address()
			ok = ok && found
		}
		if !ok {
			return false
		}
		s.skipBlanks("")
	}
	for s.peek() == '!' {
		s.next()
		s.skipBlanks("")
	}
	return true
}

// address reads one address, if there is one.
func (s *sedScript) address() (found, ok bool) {
	switch c := s.peek(); {
	case '0' <= c && c <= '9':
		s.skipNumber()
		s.skipBlanks("")
		if s.peek() == '~' {
			s.next()
			return true, s.skipNumber() != ""
		}
		return true, true
	case c == '$':
		s.next()
		return true, true
	case c == '/' || c == '\\':
		s.next()
		if c == '\\' {
			c = s.next()
		}
		if !s.delimitedPart(c) {
			return false, false
		}
		s.text = strings.TrimLeft(s.text, "IM")
		return true, true
	}
	return false, true
}

// delimitedPart reads up to a delimiter.
func (s *sedScript) delimitedPart(delimiter byte) bool {
	if delimiter == 0 || delimiter >= utf8.RuneSelf || strings.IndexByte("\n\\[]", delimiter) >= 0 {
		return false
	}
	body, rest, ok := cutDelimited(s.text, delimiter)
	s.text = rest
	return ok && bracketsClosed(body)
}

// command reads the rest of a command after its letter.
func (s *sedScript) command(c byte) bool {
	switch c {
	case '=', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', 'F':
		return true
	case 'q', 'Q', 'l', 'L':
		s.skipBlanks("")
		s.skipNumber()
		return true
	case ':', 'b', 't', 'T':
		return s.label(c)
	case 'a', 'i', 'c':
		return s.insertedText()
	case 'y':
		d := s.next()
		from := s.delimitedPart(d)
		return from && s.delimitedPart(d)
	case 's':
		return s.substitute()
	case 'r', 'R', 'w', 'W':
		return s.addFile(c == 'w' || c == 'W')
	case 'e':
		line := s.takeLine()
		s.runs, s.runsInput, s.scripts = true, s.runsInput || line == "", append(s.scripts, line)
		return true
	}
	return false
}

// takeLine reads the rest of the line.
func (s *sedScript) takeLine() string {
	s.skipBlanks("")
	line, rest, more := strings.Cut(s.text, "\n")
	s.text = rest
	if more {
		s.text = "\n" + rest
	}
	return line
}

// addFile reads the name of a file, which extends to the end of the line.
func (s *sedScript) addFile(write bool) bool {
	name := s.takeLine()
	s.files = append(s.files, file{arg: literalArg(name), write: write})
	return name != ""
}

// label reads a label of letters and digits, about whose end all seds agree.
func (s *sedScript) label(c byte) bool {
	s.skipBlanks("")
	rest := strings.TrimLeft(s.text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
	found := len(rest) < len(s.text)
	s.text = rest
	return found || c != ':'
}

// insertedText reads the text of a, i or c: the rest of the line, or the line after a
// backslash. Text with other backslashes is refused, because seds disagree about them.
func (s *sedScript) insertedText() bool {
	s.skipBlanks("")
	s.text = strings.TrimPrefix(s.text, "\\\n")
	line := s.takeLine()
	return line != "" && !strings.Contains(line, `\`)
}

func (s *sedScript) substitute() bool {
	d := s.next()
	if !s.delimitedPart(d) {
		return false
	}
	replacement, rest, ok := cutDelimited(s.text, d)
	if !ok {
		return false
	}
	s.text = strings.TrimLeft(rest, "gpIiMm0123456789e")
	if strings.Contains(rest[:len(rest)-len(s.text)], "e") {
		s.runs, s.runsInput, s.scripts = true, true, append(s.scripts, replacement)
	}
	if s.peek() == 'w' {
		s.next()
		return s.addFile(true)
	}
	return true
}

// maxSedFiles limits the files that guessEffects finds.
const maxSedFiles = 50

// guessEffects records possible effects of a script that is not understood: the files
// after each letter that may be a command or a flag, and whether one of these runs
// something.
func (s *sedScript) guessEffects(script string) {
	for i := 0; i < len(script); i++ {
		if strings.IndexByte("erRwW", script[i]) < 0 || !mayEndSedCommand(script[:i]) {
			continue
		}
		name, _, _ := strings.Cut(script[i+1:], "\n")
		name = strings.Trim(name, " \t")
		switch {
		case len(s.files) >= maxSedFiles:
			s.runs, s.runsInput = true, true
			return
		case script[i] == 'e':
			s.runs = true
			s.runsInput = s.runsInput || name == "" || strings.IndexByte(";}#wgpIiMm0123456789", name[0]) >= 0
		case name != "":
			write := lowerByte(script[i]) == 'w'
			s.files = append(s.files, file{arg: literalArg(name), write: write, guess: !write})
		}
	}
}

// mayEndSedCommand reports whether a command or further flags of s may follow text: it
// ends in a blank, a number, punctuation, or flags after punctuation.
func mayEndSedCommand(text string) bool {
	text = strings.TrimRight(text, "gpIiMm0123456789")
	c := text[max(len(text)-1, 0):]
	return c == "" || !isName(c)
}
