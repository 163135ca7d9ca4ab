package walk

import (
	"strings"
	"unicode"
)

// A rule is one line of an ignore file, or one of Options.Globs.
type rule struct {
	negated bool // it began with "!"
	onlyDir bool // it ended with "/"
	shapes  []shape
}

// parseRule reads a line. It reports false if the line says nothing.
func parseRule(line string) (r rule, ok bool, err error) {
	if strings.HasPrefix(line, "#") {
		return rule{}, false, nil
	}
	if !strings.HasSuffix(line, `\ `) {
		line = strings.TrimRightFunc(line, unicode.IsSpace)
	}
	if line == "" {
		return rule{}, false, nil
	}
	anchored := false
	if strings.HasPrefix(line, `\!`) || strings.HasPrefix(line, `\#`) {
		line = line[1:]
	} else {
		line, r.negated = strings.CutPrefix(line, "!")
		line, anchored = strings.CutPrefix(line, "/")
	}
	line, r.onlyDir = strings.CutSuffix(line, "/")
	if !anchored && !strings.Contains(line, "/") && line != "**" {
		line = "**/" + line
	}
	if strings.HasSuffix(line, "/**") {
		line += "/*" // what lies below, not the directory itself
	}
	tokens, err := parseGlob(line)
	if err != nil {
		return rule{}, false, err
	}
	for _, tokens := range expand(tokens) {
		r.shapes = append(r.shapes, shapeOf(tokens))
	}
	return r, true, nil
}

// maxExpanded is how many globs one with braces is written out as.
const maxExpanded = 16

// expand writes out braces if that is not too much. It joins neighbouring text.
func expand(tokens []token) [][]token {
	all := [][]token{nil}
	for _, t := range tokens {
		either := [][]token{{t}}
		if some := withoutEmpty(t.either); len(some) > 0 {
			either = some
		}
		if len(all)*len(either) > maxExpanded {
			return [][]token{join(tokens)}
		}
		var longer [][]token
		for _, before := range all {
			for _, one := range either {
				longer = append(longer, append(before[:len(before):len(before)], one...))
			}
		}
		all = longer
	}
	for i := range all {
		all[i] = join(all[i])
	}
	return all
}

func withoutEmpty(either [][]token) [][]token {
	var some [][]token
	for _, one := range either {
		if len(one) > 0 {
			some = append(some, one)
		}
	}
	return some
}

// join makes one token of text that stands together.
func join(tokens []token) []token {
	var joined []token
	for _, t := range tokens {
		if last := len(joined) - 1; t.op == opText && last >= 0 && joined[last].op == opText {
			joined[last].text += t.text
			continue
		}
		joined = append(joined, t)
	}
	return joined
}

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
