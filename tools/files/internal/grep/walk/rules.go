package walk

import (
	"strings"
	"unicode/utf8"
)

// A rules value holds the lines of one ignore file. The last line that matches decides.
type rules struct {
	all   []rule
	names map[string][]int  // indexes of rules by the name that they match, in order
	exts  map[string][]int  // indexes of rules by extension, including the dot, in order
	rest  []numberedMatcher // matchers of the other rules, in order
}

// parseRules parses an ignore file. Like ripgrep, it skips invalid lines and stops at a
// line that is not UTF-8. It returns nil if there are no rules.
func parseRules(text string) *rules {
	var s rules
	for line := range strings.Lines(text) {
		if !utf8.ValidString(line) {
			break
		}
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if r, ok, err := parseRule(line); ok && err == nil {
			s.add(r)
		}
	}
	if len(s.all) == 0 {
		return nil
	}
	return &s
}

// add appends a rule.
func (s *rules) add(r rule) {
	if s.names == nil {
		s.names, s.exts = map[string][]int{}, map[string][]int{}
	}
	n := len(s.all)
	s.all = append(s.all, r)
	for _, h := range r.matchers {
		switch {
		case h.byName && h.middle == noMiddle:
			s.names[h.prefix] = append(s.names[h.prefix], n)
		case h.byName && h.middle == middleWithoutSlash && h.prefix == "" && strings.LastIndexByte(h.suffix, '.') == 0:
			s.exts[h.suffix] = append(s.exts[h.suffix], n)
		default:
			s.rest = append(s.rest, numberedMatcher{globMatcher: h, rule: n})
		}
	}
}

// lastMatch returns the index of the last rule that matches a path, or -1. name is the
// last name of the path.
func (s *rules) lastMatch(path, name string, dir bool) int {
	best := s.lastApplicable(s.names[name], -1, dir)
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 && len(s.exts) > 0 {
		best = s.lastApplicable(s.exts[name[dot:]], best, dir)
	}
	for i := len(s.rest) - 1; i >= 0; i-- {
		h := &s.rest[i]
		if h.rule <= best {
			break
		}
		if s.all[h.rule].onlyDir && !dir {
			continue
		}
		of := path
		if h.byName {
			of = name
		}
		if h.matches(of) {
			return h.rule
		}
	}
	return best
}

// lastApplicable returns the last of the given indexes whose rule applies, or best if
// that is greater.
func (s *rules) lastApplicable(numbers []int, best int, dir bool) int {
	for i := len(numbers) - 1; i >= 0 && numbers[i] > best; i-- {
		if dir || !s.all[numbers[i]].onlyDir {
			return numbers[i]
		}
	}
	return best
}

// match returns the effect of the rules on a path.
func (s *rules) match(path, name string, dir bool) ruleMatch {
	switch n := s.lastMatch(path, name, dir); {
	case n < 0:
		return unmatched
	case s.all[n].negated:
		return included
	}
	return ignored
}

// A ruleMatch is the effect of rules on a path.
type ruleMatch byte

const (
	unmatched ruleMatch = iota
	ignored
	included // not ignored by later rules, and found although it is hidden
)

// A numberedMatcher is a matcher of a rule, with the index of the rule.
type numberedMatcher struct {
	globMatcher
	rule int
}
