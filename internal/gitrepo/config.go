package gitrepo

import (
	"errors"
	"strings"
)

// An entry is one line of a configuration file of git.
type entry struct {
	key       string // "section.name" or "section.sub.name"; section and name in lower case
	value     string
	valueless bool // the name has no "=" and no value, which means true
}

// parts splits the key. three says that there is a subsection, which may be empty.
func (e entry) parts() (section, sub, name string, three bool) {
	first, last := strings.IndexByte(e.key, '.'), strings.LastIndexByte(e.key, '.')
	if first < 0 {
		return "", "", e.key, false
	}
	if three = first < last; three {
		sub = e.key[first+1 : last]
	}
	return e.key[:first], sub, e.key[last+1:], three
}

var errSyntax = errors.New("it is not a configuration file that git would read")

// A configReader reads the syntax of git-config(1), byte by byte, as git does, so that it
// finds every entry that git finds.
type configReader struct {
	text    string // rest of the text
	ended   bool   // whether next has returned the line break for the end of the text
	section string // current section with its subsection and a dot, such as "a." or "a.b."
	entries []entry
}

// parseConfig returns the entries of a file, without those of included files.
func parseConfig(text string) ([]entry, error) {
	if strings.ContainsRune(text, 0) {
		// Git would read the text up to the zero byte only.
		return nil, errSyntax
	}
	r := configReader{text: strings.TrimPrefix(text, "\ufeff")}
	for !r.ended {
		switch c := r.next(); {
		case isBlank(c):
		case c == '#' || c == ';':
			for c != '\n' {
				c = r.next()
			}
		case c == '[':
			if !r.header() {
				return nil, errSyntax
			}
		case isLetter(c):
			if !r.variable(c) {
				return nil, errSyntax
			}
		default:
			return nil, errSyntax
		}
	}
	return r.entries, nil
}

// next reads a byte. It returns "\n" for every kind of line break, and once for the end of
// the text.
func (r *configReader) next() byte {
	if r.text == "" {
		r.ended = true
		return '\n'
	}
	if strings.HasPrefix(r.text, "\r\n") {
		r.text = r.text[1:]
	}
	c := r.text[0]
	r.text = r.text[1:]
	return c
}

// header reads the rest of "[section]" or `[section "sub"]` after "[".
func (r *configReader) header() bool {
	var name strings.Builder
	for {
		c := r.next()
		switch {
		case r.ended:
			return false
		case c == ']':
			r.section = name.String() + "."
			return true
		case isBlank(c):
			return r.subsection(name.String(), c)
		case !isName(c) && c != '.':
			return false
		}
		name.WriteByte(lower(c))
	}
}

func (r *configReader) subsection(section string, c byte) bool {
	for isBlank(c) {
		if c == '\n' {
			return false
		}
		c = r.next()
	}
	if c != '"' {
		return false
	}
	var name strings.Builder
	for {
		switch c = r.next(); c {
		case '"':
			r.section = section + "." + name.String() + "."
			return r.next() == ']'
		case '\\':
			c = r.next()
		}
		if c == '\n' {
			return false
		}
		name.WriteByte(c)
	}
}

// variable reads the rest of "name" or "name = value" after its first letter.
func (r *configReader) variable(c byte) bool {
	var name strings.Builder
	for isName(c) {
		name.WriteByte(lower(c))
		c = r.next()
	}
	for c == ' ' || c == '\t' {
		c = r.next()
	}
	e := entry{key: r.section + name.String()}
	switch c {
	case '\n':
		e.valueless = true
	case '=':
		value, ok := r.value()
		if !ok {
			return false
		}
		e.value = value
	default:
		return false
	}
	r.entries = append(r.entries, e)
	return true
}

// value reads the text after "=" up to the end of the line.
func (r *configReader) value() (string, bool) {
	var value strings.Builder
	blanks := 0 // unquoted blanks that are written only if a character follows
	quoted, comment := false, false
	for {
		c := r.next()
		switch {
		case c == '\n':
			return value.String(), !quoted
		case comment:
			continue
		case isBlank(c) && !quoted:
			if value.Len() > 0 {
				blanks++
			}
			continue
		case !quoted && (c == '#' || c == ';'):
			comment = true
			continue
		}
		value.WriteString(strings.Repeat(" ", blanks))
		blanks = 0
		switch c {
		case '"':
			quoted = !quoted
		case '\\':
			meant, ok := unescape(r.next())
			if !ok {
				return "", false
			}
			value.WriteString(meant)
		default:
			value.WriteByte(c)
		}
	}
}

// unescape returns the meaning of a byte after a backslash. An escaped line break means
// nothing.
func unescape(c byte) (string, bool) {
	switch c {
	case '\n':
		return "", true
	case 't':
		return "\t", true
	case 'b':
		return "\b", true
	case 'n':
		return "\n", true
	case '\\', '"':
		return string(c), true
	}
	return "", false
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isLetter(c byte) bool { return 'a' <= lower(c) && lower(c) <= 'z' }

// isName reports whether c may occur in the name of a section or entry.
func isName(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' || c == '-' }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
