package pegboard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/toolname"
)

// A Resolution is what an agent definition's lists come to.
type Resolution struct {
	Pool *Pool
	// Unknown are the entries that name nothing in the pool, in the order
	// given. They are the author's to see; they are no error.
	Unknown []string
	// AgentTypes are the agent types that Agent(a, b) entries limit the agent
	// to. Nil means no limit.
	AgentTypes []string
	// DisallowedAgentTypes are the agent types of disallowed Agent(a, b)
	// entries, which leave the Agent tool itself.
	DisallowedAgentTypes []string
}

// Resolve narrows p to the tools and disallowedTools lists of an agent
// definition. An entry is a name or alias, "*", "mcp__server", "mcp__server__*",
// "mcp__*", or "Agent(a, b)". A nil tools list means all tools; what disallowed
// names is removed in any case. If nothing is left although something was asked
// for, the error names the entries.
func (p *Pool) Resolve(tools, disallowed []string) (Resolution, error) {
	var res Resolution
	wanted := res.parse(p, tools, true)
	banned := res.parse(p, disallowed, false)
	res.Pool = p.keep(func(i Info) (bool, string) {
		switch {
		case matchesAny(banned, i):
			return false, "the agent's disallowedTools list it"
		case tools != nil && !matchesAny(wanted, i):
			return false, "the agent's tools do not list it"
		}
		return true, ""
	})
	if res.Pool.Len() == 0 && (len(tools) > 0 || (tools == nil && p.Len() > 0)) {
		return Resolution{}, fmt.Errorf("no tool is left for the agent: tools %q, disallowedTools %q", tools, disallowed)
	}
	return res, nil
}

func matchesAny(entries []string, i Info) bool {
	return slices.ContainsFunc(entries, func(e string) bool { return resolves(e, i) })
}

// has reports whether an entry names a tool of p.
func (p *Pool) has(entry string) bool {
	return slices.ContainsFunc(p.tools, func(t offered) bool { return resolves(entry, t.info) })
}

// resolves reports whether an entry without parentheses names a tool.
func resolves(entry string, i Info) bool {
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

// parse returns the entries that name tools. It takes out agent types and notes
// which entries name nothing.
func (r *Resolution) parse(p *Pool, entries []string, allowed bool) []string {
	var names []string
	for _, text := range entries {
		entry := strings.TrimSpace(text)
		name, list, typed := strings.Cut(entry, "(")
		typed = typed && strings.HasSuffix(list, ")") && (name == "Agent" || name == "Task")
		if typed {
			entry = name
		}
		if !p.has(entry) && (p.inside == nil || !p.inside.has(entry)) {
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
