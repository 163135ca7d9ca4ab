package grep

import (
	"math"
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// facts are what is known of the matches of an expression. Each is nil if it is
// not known.
type facts struct {
	exact  []literal // they are exactly these
	prefix []literal // each begins with one of these
	best   []literal // each holds one of these
}

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
