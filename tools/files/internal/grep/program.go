package grep

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// A Program is a compiled Query. It may be used concurrently.
type Program struct {
	query         Query
	prog          *syntax.Prog
	hasAssertions bool    // the expression has ^, $, \b or the like, which look at adjacent characters
	needle        *needle // literals that every match contains; nil if none are known
	wholeFile     bool    // a file is searched as a whole instead of line by line
}

// The limits of a pattern.
const (
	maxPattern      = 64 << 10 // bytes
	maxInstructions = 20_000   // of the compiled program, in which repetitions are unrolled
)

// Compile compiles q. The error is a *SyntaxError.
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
		return nil, parserError(q.Pattern, err)
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return nil, parserError(q.Pattern, err)
	}
	if len(prog.Inst) > maxInstructions {
		return nil, &SyntaxError{Construct: q.Pattern, Reason: tooLarge}
	}
	p := &Program{query: q, prog: prog, needle: newNeedle(re, q.Multiline)}
	for i := range prog.Inst {
		in := &prog.Inst[i]
		switch in.Op {
		case syntax.InstEmptyWidth:
			p.hasAssertions = true
			// The text that begins or ends is the file with Multiline, and a line without.
			p.wholeFile = p.wholeFile || q.Multiline && syntax.EmptyOp(in.Arg)&(syntax.EmptyBeginText|syntax.EmptyEndText) != 0
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny:
			p.wholeFile = p.wholeFile || q.Multiline && in.MatchRune('\n')
		}
	}
	return p, nil
}

// A SyntaxError says why a pattern cannot be used. Its text is for the author of the
// pattern, such as the model.
type SyntaxError struct {
	Offset    int    // of Construct in the pattern, in bytes
	Column    int    // of Construct, in characters and counted from 1; 0 for the whole pattern
	Construct string // part of the pattern that cannot be used
	Reason    string // the mistake, and the construct to write instead
}

// Error returns the construct, its position and the reason.
func (e *SyntaxError) Error() string {
	if e.Column == 0 {
		return fmt.Sprintf("the pattern cannot be used: %s", e.Reason)
	}
	return fmt.Sprintf("the pattern cannot be used: %q at character %d: %s", e.Construct, e.Column, e.Reason)
}

// newSyntaxError returns an error about the pattern between two offsets.
func newSyntaxError(pattern string, from, to int, reason string) error {
	from = min(from, len(pattern))
	to = min(max(to, from), len(pattern))
	return &SyntaxError{Offset: from, Column: utf8.RuneCountInString(pattern[:from]) + 1, Construct: pattern[from:to], Reason: reason}
}

const tooLarge = "it is too large once its repetitions are written out; use smaller ones, or * and +"

const newlineAdvice = "the end of a line is not matched by a search line by line; search with multiline, or match what is on one line"

// parserError converts an error of Go's parser, which reads the translated pattern.
func parserError(pattern string, err error) error {
	var se *syntax.Error
	if !errors.As(err, &se) {
		return &SyntaxError{Construct: pattern, Reason: err.Error()}
	}
	reason := se.Code.String()
	switch se.Code {
	case syntax.ErrLarge, syntax.ErrInvalidRepeatSize:
		reason = tooLarge
	case syntax.ErrNestingDepth:
		reason = "it nests too deeply; use fewer groups"
	}
	if i := strings.Index(pattern, se.Expr); i >= 0 && se.Expr != "" && se.Expr != pattern {
		return newSyntaxError(pattern, i, i+len(se.Expr), reason)
	}
	return &SyntaxError{Construct: pattern, Reason: reason}
}
