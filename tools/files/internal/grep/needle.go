package grep

import (
	"bytes"
	"regexp/syntax"
)

// A needle is a set of literals of which every match contains at least one.
type needle struct {
	literals []literal
	prefix   bool // every match begins with one of the literals
	whole    bool // each literal is a match
}

// maxNeedleCost is the cost of the automaton alone, in nanoseconds per byte.
const maxNeedleCost = 1.5

// newNeedle returns the cheapest needle of re, or nil if no needle is worth its cost.
// If matches may cross lines it prefers literals with which matches begin.
func newNeedle(re *syntax.Regexp, across bool) *needle {
	f := literalsOf(re)
	if f.exact != nil {
		f.prefix, f.best = f.exact, f.exact
	}
	n := &needle{literals: f.best, whole: f.exact != nil}
	if across && f.prefix != nil {
		n.literals, n.prefix = f.prefix, true
	}
	if !across {
		n.literals = withoutNewline(n.literals)
	}
	if len(n.literals) == 0 || searchCost(n.literals) > maxNeedleCost {
		return nil
	}
	if hasAssertion(re) {
		n.whole = false
	}
	return n
}

// withoutNewline drops the literals that contain a line feed, which no line does.
func withoutNewline(ls []literal) []literal {
	var kept []literal
	for _, l := range ls {
		if bytes.IndexByte(l.text, '\n') < 0 && bytes.IndexByte(l.alternate, '\n') < 0 {
			kept = append(kept, l)
		}
	}
	return kept
}

func hasAssertion(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	}
	for _, sub := range re.Sub {
		if hasAssertion(sub) {
			return true
		}
	}
	return false
}
