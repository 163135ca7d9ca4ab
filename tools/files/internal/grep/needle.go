package grep

import (
	"bytes"
	"regexp/syntax"
)

// A needle is what a text must hold to match: one of some literals.
type needle struct {
	literals []literal
	prefix   bool // every match begins with one of them
	whole    bool // each of them is a match
}

// maxNeedleCost is what the automaton alone costs a byte.
const maxNeedleCost = 1.5

// newNeedle returns the cheapest needle of re, nil if there is none worth it. A
// search that crosses lines likes one that matches begin with.
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

// withoutNewline leaves out what no line holds.
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
