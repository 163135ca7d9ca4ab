// Package grep searches files for a regular expression, as ripgrep does: the
// syntax of patterns, what a line is, what is binary and which files of a
// directory are searched follow it. It knows nothing of permissions.
//
// A pattern is compiled once. Most of a text is passed by looking for bytes that
// every match must hold; only lines that hold them are run through an automaton
// that says whether there is a match, and only where it matters where exactly
// the match is, a slower machine finds out.
package grep

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// Mode is what a search returns of a file with a match.
type Mode int

// The modes.
const (
	Content Mode = iota // the lines that match
	Files               // that it has a match
	Count               // how many lines match; matches with OnlyMatching or across lines
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

// A Program is a compiled Query. It may be used by several goroutines.
type Program struct {
	q       Query
	prog    *syntax.Prog
	asserts bool    // the expression looks at what is beside a match
	needle  *needle // what every match holds; nil if nothing is known
	across  bool    // files are searched as a whole, not line by line
}

// Limits of a pattern.
const (
	maxPattern      = 64 << 10 // bytes
	maxInstructions = 20_000   // once its repetitions are written out
)

// Compile returns q compiled. The error is a *SyntaxError.
func Compile(q Query) (*Program, error) {
	if len(q.Pattern) > maxPattern {
		return nil, &SyntaxError{Construct: q.Pattern[:20] + "…", Reason: "the pattern is longer than 64 KiB; search for a part of it"}
	}
	if q.OnlyMatching || q.Mode != Content {
		q.Before, q.After = 0, 0
	}
	q.Before, q.After = max(0, q.Before), max(0, q.After)
	source, err := q.source()
	if err != nil {
		return nil, err
	}
	re, err := syntax.Parse(source, q.flags())
	if err != nil {
		return nil, foreign(q.Pattern, err)
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return nil, foreign(q.Pattern, err)
	}
	if len(prog.Inst) > maxInstructions {
		return nil, &SyntaxError{Construct: q.Pattern, Reason: tooLarge}
	}
	p := &Program{q: q, prog: prog, needle: newNeedle(re, q.Multiline)}
	for i := range prog.Inst {
		in := &prog.Inst[i]
		switch in.Op {
		case syntax.InstEmptyWidth:
			p.asserts = true
			// Whether a text begins or ends depends on what it is: the file or a line.
			p.across = p.across || q.Multiline && syntax.EmptyOp(in.Arg)&(syntax.EmptyBeginText|syntax.EmptyEndText) != 0
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny:
			p.across = p.across || q.Multiline && in.MatchRune('\n')
		}
	}
	return p, nil
}

// source returns the pattern in the syntax of Go.
func (q Query) source() (string, error) {
	if i := strings.IndexFunc(q.Pattern, func(r rune) bool { return r >= utf8.RuneSelf }); q.ASCII && i >= 0 {
		return "", newError(q.Pattern, i, i+1, "only ASCII is matched here; leave the character out")
	}
	if !q.Fixed {
		return translate(q)
	}
	if i := strings.IndexByte(q.Pattern, '\n'); i >= 0 && !q.Multiline {
		return "", newError(q.Pattern, i, i+1, newlineAdvice)
	}
	if !utf8.ValidString(q.Pattern) {
		return "", newError(q.Pattern, 0, len(q.Pattern), "the text is not UTF-8")
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
