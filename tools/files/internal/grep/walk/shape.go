package walk

import (
	"strings"
)

// A shape is a glob in the form that is cheapest to match.
type shape struct {
	byName         bool // it is about the last name of a path alone
	prefix, suffix string
	between        between
	program        program // of what stands between
}

// between is what may stand between the prefix and the suffix of a shape.
type between byte

const (
	nothing  between = iota // there is no suffix
	noSlash                 // anything without a slash
	computed                // what a program matches, which is for the whole
)

func shapeOf(tokens []token) shape {
	if len(tokens) == 1 && tokens[0].op == opPrefix {
		tokens = []token{tokens[0], {op: opStar}} // alone it matches everything
	}
	s := shape{between: computed}
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
		s.between = nothing
	case len(tokens) == 1 && tokens[0].op == opStar:
		s.between = noSlash
	}
	if s.between != computed {
		s.program = nil
	}
	return s
}

// matches reports whether s, a path or its last name, has the shape.
func (h *shape) matches(s string) bool {
	if len(s) < len(h.prefix)+len(h.suffix) || !strings.HasPrefix(s, h.prefix) || !strings.HasSuffix(s, h.suffix) {
		return false
	}
	switch h.between {
	case nothing:
		return len(s) == len(h.prefix)
	case noSlash:
		return h.byName || !strings.Contains(s[len(h.prefix):len(s)-len(h.suffix)], "/")
	}
	return h.program.matches(s)
}

// spansNames reports whether tokens can match a slash.
func spansNames(tokens []token) bool {
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
		case opEither:
			for _, one := range t.either {
				if spansNames(one) {
					return true
				}
			}
		}
	}
	return false
}
