package walk

import (
	"strings"
	"unicode"
)

// A rule is one line of an ignore file, or one of Options.Globs.
type rule struct {
	negated  bool // it began with "!"
	onlyDir  bool // it ended with "/"
	matchers []globMatcher
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
		r.matchers = append(r.matchers, newGlobMatcher(tokens))
	}
	return r, true, nil
}

// maxExpanded is how many globs one with braces is written out as.
const maxExpanded = 16

// expand writes out braces if that is not too much. It joins neighbouring text.
func expand(tokens []globToken) [][]globToken {
	all := [][]globToken{nil}
	for _, t := range tokens {
		either := [][]globToken{{t}}
		if some := withoutEmpty(t.alternatives); len(some) > 0 {
			either = some
		}
		if len(all)*len(either) > maxExpanded {
			return [][]globToken{join(tokens)}
		}
		var longer [][]globToken
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

func withoutEmpty(either [][]globToken) [][]globToken {
	var some [][]globToken
	for _, one := range either {
		if len(one) > 0 {
			some = append(some, one)
		}
	}
	return some
}

// join makes one token of text that stands together.
func join(tokens []globToken) []globToken {
	var joined []globToken
	for _, t := range tokens {
		if last := len(joined) - 1; t.op == opText && last >= 0 && joined[last].op == opText {
			joined[last].text += t.text
			continue
		}
		joined = append(joined, t)
	}
	return joined
}
