package policy

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard/internal/plain"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// A hold keeps the targets of a call that was answered while the work that its tool started
// continues. The work may still use the paths that were decided, and may still move names.
type hold struct {
	what    string   // describes the work
	targets []Target // resolved
}

// Holds are the targets of calls that were answered while the work that their tools started
// continues in the background. The zero value is empty. All methods may be called concurrently.
type Holds struct {
	all atomic.Pointer[[]*hold] // the slice is never written to; nil means empty
}

// Add keeps resolved targets until release is called. Release may be called more than once. The
// argument what describes the background work, such as by its id and its command.
func (hs *Holds) Add(what string, targets []Target) (release func()) {
	h := &hold{what: what, targets: Clone(targets)}
	hs.replace(func(all []*hold) []*hold { return append(all, h) })
	return func() {
		hs.replace(func(all []*hold) []*hold {
			return slices.DeleteFunc(all, func(other *hold) bool { return other == h })
		})
	}
}

// replace passes a copy of the list to change, and stores the result.
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

// conflict returns why the targets of a command line cannot be decided while background work
// continues, or "". A tool that opens exactly the decided file needs no such reason, wherever the
// names lead by then.
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

// conflict compares one target of the background work with one of a call.
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

// movesNameOf reports whether t may change where the path p leads. It may if t moves names at p,
// above p or at a link on the way to p, or if p is a tree that is written and contains t. A
// command that moves names may move any name, since it is not known which.
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
