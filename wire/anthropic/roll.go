package anthropic

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/dialect"
)

// maxDeferred is how many tools of one request may be deferred (contracts 3.1,
// "Tool search").
const maxDeferred = 10_000

// A roll writes the list of a request's tools. What it says of a tool depends on
// the tools before it and never on those after it, so that the part of the built-ins
// stays the same whatever comes and goes.
type roll struct {
	options
	names    dialect.Names
	problems []wire.Problem
	taken    map[string]bool // names of the server's tools; nil if there are none

	awake    bool // a tool that is not deferred is in the list
	deferred int
	strict   dialect.Use
}

// fill appends all tools to list. It gives up at a name that the API refuses.
func (r *roll) fill(list []json.RawMessage, p *pegboard.Pool) (tools []json.RawMessage, ok bool) {
	*r = roll{options: r.options, names: r.names}
	list = r.addServer(slices.Grow(list, len(r.server)+p.Len()))
	if list, ok = r.addPart(list, p, pegboard.Builtin); !ok {
		return nil, false
	}
	return r.addPart(list, p, pegboard.External)
}

func (r *roll) addServer(list []json.RawMessage) []json.RawMessage {
	for _, raw := range r.server {
		o, err := jsonobject.Parse(raw)
		if err != nil || !jsonobject.Is(raw) {
			r.report("", true, "a definition of a server tool is not a JSON object")
			continue
		}
		if name, ok := o.Text("name"); ok {
			if r.taken == nil {
				r.taken = map[string]bool{}
			}
			r.taken[name] = true
		}
		kind, _ := o.Text("type")
		r.awake = r.awake || kind != "mcp_toolset" && string(o.Get("defer_loading")) != "true"
		list = append(list, raw)
	}
	return list
}

// addPart gives up at a name that the API refuses.
func (r *roll) addPart(list []json.RawMessage, p *pegboard.Pool, part pegboard.Partition) (tools []json.RawMessage, ok bool) {
	first, breakpoint := len(list), -1
	var sleeper pegboard.Declaration // the first tool, if it is deferred
	for d := range p.Declarations(part) {
		tool, ok := r.write(&d)
		switch {
		case !ok:
			return nil, false
		case tool == nil:
			continue
		case !d.Deferred:
			breakpoint = len(list)
		case len(list) == first:
			sleeper = d
		}
		list = append(list, tool)
	}
	if len(list) > first && !r.awake {
		r.report(sleeper.Name, false, "it is not deferred, because the API takes no request that defers all tools; add ToolSearch to the pool, or its own search with ServerTools")
		sleeper.Deferred = false
		list[first], breakpoint, r.awake = r.encode(&sleeper), first, true
		r.deferred--
	}
	if r.cache != nil && breakpoint >= 0 {
		list[breakpoint] = withMember(list[breakpoint], r.cache)
	}
	return list, true
}

// write returns a tool, or nil if the request cannot hold it, and makes d what is
// sent. It fails at a name that the API refuses.
func (r *roll) write(d *pegboard.Declaration) (tool json.RawMessage, ok bool) {
	wanted := d.Strict
	d.Strict = false
	tool = r.encode(d)
	if tool == nil && !nameRule.Valid(r.names.API(d.Name)) {
		return nil, false
	}
	if r.omits(d, tool) {
		return nil, true
	}
	if wanted && r.fitsStrict(d) {
		tool = r.encode(d)
	}
	if len(d.Examples) > 0 {
		if lost := lostExamples(*d); lost != "" {
			r.report(d.Name, false, "%s", lost)
		}
	}
	if d.Deferred {
		r.deferred++
	} else {
		r.awake = true
	}
	return tool, true
}

// withMember adds a member to the end of a definition.
func withMember(tool, member json.RawMessage) json.RawMessage {
	b := append(make([]byte, 0, len(tool)+len(member)), tool[:len(tool)-len("}")]...)
	return append(append(b, member...), '}')
}

func (r *roll) report(tool string, omitted bool, format string, args ...any) {
	r.problems = append(r.problems, wire.Problem{Tool: tool, Omitted: omitted, Reason: fmt.Sprintf(format, args...)})
}

// omits reports whether the request cannot hold a tool. The form is nil if the API
// refuses it.
func (r *roll) omits(d *pegboard.Declaration, form json.RawMessage) bool {
	switch {
	case form == nil:
		r.report(d.Name, true, "%s", refusal(*d))
	case r.taken[r.names.API(d.Name)]:
		r.report(d.Name, true, "a server tool has the same name; rename one of the two")
	case d.Deferred && r.deferred == maxDeferred:
		r.report(d.Name, true, "the API takes no more than %d deferred tools; attach fewer", maxDeferred)
	default:
		return false
	}
	return true
}

// fitsStrict makes d strict if it can be that beside those before it, and takes it
// off what is left of the limits. If it cannot, it says why.
func (r *roll) fitsStrict(d *pegboard.Declaration) bool {
	d.Strict = true
	reason := refusal(*d)
	if reason == "" {
		if r.strict.Add(useOf(*d)) {
			return true
		}
		limit := dialect.MaxUse()
		reason = fmt.Sprintf("the strict tools before it leave no room for it, all together may be %d tools with %d optional properties and %d of several types",
			limit.Tools, limit.Optional, limit.Unions)
	}
	d.Strict = false
	r.report(d.Name, false, "it is sent without strict, and its input checked only when it is called: %s", reason)
	return false
}
