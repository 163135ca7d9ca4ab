package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// loop runs one agent. It is the loop of any agent, with Next, Pool and Append.
func (h *host) loop(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
	var executor pegboard.Executor
	var task string
	var outcomes []pegboard.Outcome
	for used := (agents.Usage{}); ; {
		parts, err := a.Next(ctx, used) // first its task, later words from others
		if err != nil {
			return agents.Reply{}, err
		}
		if task == "" {
			task = parts[len(parts)-1].Text // after the names of those that it can write to
		}
		pool, err := a.Pool() // its tools
		if err != nil {
			return agents.Reply{}, err
		}
		text, calls := h.model(ctx, task, lastWords(a.History()), outcomes)
		used = agents.Usage{Input: 100, Output: 10}
		if err := a.Append(message("user", texts(parts)), message("assistant", text)); err != nil { // the messages of this step
			return agents.Reply{}, err
		}
		if len(calls) == 0 {
			return agents.Reply{Text: text, Used: used}, nil
		}
		outcomes = executor.Run(ctx, pool, calls...)
		if ctx.Err() != nil {
			return agents.Reply{}, context.Cause(ctx)
		}
	}
}

// lastWords returns the last text of an agent that goes on, and "" for a new one.
func lastWords(history []json.RawMessage) string {
	var m struct{ Content string }
	if len(history) == 0 || json.Unmarshal(history[len(history)-1], &m) != nil {
		return ""
	}
	return m.Content
}

// message returns a message as a provider would have it.
func message(role, text string) json.RawMessage {
	raw, err := json.Marshal(map[string]string{"role": role, "content": text})
	if err != nil {
		panic(err) // strings can be encoded
	}
	return raw
}

func texts(parts []pegboard.Part) string {
	var all []string
	for _, p := range parts {
		all = append(all, p.Text)
	}
	return strings.Join(all, "\n")
}

// The tasks of the agents.
const (
	countExamples = "How many examples does this repository have? Count the files examples/*/main.go."
	findFork      = "Where is the method Fork of Session declared? Name the file and the line."
	goVersion     = "Which version of Go is installed here?"
	countTests    = "How many files in tools/agents are tests?"
)

// model stands for the models of all agents: it returns the next message for a task, given the
// last words of an agent that goes on, and the outcomes of the calls of the last message.
func (h *host) model(ctx context.Context, task, said string, last []pegboard.Outcome) (text string, calls []pegboard.Call) {
	if said != "" {
		return fmt.Sprintf("I was asked %q and had written %q. The source was go env.", strings.Split(task, "\n")[1], said), nil
	}
	if last == nil {
		return h.first(ctx, task)
	}
	found := strings.TrimSpace(last[0].Result.Text())
	switch task {
	case countExamples:
		return fmt.Sprintf("There are %d examples.", strings.Count(found, "main.go")), nil
	case countTests:
		return fmt.Sprintf("%d files are tests.", strings.Count(found, "_test.go")), nil
	}
	line, _, _ := strings.Cut(found, "\n")
	return "Here: " + line, nil
}

// first is the first message for a task.
func (h *host) first(ctx context.Context, task string) (text string, calls []pegboard.Call) {
	switch task {
	case countExamples, findFork:
		if err := h.together.Wait(ctx); err != nil { // until both agents are here
			return "The two agents do not run at the same time: " + err.Error(), nil
		}
	}
	switch task {
	case countExamples:
		return "", []pegboard.Call{call("Glob", map[string]any{"pattern": "examples/*/main.go"})}
	case findFork:
		return "", []pegboard.Call{call("Grep", map[string]any{"pattern": `^func \(s \*Session\) Fork\(`, "output_mode": "content", "glob": "*.go"})}
	case goVersion:
		return "", []pegboard.Call{call("Bash", map[string]any{"command": "GOFLAGS= go env GOVERSION"})}
	default:
		return "", []pegboard.Call{call("Glob", map[string]any{"pattern": "tools/agents/*_test.go"})}
	}
}
