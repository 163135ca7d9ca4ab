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

// nameRule is the rule for names of tools.
var nameRule = dialect.Anthropic.NameRule()

// maxDeferred is how many tools of one request may be deferred.
//
// source: Anthropic Messages API, documentation of the tool search tool.
const maxDeferred = 10_000

// A toolList writes the list of a request's tools. The form of a tool depends on the
// tools before it and never on those after it, so that the part of the built-in tools
// stays the same when external tools come and go.
type toolList struct {
	config     Config
	cacheMark  json.RawMessage // the member that marks a breakpoint; nil without Config.Cache
	eagerTools map[string]bool
	names      dialect.Names

	problems    []wire.Problem
	serverNames map[string]bool // names of the server's tools; may be nil
	hasVisible  bool            // a tool that is not deferred is in the list
	deferred    int
	strict      dialect.Use
}

func newToolList(config Config) toolList {
	l := toolList{config: config}
	if config.Cache {
		control := object("ephemeral")
		if config.CacheTTL != "" {
			control.Set("ttl", jsonobject.Quote(config.CacheTTL))
		}
		l.cacheMark = append([]byte(`,"cache_control":`), control.Encode()...)
	}
	return l
}

// fill appends all tools to list. It fails at a name that the API refuses.
func (l *toolList) fill(list []json.RawMessage, p *pegboard.Pool) (tools []json.RawMessage, ok bool) {
	l.eagerTools = make(map[string]bool, len(l.config.EagerTools))
	for _, tool := range l.config.EagerTools {
		if t, ok := p.Lookup(tool); ok {
			l.eagerTools[t.Info().Name] = true
		}
	}
	l.problems, l.serverNames, l.hasVisible, l.deferred, l.strict = nil, nil, false, 0, dialect.Use{}
	list = l.addServer(slices.Grow(list, len(l.config.ServerTools)+p.Len()))
	if list, ok = l.addPart(list, p, pegboard.Builtin); !ok {
		return nil, false
	}
	return l.addPart(list, p, pegboard.External)
}

// addServer adds the tools of the server.
func (l *toolList) addServer(list []json.RawMessage) []json.RawMessage {
	for _, raw := range l.config.ServerTools {
		o, err := jsonobject.Parse(raw)
		if err != nil || !jsonobject.Is(raw) {
			l.report("", true, "a definition of a server tool is not a JSON object")
			continue
		}
		if name, ok := o.Text("name"); ok {
			if l.serverNames == nil {
				l.serverNames = map[string]bool{}
			}
			l.serverNames[name] = true
		}
		kind, _ := o.Text("type")
		l.hasVisible = l.hasVisible || kind != "mcp_toolset" && string(o.Get("defer_loading")) != "true"
		list = append(list, raw)
	}
	return list
}

// addPart adds the built-in or the external tools. It fails at a name that the API
// refuses.
func (l *toolList) addPart(list []json.RawMessage, p *pegboard.Pool, part pegboard.Partition) (tools []json.RawMessage, ok bool) {
	first, breakpoint := len(list), -1
	var firstDeferred pegboard.Declaration // the first tool of the part, if it is deferred
	for d := range p.Declarations(part) {
		tool, ok := l.encodeTool(&d)
		switch {
		case !ok:
			return nil, false
		case tool == nil:
			continue
		case !d.Deferred:
			breakpoint = len(list)
		case len(list) == first:
			firstDeferred = d
		}
		list = append(list, tool)
	}
	if len(list) > first && !l.hasVisible {
		l.report(firstDeferred.Name, false, "it is not deferred, because the API takes no request that defers all tools; add ToolSearch to the pool, or its own search with ServerTools")
		firstDeferred.Deferred = false
		list[first], breakpoint, l.hasVisible = l.encode(&firstDeferred), first, true
		l.deferred--
	}
	if l.cacheMark != nil && breakpoint >= 0 {
		list[breakpoint] = withMember(list[breakpoint], l.cacheMark)
	}
	return list, true
}

// encodeTool returns a tool, or nil if the request cannot hold it, and clears d.Strict if
// the tool is sent without it. It fails at a name that the API refuses.
func (l *toolList) encodeTool(d *pegboard.Declaration) (tool json.RawMessage, ok bool) {
	wanted := d.Strict
	d.Strict = false
	tool = l.encode(d)
	if tool == nil && !nameRule.Valid(l.names.API(d.Name)) {
		return nil, false
	}
	if l.omits(d, tool) {
		return nil, true
	}
	if wanted && l.fitsStrict(d) {
		tool = l.encode(d)
	}
	if len(d.Examples) > 0 {
		if lost := lostExamples(*d); lost != "" {
			l.report(d.Name, false, "%s", lost)
		}
	}
	if d.Deferred {
		l.deferred++
	} else {
		l.hasVisible = true
	}
	return tool, true
}

// withMember adds a member to the end of a definition.
func withMember(tool, member json.RawMessage) json.RawMessage {
	b := append(make([]byte, 0, len(tool)+len(member)), tool[:len(tool)-len("}")]...)
	return append(append(b, member...), '}')
}

func (l *toolList) report(tool string, omitted bool, format string, args ...any) {
	l.problems = append(l.problems, wire.Problem{Tool: tool, Omitted: omitted, Reason: fmt.Sprintf(format, args...)})
}

// omits reports whether the request cannot hold a tool, and reports the problem. Form is
// nil if the API refuses the tool.
func (l *toolList) omits(d *pegboard.Declaration, form json.RawMessage) bool {
	switch {
	case form == nil:
		l.report(d.Name, true, "%s", refusal(*d))
	case l.serverNames[l.names.API(d.Name)]:
		l.report(d.Name, true, "a server tool has the same name; rename one of the two")
	case d.Deferred && l.deferred == maxDeferred:
		l.report(d.Name, true, "the API takes no more than %d deferred tools; attach fewer", maxDeferred)
	default:
		return false
	}
	return true
}

// fitsStrict makes d strict if the limits of a request allow it after the strict tools
// before it, and counts it. If they do not, fitsStrict reports why.
func (l *toolList) fitsStrict(d *pegboard.Declaration) bool {
	d.Strict = true
	reason := refusal(*d)
	if reason == "" {
		if l.strict.Add(useOf(*d)) {
			return true
		}
		limit := dialect.MaxUse()
		reason = fmt.Sprintf("the strict tools before it leave no room for it, all together may be %d tools with %d optional properties and %d of several types",
			limit.Tools, limit.Optional, limit.Unions)
	}
	d.Strict = false
	l.report(d.Name, false, "it is sent without strict, and its input checked only when it is called: %s", reason)
	return false
}
