package grep

import (
	"math"
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// literalFacts are the known literals of an expression. A field is nil if nothing is
// known.
type literalFacts struct {
	exact  []literal // the matches are exactly these
	prefix []literal // each match begins with one of these
	best   []literal // each match contains one of these
}

func literalsOf(re *syntax.Regexp) literalFacts {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return literalFacts{exact: []literal{{}}}
	case syntax.OpLiteral:
		subs := make([]literalFacts, len(re.Rune))
		for i, r := range re.Rune {
			subs[i] = runeFacts(r, re.Flags&syntax.FoldCase != 0)
		}
		return concatFacts(subs)
	case syntax.OpCharClass:
		return classFacts(re.Rune)
	case syntax.OpCapture:
		return literalsOf(re.Sub[0])
	case syntax.OpPlus:
		return repeatFacts(literalsOf(re.Sub[0]))
	case syntax.OpRepeat:
		f := literalsOf(re.Sub[0])
		if re.Min == 0 {
			return literalFacts{}
		}
		if re.Min == re.Max && re.Max <= 16 {
			subs := make([]literalFacts, re.Min)
			for i := range subs {
				subs[i] = f
			}
			return concatFacts(subs)
		}
		return repeatFacts(f)
	case syntax.OpConcat:
		subs := make([]literalFacts, len(re.Sub))
		for i, sub := range re.Sub {
			subs[i] = literalsOf(sub)
		}
		return concatFacts(subs)
	case syntax.OpAlternate:
		return alternateFacts(re.Sub)
	}
	return literalFacts{}
}

// repeatFacts returns the facts of one or more repetitions of an expression with the
// facts f.
func repeatFacts(f literalFacts) literalFacts {
	if f.exact != nil {
		return literalFacts{prefix: f.exact, best: f.exact}
	}
	return f
}

// runeFacts returns the facts of the character r, in all its cases if fold is set.
func runeFacts(r rune, fold bool) literalFacts {
	text := utf8.AppendRune(nil, r)
	if !fold || unicode.SimpleFold(r) == r {
		return literalFacts{exact: []literal{{text, text}}}
	}
	other := unicode.SimpleFold(r)
	if r < utf8.RuneSelf && other < utf8.RuneSelf && unicode.SimpleFold(other) == r {
		return literalFacts{exact: []literal{{text, []byte{byte(other)}}}}
	}
	return literalFacts{} // more than two cases, or not ASCII: k and the Kelvin sign, s and ſ
}

// classFacts returns the facts of a class with few characters.
func classFacts(ranges []rune) literalFacts {
	var all []rune
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if len(all) == maxLiterals {
				return literalFacts{}
			}
			all = append(all, r)
		}
	}
	if len(all) == 2 && all[1] < utf8.RuneSelf {
		return literalFacts{exact: []literal{{[]byte{byte(all[0])}, []byte{byte(all[1])}}}}
	}
	var f literalFacts
	for _, r := range all {
		text := utf8.AppendRune(nil, r)
		f.exact = append(f.exact, literal{text, text})
	}
	return f
}

func alternateFacts(subs []*syntax.Regexp) literalFacts {
	var sum literalFacts
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
		if sum.exact = unionLiterals(sum.exact, f.exact); !whole {
			sum.exact = nil
		}
		sum.prefix, sum.best = unionLiterals(sum.prefix, f.prefix), unionLiterals(sum.best, f.best)
	}
	return sum
}

// concatFacts returns the facts of a concatenation.
func concatFacts(subs []literalFacts) literalFacts {
	var sum literalFacts
	run := []literal{{}} // exact literals of the last elements
	exact, first := true, true
	flush := func() {
		if first && searchCost(run) < math.Inf(1) {
			sum.prefix = run
		}
		sum.best = cheaper(sum.best, run)
		first = false
	}
	for _, f := range subs {
		if next := crossProduct(run, f.exact); next != nil {
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
		return literalFacts{exact: run}
	}
	sum.best = cheaper(sum.best, run)
	return sum
}
