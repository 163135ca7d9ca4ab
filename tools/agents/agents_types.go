package agents

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

// maxListed is how many names an error lists.
const maxListed = 20

// definitions returns the definitions of all types, each name once. A panic of
// Options.Definitions is logged, and then the list is empty.
func (g *Agents) definitions(s *pegboard.Session) []Definition {
	var all []Definition
	if err := goroutine.Try(func() error { all = slices.Clone(g.options.Definitions(s)); return nil }); err != nil {
		g.options.logger().Error("the definitions of agents cannot be listed", "error", err)
		return nil
	}
	named := map[string]bool{"": true}
	return slices.DeleteFunc(all, func(d Definition) bool {
		again := named[d.Name]
		named[d.Name] = true
		return again
	})
}

// startable returns the definitions of the types that s may start.
func (g *Agents) startable(s *pegboard.Session) []Definition {
	all := g.definitions(s)
	if g.options.Forks && !slices.ContainsFunc(all, func(d Definition) bool { return d.Name == forkType }) {
		all = append(all, Definition{Name: forkType, Description: "Goes on from this conversation, with all that was said in it and the same tools. For a side task that needs the context."})
	}
	if s == nil {
		return all
	}
	only, limited := g.mainTypes(s)
	denials := typeDenials(s)
	return slices.DeleteFunc(all, func(d Definition) bool {
		return limited && !slices.Contains(only, d.Name) || deniedType(denials, d.Name) != "" || g.barred(s, d.Name)
	})
}

// definition returns the definition that r asks for.
func (g *Agents) definition(s *pegboard.Session, r *Request) (Definition, error) {
	if d := r.Definition; d != nil {
		return *d, g.mayStart(s, d.Name)
	}
	name := typeName(r.Type)
	types := g.startable(s)
	if i := slices.IndexFunc(types, func(d Definition) bool { return d.Name == name }); i >= 0 {
		return types[i], nil
	}
	names := make([]string, len(types))
	for i, d := range types {
		names[i] = d.Name
	}
	why := g.mayStart(s, name)
	if !errors.Is(why, pegboard.ErrDenied) {
		why = fmt.Errorf("%w: %q", ErrUnknownType, name)
	}
	return Definition{}, fmt.Errorf("%w; %s", why, choices(name, names))
}

// mayStart returns why s may not start agents of a type, whether or not there is a definition.
func (g *Agents) mayStart(s *pegboard.Session, name string) error {
	if rule := deniedType(typeDenials(s), name); rule != "" {
		return fmt.Errorf("%w: agents of the type %q are denied by the rule %s", pegboard.ErrDenied, name, rule)
	}
	if g.barred(s, name) {
		return fmt.Errorf("%w: %q; it is disallowed for this agent", ErrUnknownType, name)
	}
	return nil
}

// choices lists names for an error.
func choices(want string, names []string) string {
	text := "there are " + strings.Join(names[:min(len(names), maxListed)], ", ")
	if len(names) == 0 {
		return "none may be started here"
	}
	if more := len(names) - maxListed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if near := nearest.Names(want, names, 3); len(near) > 0 {
		text = fmt.Sprintf("did you mean %s? ", strings.Join(near, " or ")) + strings.ToUpper(text[:1]) + text[1:]
	}
	return text
}

// typeName returns the type that a model means.
func typeName(name string) string {
	if name = strings.TrimSpace(name); name == "" {
		return GeneralPurpose
	}
	return name
}

// typeDenials returns the deny rules of s for agents.
func typeDenials(s *pegboard.Session) (denials []pegboard.Rule) {
	for r := range s.Permissions().AllRules() {
		if r.Behavior != pegboard.Deny {
			break // deny rules come first
		}
		if r.Tool == toolName || r.Tool == toolAlias {
			denials = append(denials, r)
		}
	}
	return denials
}

// deniedType returns the first of these rules that denies a type of agents, or all, or "".
func deniedType(denials []pegboard.Rule, name string) string {
	subject := pattern.Subject{Kind: pattern.Text, Write: true, Names: []string{name}}
	for _, r := range denials {
		if r.Pattern == "" {
			return r.String()
		}
		if spec, err := pattern.Parse(r.Tool, r.Pattern); err == nil && spec.Touches(subject) {
			return r.String()
		}
	}
	return ""
}

// mainDefinition returns the definition of the main agent, if s is its session and it has one.
func (g *Agents) mainDefinition(s *pegboard.Session) (d Definition, ok bool) {
	if len(s.AgentPath()) > 0 || s.AgentType() == "" {
		return Definition{}, false
	}
	all := g.definitions(s)
	i := slices.IndexFunc(all, func(d Definition) bool { return d.Name == s.AgentType() })
	if i < 0 {
		return Definition{}, false
	}
	return all[i], true
}

// mainTypes returns the types that the definition of the main agent lets it start, if it
// lists any. The lists of other agents have no meaning.
func (g *Agents) mainTypes(s *pegboard.Session) (types []string, limited bool) {
	d, ok := g.mainDefinition(s)
	if !ok {
		return nil, false
	}
	types = listedTypes(d.Tools)
	return types, types != nil && !slices.ContainsFunc(d.Tools, isAgentTool)
}

// mainBarred returns the types that the definition of the main agent disallows.
func (g *Agents) mainBarred(s *pegboard.Session) []string {
	d, _ := g.mainDefinition(s)
	return listedTypes(d.DisallowedTools)
}

// barred reports whether a definition on the way to s disallows a type.
func (g *Agents) barred(s *pegboard.Session, name string) bool {
	for e := g.entryOf(s); e != nil; e = e.parent {
		if slices.Contains(e.barred, name) {
			return true
		}
	}
	return slices.Contains(g.mainBarred(s), name)
}

// isAgentTool reports whether an entry of a definition names the Agent tool without types.
func isAgentTool(entry string) bool {
	entry = strings.TrimSpace(entry)
	return entry == toolName || entry == toolAlias || entry == "*"
}

// listedTypes returns the types of the entries Agent(a, b) of a definition; nil if it has no
// such entry.
func listedTypes(entries []string) (types []string) {
	for _, entry := range entries {
		tool, list, ok := strings.Cut(strings.TrimSpace(entry), "(")
		list, closed := strings.CutSuffix(list, ")")
		if !ok || !closed || tool != toolName && tool != toolAlias {
			continue
		}
		for name := range strings.SplitSeq(list, ",") {
			types = append(types, strings.TrimSpace(name))
		}
	}
	return types
}
