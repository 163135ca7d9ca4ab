package skills

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A Prompt is a text that an MCP server offers to its user.
type Prompt struct {
	Server, Name, Description string
	Arguments                 []PromptArgument
	// Get returns the messages of the prompt. It may be called concurrently.
	Get func(ctx context.Context, args map[string]string) ([]pegboard.Part, error)
}

// A PromptArgument is a value that a prompt takes.
type PromptArgument struct {
	Name     string
	Required bool
}

// Skill returns the skill mcp__server__prompt, whose text is what p.Get returns at each use. Its
// words are given to the arguments in their order; the last argument gets the rest. In the text
// of a server nothing is replaced and nothing runs. Deny and ask rules on the server's tools, such
// as mcp__server, are about the skill, too.
func (p Prompt) Skill() Skill {
	s := Skill{
		Name: "mcp__" + promptWord(p.Server) + "__" + promptWord(p.Name), Description: p.Description,
		Body: "(the text of an MCP server)", Origin: "MCP server " + p.Server, Source: SourcePrompt, prompt: &p,
	}
	var hint []string
	for _, a := range p.Arguments {
		if a.Required {
			hint = append(hint, "<"+a.Name+">")
		} else {
			hint = append(hint, "["+a.Name+"]")
		}
	}
	s.ArgumentHint = strings.Join(hint, " ")
	return s
}

// promptWord returns a name as it stands in the name of a skill.
func promptWord(name string) string {
	return strings.Map(func(c rune) rune {
		if c == '-' || isWordRune(c) {
			return c
		}
		return '_'
	}, name)
}

// rule returns the first rule of a behavior that is about this prompt or its server, or "".
func (p *Prompt) rule(s *pegboard.Session, b policy.Behavior) string {
	server := "mcp__" + promptWord(p.Server)
	for _, r := range s.Permissions().Rules() {
		if r.Behavior == b && r.Pattern == "" && pattern.NameMatches(r.Tool, server+"__"+promptWord(p.Name), server, false) {
			return r.String()
		}
	}
	return ""
}

// permit returns the opinion of the rules on the server's tools.
func (p *Prompt) permit(s *pegboard.Session) policy.Decision {
	for _, b := range []policy.Behavior{policy.Deny, policy.Ask} {
		if r := p.rule(s, b); r != "" {
			return policy.Decision{Behavior: b, Reason: "the prompts of the MCP server " + p.Server + " are under the rule " + r}
		}
	}
	return policy.Decision{}
}

// text returns the text of a prompt.
func (p *Prompt) text(ctx context.Context, args string) (string, error) {
	if p.Get == nil {
		return "", fmt.Errorf("the prompt %s of %s cannot be read: go on without", p.Name, p.Server)
	}
	given, err := p.values(args)
	if err != nil {
		return "", err
	}
	parts, err := p.Get(ctx, given)
	if err != nil {
		return "", err
	}
	var texts []string
	for _, part := range parts {
		if part.Text != "" {
			texts = append(texts, part.Text)
		}
	}
	return strings.Join(texts, "\n\n"), nil
}

// values returns the arguments of a prompt by their names.
func (p *Prompt) values(args string) (map[string]string, error) {
	given := map[string]string{}
	words := splitWords(args)
	for i, a := range p.Arguments {
		switch {
		case i >= len(words) && a.Required:
			return nil, fmt.Errorf("the argument %s is missing: call the skill again with args %s", untrusted.Escape(a.Name), untrusted.Escape(strictjson.Quote(p.Skill().ArgumentHint)))
		case i >= len(words):
		case i == len(p.Arguments)-1:
			given[a.Name] = strings.Join(words[i:], " ")
		default:
			given[a.Name] = words[i]
		}
	}
	return given, nil
}
