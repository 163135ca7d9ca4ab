package walk

import (
	"strings"
	"unicode"
)

// A rule is one line of an ignore file, or one of Options.Globs.
type rule struct {
	negated  bool // begins with "!"
	onlyDir  bool // ends with "/", so that it matches directories only
	matchers []globMatcher
}

// parseRule parses a line. It reports false for an empty line or a comment.
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
		line += "/*" // the entries below, not the directory itself
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

// maxExpanded is the maximum number of globs into which the braces of one glob are
// expanded.
const maxExpanded = 16

// expand expands braces, unless there would be more than maxExpanded globs. It joins
// adjacent text.
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

// join joins adjacent text tokens.
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
