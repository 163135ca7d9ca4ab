package main

import (
	"context"
	"encoding/json"
	"path"
	"slices"
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
		h.note(a, pool)
		text, calls := model(task, outcomes)
		used = agents.Usage{Input: 100, Output: 10}
		if err := a.Append(message("user", parts...), message("assistant", pegboard.Part{Text: text})); err != nil { // the messages of this step
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

// note keeps the pool of an agent to explain it at the end.
func (h *host) note(a *agents.Agent, pool *pegboard.Pool) {
	who := map[pegboard.Role]string{
		pegboard.RoleAsyncAgent: "worker", pegboard.RoleTeammate: "teammate", pegboard.RoleSubAgent: "teammate's agent",
	}[a.Session.Role()]
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pools[who] = pool
}

// message returns a message as a provider would have it.
func message(role string, parts ...pegboard.Part) json.RawMessage {
	var texts []string
	for _, p := range parts {
		texts = append(texts, p.Text)
	}
	raw, err := json.Marshal(map[string]string{"role": role, "content": strings.Join(texts, "\n")})
	if err != nil {
		panic(err) // strings can be encoded
	}
	return raw
}

// The tasks of the agents. The reports of the workers begin with their tasks.
const (
	listExamples = "Folders with a main.go:"
	listTests    = "Folders with a test:"
	check        = "Check that these have no test: "
	count        = "How many tests are in these: "
)

// model stands for the models of all agents: it returns the next message for a task, given the
// outcomes of the calls of the last one.
func model(task string, last []pegboard.Outcome) (text string, calls []pegboard.Call) {
	found := ""
	if last != nil {
		found = strings.TrimSpace(last[0].Result.Text())
	}
	switch {
	case strings.HasPrefix(task, "Shutdown request") && last == nil:
		answer := map[string]any{"type": "shutdown_response", "request_id": requestID(task), "approve": true}
		return "", []pegboard.Call{call("SendMessage", map[string]any{"to": "main", "message": answer})}
	case strings.HasPrefix(task, "Shutdown request"):
		return "Good bye.", nil
	case task == listExamples && last == nil:
		return "", []pegboard.Call{call("Glob", map[string]any{"pattern": "examples/*/main.go"})}
	case task == listTests && last == nil:
		return "", []pegboard.Call{call("Glob", map[string]any{"pattern": "examples/*/*_test.go"})}
	case task == listExamples, task == listTests:
		return task + " " + strings.Join(folders(found), " "), nil
	case strings.HasPrefix(task, check) && last == nil: // the teammate
		list := strings.TrimPrefix(task, check)
		return "", []pegboard.Call{agent("count tests", count+list, map[string]any{"subagent_type": "Explore"})}
	case strings.HasPrefix(task, check):
		_, found, _ = strings.Cut(found, "\n\n") // the host's lines come before the report
		line, _, _ := strings.Cut(found, "\n")
		return "the agent of the teammate says: " + line, nil
	case strings.HasPrefix(task, count) && last == nil: // its agent
		list := strings.ReplaceAll(strings.TrimPrefix(task, count), " ", ",")
		return "", []pegboard.Call{call("Glob", map[string]any{"pattern": "examples/{" + list + "}/*_test.go"})}
	case strings.HasPrefix(task, count) && len(folders(found)) == 0:
		return "none has a test.", nil
	}
	return "these have tests: " + strings.Join(folders(found), " "), nil
}

// folders returns the names of the folders of files that Glob lists, each once.
func folders(list string) (all []string) {
	for line := range strings.Lines(list) {
		if line = strings.TrimSpace(line); path.Ext(line) == ".go" {
			all = append(all, path.Base(path.Dir(line)))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
