package grep

import "regexp/syntax"

// A Program is a compiled Query. It may be used by several goroutines.
type Program struct {
	query         Query
	prog          *syntax.Prog
	hasAssertions bool    // the expression looks at what is beside a match
	needle        *needle // what every match holds; nil if nothing is known
	wholeFile     bool    // files are searched as a whole, not line by line
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
			// Whether a text begins or ends depends on what it is: the file or a line.
			p.wholeFile = p.wholeFile || q.Multiline && syntax.EmptyOp(in.Arg)&(syntax.EmptyBeginText|syntax.EmptyEndText) != 0
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny:
			p.wholeFile = p.wholeFile || q.Multiline && in.MatchRune('\n')
		}
	}
	return p, nil
}
