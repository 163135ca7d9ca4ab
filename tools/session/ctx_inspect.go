package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// What [CtxInspect] shows, as the model names it.
const (
	inspectTools   = "tools"
	inspectResults = "results"
	inspectAgents  = "agents"
)

// maxInspected is how many tools and tasks are listed; the others are counted. Our choice.
const maxInspected = 20

// CtxResult is the Result.Data of [CtxInspect]. What was not asked for is nil.
type CtxResult struct {
	Tools   []ToolWeight           `json:"tools,omitempty"` // the heaviest first
	Results *pegboard.ResultCounts `json:"results,omitempty"`
	Tasks   []background.Task      `json:"tasks,omitempty"` // running ones first

	what string // empty means all
}

type ctxInput struct {
	What string `json:"what,omitempty" jsonschema:"enum=tools,enum=results,enum=agents" jsonschema_description:"tools: definitions; results: results that were stored or shortened; agents: agents and other background tasks; all three if left out"`
}

// CtxInspect returns the tool with which a model sees what takes room in its context: the number
// and weight of tool definitions, the results that were stored or shortened, and the agents and
// other tasks in the background. It changes nothing.
//
// Weights are estimates, of one token for four bytes of name, description and schema, as
// [pegboard.Deferral] makes them by default.
func CtxInspect() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[ctxInput, CtxResult]{
		Info: pegboard.Info{Name: "CtxInspect", Title: "Context", Hint: "context window usage, token weight of definitions", Polls: true},
		Description: "Shows what takes room in your context, as tables: tool definitions and their weight, results that were stored or shortened, " +
			"agents and other tasks in the background. For when the context grows full, or when you have lost track of what runs.",
		Traits: pegboard.Traits{
			ReadOnly: true, Concurrency: pegboard.Shared, Kind: pegboard.KindList,
			Targets: []pegboard.Target{{Kind: pegboard.TargetResource, Access: pegboard.AccessRead, Value: "context of the conversation"}},
		},
		Lines: func(in ctxInput, _ *pegboard.Call) pegboard.Lines {
			what := "the context"
			if in.What != "" {
				what = "the " + in.What + " of the context"
			}
			return pegboard.Lines{Before: "Inspect " + what, While: "Inspecting " + what}
		},
		Permit: func(context.Context, ctxInput, *pegboard.Call) pegboard.Decision {
			return pegboard.Decision{Behavior: pegboard.Allow, Reason: "it only reads what the conversation consists of"}
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
	if out.shows(inspectResults) {
		counts := s.ResultCounts()
		out.Results = &counts
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
	if out.shows(inspectResults) {
		parts = append(parts, resultTable(out.Results))
	}
	if out.shows(inspectAgents) {
		parts = append(parts, taskTable(out.Tasks))
	}
	return strings.Join(parts, "\n\n")
}

// resultTable words the numbers of results.
func resultTable(c *pegboard.ResultCounts) string {
	if c == nil { // of a result that was made elsewhere
		c = &pegboard.ResultCounts{}
	}
	t := newTable("results", "number")
	t.row("sent whole", strconv.Itoa(c.Whole))
	t.row("shortened: too long beside others", strconv.Itoa(c.Replaced))
	t.row("shortened: old", strconv.Itoa(c.Masked))
	t.row("stored", fmt.Sprintf("%d (%d bytes)", c.Stored, c.StoredBytes))
	return t.text(0)
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
