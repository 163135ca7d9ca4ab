package grep

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// A Query describes a search.
type Query struct {
	Pattern    string
	Fixed      bool // Pattern is a literal text, not a regular expression
	IgnoreCase bool
	// CRLF lets $ match before "\r\n", too, and \n match "\r\n".
	CRLF bool
	// Multiline allows matches that cross line ends.
	Multiline bool
	// DotAll makes . match a line end as well. It requires Multiline.
	DotAll bool
	// ASCII limits classes such as \w and case folding to ASCII, and makes . match any
	// byte.
	ASCII bool

	Before, After int  // lines of context, in the mode Content
	OnlyMatching  bool // a row is a match instead of a line; there is no context
	Mode          Mode
	// MaxColumns is the maximum length of a row's text, in bytes; 0 means no limit.
	MaxColumns int
	// LongLine is the number of characters above which a line is long. The text of its row
	// begins shortly before its first match if that is after the first half of these
	// characters. 0 means that every text begins with its line.
	LongLine int
}

// A Mode determines the result of a search for a file with a match.
type Mode int

// The modes.
const (
	Content Mode = iota // matching lines
	Files               // only that the file has a match
	Count               // number of matching lines; number of matches with OnlyMatching or if matches may cross lines
)

// source returns the pattern in Go's syntax.
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
	source := quote(q.Pattern)
	if q.CRLF {
		source = strings.ReplaceAll(source, "\n", anyLineEnd)
	}
	return source, nil
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

// The expressions for line ends of a Query with CRLF.
const (
	anyLineEnd       = `(?:\n|\r\n)`
	beforeAnyLineEnd = `(?:$|\r$)`
)

// quote returns a regular expression that matches s literally.
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
