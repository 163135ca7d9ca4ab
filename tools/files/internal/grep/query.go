package grep

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// Query says what to look for.
type Query struct {
	Pattern    string
	Fixed      bool // Pattern is a text, not an expression
	IgnoreCase bool
	// Multiline lets matches cross the ends of lines.
	Multiline bool
	// DotAll makes a . match the end of a line, too. It needs Multiline.
	DotAll bool
	// ASCII makes classes such as \w, and the folding of case, know ASCII only
	// and a . match any byte.
	ASCII bool

	Before, After int  // lines of context, in the mode Content
	OnlyMatching  bool // a row is a match, not a line; there is no context then
	Mode          Mode
	// MaxColumns is how many bytes of a row are kept; 0 means all.
	MaxColumns int
}

// Mode is what a search returns of a file with a match.
type Mode int

// The modes.
const (
	Content Mode = iota // the lines that match
	Files               // that it has a match
	Count               // how many lines match; matches with OnlyMatching or across lines
)

// source returns the pattern in the syntax of Go.
func (q Query) source() (string, error) {
	if i := strings.IndexFunc(q.Pattern, func(r rune) bool { return r >= utf8.RuneSelf }); q.ASCII && i >= 0 {
		return "", newSyntaxError(q.Pattern, i, i+1, "only ASCII is matched here; leave the character out")
	}
	if !q.Fixed {
		return translate(q)
	}
	if i := strings.IndexByte(q.Pattern, '\n'); i >= 0 && !q.Multiline {
		return "", newSyntaxError(q.Pattern, i, i+1, newlineAdvice)
	}
	if !utf8.ValidString(q.Pattern) {
		return "", newSyntaxError(q.Pattern, 0, len(q.Pattern), "the text is not UTF-8")
	}
	return quote(q.Pattern), nil
}

func (q Query) flags() syntax.Flags {
	f := syntax.ClassNL | syntax.PerlX | syntax.UnicodeGroups
	if q.IgnoreCase {
		f |= syntax.FoldCase
	}
	if q.Multiline && q.DotAll {
		f |= syntax.DotNL
	}
	return f
}

// quote returns an expression that matches s.
func quote(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte(`\.+*?()|[]{}^$`, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
