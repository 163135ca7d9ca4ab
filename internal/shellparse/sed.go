package shellparse

import (
	"strings"
	"unicode/utf8"
)

// sedReads reports whether a script of sed does nothing but read its input and
// print. It knows the commands of POSIX and GNU sed 4.9 but those that run
// something or name a file, and refuses what seds read in different ways.
func sedReads(script string) bool {
	s := sedScript{script}
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

// A sedScript is what is left to read of a script.
type sedScript struct{ text string }

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
	}
	return false
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
	if text, ok := strings.CutPrefix(s.text, "\\\n"); ok {
		s.text = text
	}
	line, rest, more := strings.Cut(s.text, "\n")
	s.text = rest
	if more {
		s.text = "\n" + rest
	}
	return line != "" && !strings.Contains(line, `\`)
}

func (s *sedScript) substitute() bool {
	d := s.byte()
	if !s.part(d) {
		return false
	}
	_, rest, ok := delimited(s.text, d)
	if !ok {
		return false
	}
	s.text = strings.TrimLeft(rest, "gpIiMm0123456789")
	return true
}
