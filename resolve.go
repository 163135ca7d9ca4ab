package pegboard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/toolname"
)

// A Resolution is the result of [Pool.Resolve].
type Resolution struct {
	Pool *Pool
	// Unknown are the entries that name no tool of the pool, in the order given. They are
	// not an error, but the author of the definition should see them.
	Unknown []string
	// AgentTypes are the agent types that the agent may start, from Agent(a, b) entries.
	// Nil means any.
	AgentTypes []string
	// DisallowedAgentTypes are the agent types of disallowed Agent(a, b) entries, which do
	// not remove the Agent tool itself.
	DisallowedAgentTypes []string
}

// resolve implements [Pool.Resolve].
func resolve(p *Pool, tools, disallowed []string) (Resolution, error) {
	if tools == nil && len(disallowed) == 0 {
		return Resolution{Pool: p}, nil // a pool is immutable
	}
	var res Resolution
	wanted := res.parse(p, tools, true)
	banned := res.parse(p, disallowed, false)
	res.Pool = p.filterWith(func(i *Info) (bool, string) {
		switch {
		case matchesAny(banned, i):
			return false, "the agent's disallowedTools list it"
		case tools != nil && !matchesAny(wanted, i) && !p.isOfPool(i.Name):
			return false, "the agent's tools do not list it"
		}
		return true, ""
	}, func(i *Info) bool {
		return slices.ContainsFunc(wanted, func(entry string) bool { return entry != "*" && namesTool(entry, i) })
	})
	left := res.Pool.countTools(wanted)
	if left == 0 && (len(tools) > 0 || (tools == nil && p.countTools(nil) > 0)) {
		return Resolution{}, fmt.Errorf("no tool is left for the agent: tools %q, disallowedTools %q", tools, disallowed)
	}
	return res, nil
}

func matchesAny(entries []string, i *Info) bool {
	return slices.ContainsFunc(entries, func(e string) bool { return namesTool(e, i) })
}

// hasTool reports whether an entry names a tool of p.
func hasTool(p *Pool, entry string) bool {
	return slices.ContainsFunc(p.tools, func(t offered) bool { return namesTool(entry, &t.info) })
}

// namesTool reports whether an entry without parentheses names a tool.
func namesTool(entry string, i *Info) bool {
	if entry == "*" || i.answersTo(entry) {
		return true
	}
	if i.server == "" {
		return false
	}
	server, ok := strings.CutSuffix(entry, "__*")
	if !ok {
		server = entry
	}
	return entry == toolname.Prefix+"*" || server == i.server
}

// parse returns the entries that name tools, without agent types, which it records
// together with the entries that name no tool.
func (r *Resolution) parse(p *Pool, entries []string, allowed bool) []string {
	var names []string
	for _, text := range entries {
		entry := strings.TrimSpace(text)
		name, list, typed := strings.Cut(entry, "(")
		typed = typed && strings.HasSuffix(list, ")") && (name == "Agent" || name == "Task")
		if typed {
			entry = name
		}
		if !hasTool(p, entry) && (p.behindREPL == nil || !hasTool(p.behindREPL, entry)) {
			r.Unknown = append(r.Unknown, text)
		}
		types := &r.AgentTypes
		if !allowed {
			types = &r.DisallowedAgentTypes
		}
		if typed {
			for t := range strings.SplitSeq(strings.TrimSuffix(list, ")"), ",") {
				*types = append(*types, strings.TrimSpace(t))
			}
		}
		if allowed || !typed {
			names = append(names, entry)
		}
	}
	return names
}
