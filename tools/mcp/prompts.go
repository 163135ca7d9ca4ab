package mcp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/content"
	"github.com/seed49eaa51d/pegboard/tools/skills"
)

// A Prompt is a text that a server offers to its user. Hosts call it
// /mcp__server__prompt.
type Prompt struct {
	Server      string           `json:"server"`
	Name        string           `json:"name"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	Arguments   []PromptArgument `json:"arguments,omitempty"`
}

// A PromptArgument is a value that a prompt takes.
type PromptArgument struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

// Prompts lists the prompts of the servers that are connected, in the order of the
// configuration. An error is joined from those of single servers; the prompts of the others
// are returned beside it.
func (m *Servers) Prompts(ctx context.Context) (all []Prompt, err error) {
	var problems []error
	for _, one := range m.list {
		conn, err := one.connected()
		if err != nil || !conn.hasPrompts() {
			continue
		}
		l, err := conn.pages(ctx, "prompts", maxResources, func(ctx context.Context, meta mcp.Meta, cursor string) error {
			_, err := conn.session.ListPrompts(ctx, &mcp.ListPromptsParams{Meta: meta, Cursor: cursor})
			return err
		})
		if err != nil {
			problems = append(problems, err)
			continue
		}
		for _, raw := range l.entries {
			p := Prompt{}
			if json.Unmarshal(raw, &p) == nil && p.Name != "" {
				p.Server = one.config.Name
				all = append(all, p)
			}
		}
	}
	return all, errors.Join(problems...)
}

// Skills returns the prompts as skills of the name mcp__server__prompt, for SkillOptions.Prompts of
// package settings or for the List of [skills.Options]. It asks the servers, as Prompts does: call
// it when Servers has changed, between turns. A skill gets its text from the server at each use.
func (m *Servers) Skills(ctx context.Context) ([]skills.Skill, error) {
	prompts, err := m.Prompts(ctx)
	all := make([]skills.Skill, len(prompts))
	for i, p := range prompts {
		s := skills.Prompt{Server: p.Server, Name: p.Name, Description: p.Description}
		for _, a := range p.Arguments {
			s.Arguments = append(s.Arguments, skills.PromptArgument{Name: a.Name, Required: a.Required})
		}
		s.Get = func(ctx context.Context, args map[string]string) ([]pegboard.Part, error) {
			return m.Prompt(ctx, p.Server, p.Name, args)
		}
		all[i] = s.Skill()
	}
	return all, err
}

// Prompt returns the messages of a prompt, for the conversation. The error wraps
// [ErrUnknownServer], a *[ServerError], or the cause of ctx.
func (m *Servers) Prompt(ctx context.Context, server, name string, args map[string]string) ([]pegboard.Part, error) {
	one := m.find(server)
	if one == nil {
		return nil, m.unknown(server)
	}
	conn, err := one.connected()
	if err != nil {
		return nil, err
	}
	raw, err := conn.request(ctx, func(ctx context.Context, meta mcp.Meta) error {
		_, err := conn.session.GetPrompt(ctx, &mcp.GetPromptParams{Meta: meta, Name: name, Arguments: args})
		return err
	})
	if err != nil {
		return nil, err
	}
	return content.Decoder{Server: server}.Prompt(ctx, raw)
}
