package grep

import (
	"bytes"
	"math"
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// A needle is what a text must hold to match: one of some literals.
type needle struct {
	literals []literal
	prefix   bool // every match begins with one of them
	whole    bool // each of them is a match
}

// A literal is a run of bytes, each of which may be one of two.
type literal struct {
	text  []byte
	other []byte // as long as text, and the same where there is no choice
}

// at reports whether l stands at the beginning of b.
func (l *literal) at(b []byte) bool {
	if len(b) < len(l.text) {
		return false
	}
	for i, c := range l.text {
		if b[i] != c && b[i] != l.other[i] {
			return false
		}
	}
	return true
}

// rarest returns the place in l that is seldom met in a text, and how often.
func (l *literal) rarest() (at int, often float64) {
	often = math.Inf(1)
	for i := range l.text {
		if f := l.often(i); f < often {
			at, often = i, f
		}
	}
	return at, often
}

func (l *literal) often(i int) float64 {
	f := byteOften(l.text[i])
	if l.other[i] != l.text[i] {
		f += byteOften(l.other[i])
	}
	return f
}

// cost estimates how many nanoseconds a byte of text costs if it is searched for
// ls, by how often their bytes are met in source code.
func cost(ls []literal) float64 {
	const perStream, perByte, perCandidate = 0.04, 8, 150
	var sum float64
	for _, l := range ls {
		at, often := l.rarest()
		if len(l.text) == 0 {
			return math.Inf(1)
		}
		found := often
		for i := range l.text {
			if i != at {
				found *= math.Sqrt(l.often(i)) // neighbours depend on each other
			}
		}
		sum += perStream + often*perByte + found*perCandidate
		if l.other[at] != l.text[at] {
			sum += perStream
		}
	}
	return sum
}

// maxCost is what the automaton alone costs a byte.
const maxCost = 1.5

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
	if len(n.literals) == 0 || cost(n.literals) > maxCost {
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
		if bytes.IndexByte(l.text, '\n') < 0 && bytes.IndexByte(l.other, '\n') < 0 {
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

// facts are what is known of the matches of an expression. Each is nil if it is
// not known.
type facts struct {
	exact  []literal // they are exactly these
	prefix []literal // each begins with one of these
	best   []literal // each holds one of these
}

// maxLiterals is how many alternatives are searched for at once.
const maxLiterals = 8

func literalsOf(re *syntax.Regexp) facts {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return facts{exact: []literal{{}}}
	case syntax.OpLiteral:
		subs := make([]facts, len(re.Rune))
		for i, r := range re.Rune {
			subs[i] = ofRune(r, re.Flags&syntax.FoldCase != 0)
		}
		return concat(subs)
	case syntax.OpCharClass:
		return ofClass(re.Rune)
	case syntax.OpCapture:
		return literalsOf(re.Sub[0])
	case syntax.OpPlus:
		return repeatedFacts(literalsOf(re.Sub[0]))
	case syntax.OpRepeat:
		f := literalsOf(re.Sub[0])
		if re.Min == 0 {
			return facts{}
		}
		if re.Min == re.Max && re.Max <= 16 {
			subs := make([]facts, re.Min)
			for i := range subs {
				subs[i] = f
			}
			return concat(subs)
		}
		return repeatedFacts(f)
	case syntax.OpConcat:
		subs := make([]facts, len(re.Sub))
		for i, sub := range re.Sub {
			subs[i] = literalsOf(sub)
		}
		return concat(subs)
	case syntax.OpAlternate:
		return alternate(re.Sub)
	}
	return facts{}
}

// repeatedFacts is what is known of one or more of what f is known of.
func repeatedFacts(f facts) facts {
	if f.exact != nil {
		return facts{prefix: f.exact, best: f.exact}
	}
	return f
}

// ofRune returns the literal r, in all its cases if fold is set.
func ofRune(r rune, fold bool) facts {
	text := utf8.AppendRune(nil, r)
	if !fold || unicode.SimpleFold(r) == r {
		return facts{exact: []literal{{text, text}}}
	}
	other := unicode.SimpleFold(r)
	if r < utf8.RuneSelf && other < utf8.RuneSelf && unicode.SimpleFold(other) == r {
		return facts{exact: []literal{{text, []byte{byte(other)}}}}
	}
	return facts{} // K and ſ are a k and an s to some
}

// ofClass returns the few characters that are in a class.
func ofClass(ranges []rune) facts {
	var all []rune
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if len(all) == maxLiterals {
				return facts{}
			}
			all = append(all, r)
		}
	}
	if len(all) == 2 && all[1] < utf8.RuneSelf {
		return facts{exact: []literal{{[]byte{byte(all[0])}, []byte{byte(all[1])}}}}
	}
	var f facts
	for _, r := range all {
		text := utf8.AppendRune(nil, r)
		f.exact = append(f.exact, literal{text, text})
	}
	return f
}

func alternate(subs []*syntax.Regexp) facts {
	var sum facts
	for i, sub := range subs {
		f := literalsOf(sub)
		whole := f.exact != nil
		if whole {
			f.prefix, f.best = f.exact, f.exact
		}
		if i == 0 {
			sum = f
			continue
		}
		if sum.exact = union(sum.exact, f.exact); !whole {
			sum.exact = nil
		}
		sum.prefix, sum.best = union(sum.prefix, f.prefix), union(sum.best, f.best)
	}
	return sum
}

// union returns what is in a or b, nil if it is too much or one is not known.
func union(a, b []literal) []literal {
	if a == nil || b == nil || len(a)+len(b) > maxLiterals {
		return nil
	}
	return append(a[:len(a):len(a)], b...)
}

// concat returns what is known of subs one after the other.
func concat(subs []facts) facts {
	var sum facts
	run := []literal{{}} // what the last of them are exactly
	exact, first := true, true
	flush := func() {
		if first && cost(run) < math.Inf(1) {
			sum.prefix = run
		}
		sum.best = cheaper(sum.best, run)
		first = false
	}
	for _, f := range subs {
		if next := product(run, f.exact); next != nil {
			run = next
			continue
		}
		empty := len(run) == 1 && len(run[0].text) == 0
		begins := first && empty
		flush()
		exact = false
		if f.exact != nil {
			run = f.exact
			continue
		}
		if begins {
			sum.prefix = f.prefix
		}
		sum.best = cheaper(sum.best, f.best)
		run = []literal{{}}
	}
	if exact {
		return facts{exact: run}
	}
	sum.best = cheaper(sum.best, run)
	return sum
}

func cheaper(a, b []literal) []literal {
	if len(b) == 0 || math.IsInf(cost(b), 1) || len(a) > 0 && cost(a) <= cost(b) {
		return a
	}
	return b
}

// product returns each of a followed by each of b, nil if it is too much.
func product(a, b []literal) []literal {
	if b == nil || len(a)*len(b) > maxLiterals {
		return nil
	}
	var all []literal
	for _, x := range a {
		for _, y := range b {
			all = append(all, literal{
				text:  append(x.text[:len(x.text):len(x.text)], y.text...),
				other: append(x.other[:len(x.other):len(x.other)], y.other...),
			})
		}
	}
	return all
}
