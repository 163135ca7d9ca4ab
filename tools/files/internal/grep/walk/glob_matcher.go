package walk

import "strings"

// A globMatcher is a glob in the form that is cheapest to match.
type globMatcher struct {
	byName         bool // matches the last name of a path only
	prefix, suffix string
	middle         middleKind
	program        globProgram // used with middleByProgram
}

// A middleKind says what may be between the prefix and the suffix of a globMatcher.
type middleKind byte

const (
	noMiddle           middleKind = iota // nothing; the prefix is the whole glob
	middleWithoutSlash                   // any text without a slash
	middleByProgram                      // text such that the program matches the whole string
)

func newGlobMatcher(tokens []globToken) globMatcher {
	if len(tokens) == 1 && tokens[0].op == opPrefix {
		tokens = []globToken{tokens[0], {op: opStar}} // "**/" alone matches everything
	}
	s := globMatcher{middle: middleByProgram}
	if len(tokens) > 0 && tokens[0].op == opPrefix && !spansNames(tokens[1:]) {
		s.byName, tokens = true, tokens[1:]
	}
	s.program = compile(tokens)
	if n := len(tokens); n > 0 && tokens[0].op == opText {
		s.prefix, tokens = tokens[0].text, tokens[1:]
	}
	if n := len(tokens); n > 0 && tokens[n-1].op == opText {
		s.suffix, tokens = tokens[n-1].text, tokens[:n-1]
	}
	switch {
	case len(tokens) == 0 && s.suffix == "":
		s.middle = noMiddle
	case len(tokens) == 1 && tokens[0].op == opStar:
		s.middle = middleWithoutSlash
	}
	if s.middle != middleByProgram {
		s.program = nil
	}
	return s
}

// matches reports whether the glob matches s: a path, or its last name if byName is
// set.
func (h *globMatcher) matches(s string) bool {
	if len(s) < len(h.prefix)+len(h.suffix) || !strings.HasPrefix(s, h.prefix) || !strings.HasSuffix(s, h.suffix) {
		return false
	}
	switch h.middle {
	case noMiddle:
		return len(s) == len(h.prefix)
	case middleWithoutSlash:
		return h.byName || !strings.Contains(s[len(h.prefix):len(s)-len(h.suffix)], "/")
	}
	return h.program.matches(s)
}

// spansNames reports whether tokens can match a slash.
func spansNames(tokens []globToken) bool {
	for _, t := range tokens {
		switch t.op {
		case opText:
			if strings.Contains(t.text, "/") {
				return true
			}
		case opSet:
			if t.set.has('/') {
				return true
			}
		case opPrefix, opMiddle, opSuffix:
			return true
		case opAlternatives:
			for _, one := range t.alternatives {
				if spansNames(one) {
					return true
				}
			}
		}
	}
	return false
}
