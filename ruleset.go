package pegboard

import (
	"path/filepath"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// A ruleset holds the rules of Permissions: deny rules, ask rules, allow rules, each in
// the order given. It never changes. A nil ruleset has no rules.
type ruleset struct {
	rules     []Rule
	callRules []int32        // indices of the rules that name a tool as a whole, or a parameter
	ownRules  []int32        // indices of the deny and ask rules whose pattern is read by the tool's targets
	fileRules []int32        // indices of the deny and ask rules whose pattern may be about files
	index     *pattern.Index // of the patterns of all rules
}

func newRuleset(rules []Rule) *ruleset {
	slices.SortStableFunc(rules, func(a, b Rule) int { return int(b.Behavior - a.Behavior) })
	s := &ruleset{rules: rules}
	for i := range rules {
		if rules[i].Pattern == "" || rules[i].param != nil {
			s.callRules = append(s.callRules, int32(i))
		}
		if r := &rules[i]; r.Pattern != "" && r.Behavior != Allow && !pattern.IsShared(r.Tool) {
			s.ownRules = append(s.ownRules, int32(i))
		}
		if r := &rules[i]; r.Behavior != Allow && r.spec.IsAbout(pattern.Path) {
			s.fileRules = append(s.fileRules, int32(i))
		}
	}
	s.index = pattern.NewIndex(len(rules), func(i int) pattern.Spec { return rules[i].spec })
	return s
}

func (s *ruleset) all() []Rule {
	if s == nil {
		return nil
	}
	return s.rules
}

// restrictsFiles reports whether a deny or ask rule has a pattern that may be about files.
func (s *ruleset) restrictsFiles() bool { return s != nil && len(s.fileRules) > 0 }

// placesOfFiles returns the files that deny and ask rules name, the directories that their
// patterns begin with, and the working directories, in which a pattern may be about any name.
// The root of the file system is none of them.
func (s *ruleset) placesOfFiles() (places []string) {
	seen := map[string]bool{}
	add := func(place string) {
		if seen[place] {
			return
		}
		seen[place] = true
		if real := realpath.Resolve(place); real != filepath.Dir(real) {
			places = append(places, real)
		}
	}
	for _, i := range s.fileRules {
		r := &s.rules[i]
		for _, b := range r.bases {
			if place, ok := r.spec.LiteralPrefix(b); ok {
				add(place)
			}
			add(b.Dir)
		}
	}
	return places
}

// A candidateCache holds the rules that may match the first targets of a call, so that
// they are looked up once. Its size is fixed, so that it needs no allocation: later
// targets, of a long command line, are not cached.
type candidateCache struct {
	rules   [40]int32 // indices into the ruleset
	ends    [12]int   // where the rules of each target end
	targets int       // how many targets are cached
}

// free returns the unused part of the cache, empty, to append the next target's rules.
func (c *candidateCache) free() []int32 {
	start := c.start(c.targets)
	return c.rules[start:start]
}

func (c *candidateCache) start(k int) int {
	if k == 0 {
		return 0
	}
	return c.ends[k-1]
}

// store caches the rules of target k if they fit, and returns them.
func (c *candidateCache) store(k int, rules []int32) []int32 {
	start := c.start(c.targets)
	if k == c.targets && k < len(c.ends) && start+len(rules) <= len(c.rules) {
		c.ends[k] = start + copy(c.rules[start:], rules)
		c.targets++
	}
	return rules
}

// of returns the rules of target k, or nil if they are not cached.
func (c *candidateCache) of(k int) []int32 {
	if k >= c.targets {
		return nil
	}
	return c.rules[c.start(k):c.ends[k]]
}
