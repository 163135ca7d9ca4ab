package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// What [CtxInspect] shows, as the model names it.
const (
	inspectTools  = "tools"
	inspectAgents = "agents"
)

// maxInspected is how many tools and tasks are listed; the others are counted. Our choice.
const maxInspected = 20

// CtxResult is the Result.Data of [CtxInspect]. What was not asked for is nil.
type CtxResult struct {
	Tools []ToolWeight      `json:"tools,omitempty"` // the heaviest first
	Tasks []background.Task `json:"tasks,omitempty"` // running ones first

	what string // empty means both
}

type ctxInput struct {
	What string `json:"what,omitempty" jsonschema:"enum=tools,enum=agents" jsonschema_description:"tools: definitions; agents: agents and other background tasks; both if left out"`
}

// CtxInspect returns the tool with which a model sees what takes room in its context: the number
// and weight of tool definitions, and the agents and other tasks in the background. It changes
// nothing.
//
// Weights are estimates, of one token for four bytes of name, description and schema, as
// [pegboard.Deferral] makes them by default.
func CtxInspect() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[ctxInput, CtxResult]{
		Info: pegboard.Info{Name: "CtxInspect", Title: "Context", Hint: "context window usage, token weight of definitions", Polls: true},
		Description: "Shows what takes room in your context, as tables: tool definitions and their weight, " +
			"agents and other tasks in the background. For when the context grows full, or when you have lost track of what runs.",
		Traits: pegboard.Traits{
			ReadOnly: true, Concurrency: pegboard.Shared, Kind: pegboard.KindList,
			Targets: []policy.Target{{Kind: policy.Resource, Access: policy.Read, Value: "context of the conversation"}},
		},
		Summary: func(in ctxInput, _ *pegboard.Call) pegboard.Summary {
			what := "the context"
			if in.What != "" {
				what = "the " + in.What + " of the context"
			}
			return pegboard.Summary{Before: "Inspect " + what, While: "Inspecting " + what}
		},
		Permit: func(context.Context, ctxInput, *pegboard.Call) policy.Decision {
			return policy.Decision{Behavior: policy.Allow, Reason: "it only reads what the conversation consists of"}
		},
		Call: inspectContext,
		Result: func(out CtxResult) *pegboard.Result {
			r := pegboard.TextResult(out.text())
			r.Data, r.Line = out, "Inspected"
			return r
		},
	})
}

// inspectContext implements CtxInspect.
func inspectContext(_ context.Context, in ctxInput, c *pegboard.Call) (CtxResult, error) {
	s, p := c.Session(), c.Pool()
	if s == nil || p == nil {
		return CtxResult{}, errors.New("the context is that of a call of an executor")
	}
	out := CtxResult{what: in.What}
	if out.shows(inspectTools) {
		out.Tools = weigh(s, p)
	}
	if out.shows(inspectAgents) {
		out.Tasks = background.Of(s).List()
		slices.SortStableFunc(out.Tasks, func(a, b background.Task) int { return rank(a) - rank(b) })
	}
	return out, nil
}

// rank puts running tasks first.
func rank(k background.Task) int {
	if k.State == background.Running {
		return 0
	}
	return 1
}

func (out CtxResult) shows(what string) bool { return out.what == "" || out.what == what }

// text words the result for the model.
func (out CtxResult) text() string {
	var parts []string
	if out.shows(inspectTools) {
		parts = append(parts, toolTable(out.Tools))
	}
	if out.shows(inspectAgents) {
		parts = append(parts, taskTable(out.Tasks))
	}
	return strings.Join(parts, "\n\n")
}

// taskTable lists agents and other tasks.
func taskTable(tasks []background.Task) string {
	if len(tasks) == 0 {
		return "No agent and no other task runs in the background, or has run there."
	}
	running, agents := 0, 0
	t := newTable("task", "kind", "state", "what")
	for i, k := range tasks {
		running += 1 - rank(k)
		if k.Kind == "agent" {
			agents++
		}
		if i < maxInspected {
			t.row(k.ID, k.Kind, string(k.State), taskLabel(k))
		}
	}
	text := fmt.Sprintf("%d background tasks, of which %d run. Agents among them: %d.\n", len(tasks), running, agents)
	if len(tasks) == 1 {
		text = fmt.Sprintf("1 background task, %s.\n", tasks[0].State)
	}
	return text + t.text(len(tasks)-maxInspected)
}

// taskLabel returns the description or the command of a task.
func taskLabel(k background.Task) string {
	if k.Description != "" {
		return k.Description
	}
	return k.Command
}

// A table is a table in Markdown.
type table struct {
	head []string
	rows [][]string
}

func newTable(head ...string) *table { return &table{head: head} }

// row adds a row. A text may be that of a model or a server, so each is one line without marks
// of the host or of the table.
func (t *table) row(cells ...string) {
	for i, cell := range cells {
		cells[i] = strings.ReplaceAll(untrusted.Escape(clipped(pegboard.OneLine(cell))), "|", `\|`)
	}
	t.rows = append(t.rows, cells)
}

// text returns the table. Hidden is how many further rows were left out, if it is positive.
func (t *table) text(hidden int) string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(t.head)
	b.WriteString("|" + strings.Repeat(" --- |", len(t.head)) + "\n")
	for _, cells := range t.rows {
		line(cells)
	}
	if hidden > 0 {
		fmt.Fprintf(&b, "and %d more\n", hidden)
	}
	return strings.TrimRight(b.String(), "\n")
}

// A ToolWeight says how much of the context the definition of a tool takes.
type ToolWeight struct {
	Name     string `json:"name"`
	Tokens   int    `json:"tokens"` // an estimate
	External bool   `json:"external,omitempty"`
	// Deferred says that only the name was sent at first; Loaded, that the definition was sent
	// since.
	Deferred bool `json:"deferred,omitempty"`
	Loaded   bool `json:"loaded,omitempty"`
}

// waits reports whether the definition is not in the context.
func (w ToolWeight) waits() bool { return w.Deferred && !w.Loaded }

// state returns how the definition stands, for the model.
func (w ToolWeight) state() string {
	switch {
	case w.waits():
		return "waits"
	case w.Loaded:
		return "loaded"
	}
	return "always sent"
}

// weigh returns the definitions of a pool, the heaviest first.
func weigh(s *pegboard.Session, p *pegboard.Pool) (all []ToolWeight) {
	loaded := map[string]bool{}
	for decl := range p.Loaded() {
		loaded[decl.Name] = true
	}
	for _, name := range s.Loaded() { // since the pool was made, too
		loaded[name] = true
	}
	for _, part := range []pegboard.Partition{pegboard.Builtin, pegboard.External} {
		for decl := range p.Declarations(part) {
			w := ToolWeight{Name: decl.Name, Tokens: tokensOf(decl), External: part == pegboard.External, Deferred: decl.Deferred}
			w.Loaded = w.Deferred && loaded[decl.Name]
			all = append(all, w)
		}
	}
	slices.SortStableFunc(all, func(a, b ToolWeight) int {
		return cmp.Or(cmp.Compare(b.Tokens, a.Tokens), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// tokensOf estimates the size of a definition in tokens.
func tokensOf(d pegboard.Declaration) int {
	return (len(d.Name) + len(d.Description) + len(d.InputSchema) + 3) / 4
}

// toolTable words the definitions: a sum for each state, and the heaviest.
func toolTable(all []ToolWeight) string {
	sums := newTable("definitions", "tools", "tokens (about)")
	for _, part := range []struct {
		name string
		of   func(ToolWeight) bool
	}{
		{"always sent", func(w ToolWeight) bool { return !w.Deferred }},
		{"loaded since", func(w ToolWeight) bool { return w.Loaded }},
		{"wait, only named", ToolWeight.waits},
		{"of these all, of servers", func(w ToolWeight) bool { return w.External }},
	} {
		count, tokens := 0, 0
		for _, w := range all {
			if part.of(w) {
				count, tokens = count+1, tokens+w.Tokens
			}
		}
		sums.row(part.name, strconv.Itoa(count), strconv.Itoa(tokens))
	}
	heaviest := newTable("tool", "tokens (about)", "definition")
	for _, w := range all[:min(len(all), maxInspected)] {
		heaviest.row(w.Name, strconv.Itoa(w.Tokens), w.state())
	}
	return sums.text(0) + "\n\n" + heaviest.text(len(all)-maxInspected)
}

// planningWords are phrases that ask for a plan before anything is changed.
var planningWords = regexp.MustCompile(`(?i)\b(?:` +
	`plan mode|planning|blueprint|road ?map|` +
	`(?:make|write|draft|create|prepare|propose|present|give|show|work out|come up with|need|want|have|like|see|with|your|the|a|an) (?:\w+ ){0,3}plan|` +
	`plan (?:this|that|it|out|how|what|the|a|an|for|first|before|ahead|and)|(?:let's|let us|please|first|to|should|we) plan|` +
	`how (?:would|will|should|could) (?:you|we|one) (?:go about|approach|tackle|implement|design|structure|do|solve|build)|` +
	`(?:propose|outline|sketch|suggest|describe) (?:\w+ ){0,3}(?:approach|design|solution|strategy|steps|changes|architecture)|` +
	`(?:design|architecture|strategy) (?:first|before|doc|document|proposal)|` +
	`think (?:\w+ )?(?:it|this|that) (?:through|over)|think (?:about|through) (?:how|the approach|the design)|` +
	`(?:before|without) (?:\w+ )?(?:changing|writing|editing|touching|implementing|coding)|before you (?:change|write|edit|touch|implement|code|start|begin)|` +
	`(?:don't|do not|dont) (?:change|write|edit|touch|implement|code|modify) (?:anything|any|the|a|code|yet)` +
	`)\b`)

// otherPlans are plans of another kind.
var otherPlans = regexp.MustCompile(`(?i)\b(?:query|execution|explain|data|pricing|price|subscription|billing|phone|floor|health|payment|business|test|terraform|free|paid|pro|enterprise|seating)[ -]plan(?:s|ner)?\b|\bplan [bB]\b`)

// Planning reports whether a text of the user, in English, is about planning: a hint that the
// plan tools should be shown to the model, by Deferral.AlwaysLoad, instead of being searched for.
// Nothing is decided by it, and it may be wrong. A host may have a better hint.
func Planning(text string) bool {
	return planningWords.MatchString(otherPlans.ReplaceAllString(text, "-"))
}
