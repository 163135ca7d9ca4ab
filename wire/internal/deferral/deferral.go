// Package deferral is what the wires of APIs that search no tools do about those
// whose definitions wait for a search. They send the ones that were loaded after all
// others, and the model finds the rest by calling [SearchTool].
//
// A pool without that tool defers nothing here, whatever it says: nobody could find
// what is left out.
package deferral

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
)

// SearchTool is the name of [pegboard.ToolSearch] in a pool.
const SearchTool = "ToolSearch"

// Searches reports whether the model can find tools by calling one of p, which may be
// nil.
func Searches(p *pegboard.Pool) bool {
	if p == nil {
		return false
	}
	t, ok := p.Lookup(SearchTool)
	return ok && t.Info().Name == SearchTool // and not an alias of another tool
}

// Request yields all tools of p in the order of the pool, and whether a request leaves
// each out. Then it yields those among them that were loaded, which it holds after all
// others: what was sent before stays the same prefix.
func Request(p *pegboard.Pool) iter.Seq2[pegboard.Declaration, bool] {
	return func(yield func(d pegboard.Declaration, waits bool) bool) {
		searches := Searches(p)
		for _, part := range []pegboard.Partition{pegboard.Builtin, pegboard.External} {
			for d := range p.Declarations(part) {
				if !yield(d, searches && d.Deferred) {
					return
				}
			}
		}
		if !searches {
			return // what is loaded was yielded in its place
		}
		for d := range p.Loaded() {
			if !yield(d, false) {
				return
			}
		}
	}
}

// Choice returns what of c can be said of a request. A tool that it leaves out because
// the tool was not loaded cannot be called: to force it leaves the model free, and it
// is none of those that may be called. If no other is, the model may call none.
func Choice(p *pegboard.Pool, c wire.Choice) wire.Choice {
	if !Searches(p) || c.Mode == wire.None || c.Mode != wire.One && len(c.Tools) == 0 {
		return c
	}
	out := setOf(p.Deferred())
	for d := range p.Loaded() {
		delete(out, d.Name)
	}
	if c.Mode == wire.One {
		if out[c.Tool] {
			return wire.Choice{Sequential: c.Sequential}
		}
		return c
	}
	c.Tools = slices.DeleteFunc(slices.Clone(c.Tools), func(tool string) bool { return out[tool] })
	if len(c.Tools) == 0 {
		return wire.Choice{Mode: wire.None, Sequential: c.Sequential}
	}
	return c
}

// Recallable returns those of some tools whose definitions wait in p, loaded or not,
// by their names in p and each once. It returns nil if nobody can search p.
func Recallable(p *pegboard.Pool, tools []string) (names []string) {
	if !Searches(p) {
		return nil
	}
	waiting := setOf(p.Deferred())
	for _, tool := range tools {
		t, ok := p.Lookup(tool)
		if !ok {
			continue
		}
		if name := t.Info().Name; waiting[name] {
			delete(waiting, name)
			names = append(names, name)
		}
	}
	return names
}

// Query returns the input with which a call of [SearchTool] loads tools by name.
func Query(tools []string) json.RawMessage {
	return jsonobject.With("query", jsonobject.Quote("select:"+strings.Join(tools, ","))).Encode()
}

// Found returns what becomes of such a call.
func Found(c *pegboard.Call, tools []string) []pegboard.Outcome {
	r := &pegboard.Result{}
	for _, tool := range tools {
		r.Parts = append(r.Parts, pegboard.Part{Tool: tool})
	}
	return []pegboard.Outcome{{Call: c, Result: r}}
}

func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}
