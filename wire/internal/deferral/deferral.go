// Package deferral is about tools whose definitions are deferred, in APIs that do not
// search tools themselves. A request holds the tools that were loaded after all others,
// and the model finds the rest by calling [history.SearchTool].
//
// In a pool without that tool nothing is deferred here, whatever the pool says: the
// model could not find tools that are left out.
package deferral

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
	"github.com/seed49eaa51d/pegboard/wire/internal/toolset"
)

// Searches reports whether the model can find tools by calling one of p, which may be
// nil.
func Searches(p *pegboard.Pool) bool {
	if p == nil {
		return false
	}
	t, ok := p.Lookup(history.SearchTool)
	return ok && t.Info().Name == history.SearchTool // and not an alias of another tool
}

// Request yields all tools of p in the order of the pool, and whether a request leaves
// each out. Then it yields those among them that were loaded, which the request holds
// after all others: the bytes of earlier requests stay a prefix.
func Request(p *pegboard.Pool) iter.Seq2[pegboard.Declaration, bool] {
	return func(yield func(d pegboard.Declaration, waits bool) bool) {
		searches := Searches(p)
		for d := range toolset.All(p) {
			if !yield(d, searches && d.Deferred) {
				return
			}
		}
		if !searches {
			return // the loaded tools were yielded in their places
		}
		for d := range p.Loaded() {
			if !yield(d, false) {
				return
			}
		}
	}
}

// Choice returns c without the tools that cannot be called, because they are deferred
// and not loaded. If the tool to call is one of them, the model decides. If none of
// c.Tools is left, the model may call none.
func Choice(p *pegboard.Pool, c wire.Choice) wire.Choice {
	if p != nil {
		c = named(p, c)
	}
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

// named returns c with the names of the tools in place of aliases.
func named(p *pegboard.Pool, c wire.Choice) wire.Choice {
	name := func(tool string) string {
		if t, ok := p.Lookup(tool); ok {
			return t.Info().Name
		}
		return tool
	}
	c.Tool, c.Tools = name(c.Tool), slices.Clone(c.Tools)
	for i, tool := range c.Tools {
		c.Tools[i] = name(tool)
	}
	return c
}

// Recall returns a call of [history.SearchTool] that loads tools again, and its
// outcome. It loads those of tools that are deferred in p, whether loaded or not, and
// that the request can hold. It fails without any such tool, or if the model cannot
// search p. The ID of the call is the prefix and a hash of the names.
func Recall(p *pegboard.Pool, tools []string, idPrefix string, sendable func(tool string) bool) (search pegboard.Call, found []pegboard.Outcome, ok bool) {
	names := recallable(p, tools, sendable)
	if len(names) == 0 {
		return search, nil, false
	}
	input := jsonobject.With("query", jsonobject.Quote("select:"+strings.Join(names, ","))).Encode()
	sum := sha256.Sum256(input)
	search = pegboard.Call{ID: idPrefix + hex.EncodeToString(sum[:12]), Name: history.SearchTool, Input: input}
	r := &pegboard.Result{}
	for _, tool := range names {
		r.Parts = append(r.Parts, pegboard.Part{Tool: tool})
	}
	return search, []pegboard.Outcome{{Call: &search, Result: r}}, true
}

// recallable returns the names in p of the tools to recall, each once.
func recallable(p *pegboard.Pool, tools []string, sendable func(tool string) bool) (names []string) {
	if !Searches(p) {
		return nil
	}
	deferred := setOf(p.Deferred())
	for _, tool := range tools {
		t, ok := p.Lookup(tool)
		if !ok {
			continue
		}
		if name := t.Info().Name; deferred[name] && sendable(name) {
			delete(deferred, name)
			names = append(names, name)
		}
	}
	return names
}

func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}
