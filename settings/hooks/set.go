package hooks

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard/policy"
)

// maxMatches limits how many names, and handlers that match them, a Set remembers for one
// event.
const maxMatches = 16 << 10

// A Set holds the hooks of one or more files in the order in which they stand there. The zero
// value has none. A Set does not change, so goroutines may use it at the same time.
type Set struct {
	events []*handlers
	named  map[string]*handlers // the same by their events
}

// handlers are those of one event.
type handlers struct {
	event string
	all   []Handler

	matches sync.Map     // from names to the []Handler that match
	count   atomic.Int64 // of the names and handlers in matches
}

// newSet returns a set of handlers, each once.
func newSet(all []Handler) Set {
	s := Set{named: map[string]*handlers{}}
	type key struct{ event, matcher, identity string }
	seen := map[key]bool{}
	for _, h := range all {
		k := key{h.Event, h.Matcher, h.conditional()}
		if seen[k] {
			continue
		}
		seen[k] = true
		of := s.of(h.Event)
		if of == nil {
			of = &handlers{event: h.Event}
			s.events, s.named[h.Event] = append(s.events, of), of
		}
		of.all = append(of.all, h)
	}
	return s
}

// Join returns a set with the handlers of all sets in their order. A handler that stands in
// several files, under the same event and matcher, is kept once: the first one.
func Join(sets ...Set) Set {
	var all []Handler
	for _, s := range sets {
		for _, of := range s.events {
			all = append(all, of.all...)
		}
	}
	return newSet(all)
}

// WithRules returns a copy of the set in which the rules that respell returns replace the rule of
// each If: the same rule as it is spelled in a session, where a relative path may mean something
// else than in the file. A handler runs if one of the rules concerns the
// call. With no rule it never runs.
func (s Set) WithRules(respell func(h Handler, r policy.Rule) []policy.Rule) Set {
	var all []Handler
	for _, of := range s.events {
		for _, h := range of.all {
			if h.If != "" {
				rules := make([]policy.Rule, 0, len(h.rules))
				for _, r := range h.rules {
					rules = append(rules, respell(h, r)...)
				}
				h.rules = rules
			}
			all = append(all, h)
		}
	}
	return newSet(all)
}

func (s Set) of(event string) *handlers { return s.named[event] }

// Events returns the events that have handlers, in the order of their first ones.
func (s Set) Events() []string {
	var names []string
	for _, of := range s.events {
		names = append(names, of.event)
	}
	return names
}

// Handlers returns the handlers of an event in their order.
func (s Set) Handlers(event string) []Handler {
	if of := s.of(event); of != nil {
		return slices.Clone(of.all)
	}
	return nil
}

// Match returns the handlers of an event whose matcher matches one of the values, see
// [Handler.Matches], in their order. Of handlers that do the same under several matchers and
// have the same If it returns the first. The rules of If are not looked at.
//
// The set remembers the result for some values, so that most calls match no expression. The
// slice must not be changed.
func (s Set) Match(event string, values ...string) []Handler {
	of := s.of(event)
	if of == nil {
		return nil
	}
	key := ""
	if len(values) == 1 {
		key = values[0]
	} else if len(values) > 1 {
		key = strings.Join(values, "\x00")
	}
	if known, ok := of.matches.Load(key); ok {
		return known.([]Handler) //nolint:errcheck,forcetypeassert // nothing else is stored
	}
	matched := of.matching(values)
	size := int64(1 + len(matched))
	if of.count.Add(size) > maxMatches {
		of.matches.Clear()
		of.count.Store(size)
	}
	of.matches.Store(strings.Clone(key), matched)
	return matched
}

// matching returns the handlers that match, without those that do the same as an earlier one.
func (of *handlers) matching(values []string) []Handler {
	var matched []Handler
	seen := map[string]bool{}
	for _, h := range of.all {
		if h.Matches(values...) && !seen[h.conditional()] {
			seen[h.conditional()] = true
			matched = append(matched, h)
		}
	}
	return matched
}
