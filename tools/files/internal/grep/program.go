package grep

import "regexp/syntax"

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
