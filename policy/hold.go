package policy

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard/internal/plain"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// A hold is what a call keeps after it was answered, since what its tool has started goes
// on: the paths that it was decided on, and those whose names it may still move.
type hold struct {
	what    string   // goes on
	targets []Target // resolved
}

// Holds are what calls keep after they were answered, since what their tools have started goes on. The
// zero value has none. All methods may be called concurrently.
type Holds struct {
	all atomic.Pointer[[]*hold] // never written to; nil if there are none
}

// Add keeps resolved targets until release is called, which may be more than once. What says what
// goes on, such as its id and its command.
func (hs *Holds) Add(what string, targets []Target) (release func()) {
	h := &hold{what: what, targets: Clone(targets)}
	hs.replace(func(all []*hold) []*hold { return append(all, h) })
	return func() {
		hs.replace(func(all []*hold) []*hold {
			return slices.DeleteFunc(all, func(other *hold) bool { return other == h })
		})
	}
}

// replace puts the result of change, which is given a copy of the list, in its place.
func (hs *Holds) replace(change func([]*hold) []*hold) {
	for {
		before := hs.all.Load()
		var after []*hold
		if before != nil {
			after = slices.Clone(*before)
		}
		after = change(after)
		if now := &after; len(after) > 0 && hs.all.CompareAndSwap(before, now) || len(after) == 0 && hs.all.CompareAndSwap(before, nil) {
			return
		}
	}
}

// conflict returns why the targets of a command line cannot be decided on while something
// goes on, or "". A tool that opens the file that was decided needs no such reason, whatever
// the names lead to by then.
func (hs *Holds) conflict(ts []Target) string {
	if hs == nil {
		return ""
	}
	all := hs.all.Load()
	if all == nil || !slices.ContainsFunc(ts, func(t Target) bool { return t.Kind == Command }) {
		return ""
	}
	for _, h := range *all {
		for i := range ts {
			for j := range h.targets {
				if text := h.conflict(&h.targets[j], &ts[i]); text != "" {
					return text
				}
			}
		}
	}
	return ""
}

// conflict compares one target of what goes on with one of a call.
func (h *hold) conflict(held, t *Target) string {
	switch {
	case held.Shell.Guess || t.Shell.Guess:
	case movesNameOf(held, t):
		return fmt.Sprintf("%s still goes on, and may change what %s leads to; decide on it when that has ended", plain.Visible(h.what), plain.Visible(t.Value))
	case movesNameOf(t, held):
		return fmt.Sprintf("%s still goes on, and was allowed for %s, which may then lead elsewhere; decide on it when that has ended", plain.Visible(h.what), plain.Visible(held.Value))
	}
	return ""
}

// movesNameOf reports whether t may change what the path p leads to: p is what t moves, or
// lies below it, or a link on its way does, or p is a tree that is written and holds it. A
// command moves names where it is not known.
func movesNameOf(t, p *Target) bool {
	switch {
	case !t.Shell.MovesNames || p.Kind != Path:
		return false
	case t.Kind == Command:
		return true
	case t.Kind != Path:
		return false
	}
	for _, moved := range t.Names() {
		for _, name := range p.Names() {
			if realpath.LeadsThrough(name, []string{moved}) || p.Tree && p.Access == Write && realpath.Contains(name, moved) {
				return true
			}
		}
	}
	return false
}
