package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

const explainHelp = `Says how a call would be decided: allowed, asked about or denied, by which rule,
and in which line of which file it stands. Nothing runs, and no hook is asked.

  pegboard explain Bash 'git push origin main'
  pegboard explain Edit src/main.go
  pegboard explain WebFetch https://example.com
  pegboard explain mcp__github__create_issue '{"title": "It rains"}'
  pegboard explain -mode plan -v Bash 'npm test'

A command, a path, an address or a name needs no JSON. Of an MCP server, which is not
started, only the name is known.
`

// An explanation is what explain prints.
type explanation struct {
	Tool     string          `json:"tool"`
	Input    json.RawMessage `json:"input,omitempty"`
	Behavior policy.Behavior `json:"behavior"`
	Reason   string          `json:"reason"`
	By       string          `json:"by"` // who decided, such as rule or mode
	Mode     policy.Mode     `json:"mode"`
	Rule     *ruleAt         `json:"rule,omitempty"`
	Remedy   string          `json:"remedy,omitempty"` // the allow rules that would permit it
	Hooks    []string        `json:"hooks,omitempty"`  // of PreToolUse: they see the call first, and may decide otherwise
	Targets  []string        `json:"targets,omitempty"`
	Steps    []string        `json:"steps,omitempty"`

	text string // the steps for a person
}

// A ruleAt is the rule that has decided.
type ruleAt struct {
	Behavior policy.Behavior `json:"behavior"`
	Rule     string          `json:"rule"`
	Source   policy.Source   `json:"source"`
	Position string          `json:"position,omitempty"`
}

func newExplain(p *program, flags *flag.FlagSet) func(context.Context, []string) error {
	var at place
	at.addFlags(flags, true)
	asJSON := flags.Bool("json", false, "print a JSON object")
	verbose := flags.Bool("v", false, "print every step of the decision, too")
	return func(ctx context.Context, args []string) (err error) {
		if len(args) == 0 {
			return errors.New("name a tool, as in: pegboard explain Bash 'git push'")
		}
		files, loaded, err := p.load(ctx, at)
		if err != nil {
			return err
		}
		j, err := newJudge(files, loaded)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, j.session.Close(context.WithoutCancel(ctx))) }()
		v, err := j.judge(ctx, args[0], args[1:])
		if err != nil {
			return err
		}
		x := j.explanation(v)
		if *asJSON {
			encoder := json.NewEncoder(p.out)
			encoder.SetEscapeHTML(false)
			encoder.SetIndent("", "  ")
			return encoder.Encode(x)
		}
		_, err = io.WriteString(p.out, p.explained(x, *verbose))
		return err
	}
}

func (j *judge) explanation(v judgement) explanation {
	d := v.Decision
	x := explanation{
		Tool: v.tool.Name, Input: v.call.Input, Behavior: d.Behavior, Reason: d.Reason, By: d.By.String(), Mode: j.session.Permissions().Mode(),
		Remedy: j.remedy(v), Hooks: j.hooks(v), text: v.String(),
	}
	if d.Rule != nil {
		x.Rule = &ruleAt{d.Rule.Behavior, d.Rule.String(), d.Rule.Source, j.position(d.Rule)}
	}
	for _, t := range v.Targets {
		x.Targets = append(x.Targets, t.String())
	}
	for _, s := range v.Steps {
		x.Steps = append(x.Steps, s.Reason)
	}
	return x
}

// hooks returns the places of the hooks that see the call before it is decided. One that is
// wrong, or of a tool that a rule denies as a whole, comes to no hook.
func (j *judge) hooks(v judgement) (places []string) {
	if len(v.Steps) == 0 {
		return nil
	}
	for _, h := range j.loaded.Hooks.Match("PreToolUse", append([]string{v.tool.Name}, v.tool.Aliases...)...) {
		isNot := func(r policy.Rule) bool { return j.session.Permissions().Concerns(j.request(v), r) == policy.ConcernNo }
		if conditions := h.Rules(); len(conditions) > 0 && !slices.ContainsFunc(conditions, func(r policy.Rule) bool { return !isNot(r) }) {
			continue
		}
		at, _ := j.loaded.HookPosition(h) // all are of files
		at.Path = inDir(j.session.Dir(), at.Path)
		places = append(places, at.String())
	}
	return places
}

// explained returns x for a person: the verdict, the reason and the place of the rule.
func (p *program) explained(x explanation, verbose bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", p.colour(verdictColour(x.Behavior), x.Behavior.String()), p.colour(bold, x.title()))
	fmt.Fprintf(&b, "  %s\n", pegboard.OneLine(x.Reason))
	if x.Rule != nil && x.Rule.Position != "" {
		fmt.Fprintf(&b, "  %s\n", p.colour(dim, x.Rule.Position))
	}
	if x.Remedy != "" {
		fmt.Fprintf(&b, "  would be allowed by %s\n", x.Remedy)
	}
	if len(x.Hooks) > 0 {
		fmt.Fprintf(&b, "  %s of PreToolUse would see it first, and may decide otherwise: %s\n", count(len(x.Hooks), "hook"), strings.Join(x.Hooks, ", "))
	}
	if verbose {
		fmt.Fprintf(&b, "\n%s", x.text)
	}
	return b.String()
}

// title is the call on one line.
func (x explanation) title() string {
	var members map[string]json.RawMessage
	if json.Unmarshal(x.Input, &members) == nil {
		for name, value := range members {
			var text string
			if strings.Contains(made()[x.Tool], `"`+name+`": VALUE`) && json.Unmarshal(value, &text) == nil {
				return x.Tool + " " + pegboard.OneLine(text)
			}
		}
	}
	return strings.TrimSpace(x.Tool + " " + pegboard.OneLine(string(x.Input)))
}
