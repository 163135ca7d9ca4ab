package agents_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// A house is a host in a test: its registry, its agents, and a script for each task.
type house struct {
	options  agents.Options
	registry *pegboard.Registry
	agents   *agents.Agents
	session  *pegboard.Session
	executor pegboard.Executor
}

// newHouse returns a host with the tools given and the Agent tool. A change may replace any option.
func newHouse(t *testing.T, cfg pegboard.SessionConfig, loop agents.Loop, change func(*agents.Options), tools ...pegboard.Tool) *house {
	t.Helper()
	h := &house{registry: new(pegboard.Registry), executor: pegboard.Executor{MaxParallel: 64}}
	roles := pegboard.ClaudeCodeRoleTables()
	h.options = agents.Options{
		Loop: loop, Registry: h.registry, Pool: pegboard.PoolConfig{Roles: &roles}, Logger: slog.New(slog.DiscardHandler), Teams: true,
		Definitions: func(*pegboard.Session) []agents.Definition {
			return []agents.Definition{
				{Name: "general-purpose", Description: "For anything."},
				{Name: "looker", Description: "Looks.", Prompt: "You look.", Tools: []string{"Look"}, OneShot: true},
			}
		},
	}
	if change != nil {
		change(&h.options)
	}
	var err error
	h.agents, err = agents.New(h.options)
	require.NoError(t, err)
	require.NoError(t, h.registry.Add(append(tools, h.agents.Tools()...)...))
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	h.session, err = pegboard.NewSession(cfg)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		require.NoError(t, h.session.Close(ctx))
	})
	return h
}

// pool returns the pool of the main agent.
func (h *house) pool() *pegboard.Pool {
	return h.registry.AssemblePool(h.session, h.options.Pool)
}

// run runs calls of the main agent.
func (h *house) run(ctx context.Context, calls ...pegboard.Call) []pegboard.Outcome {
	return h.executor.Run(ctx, h.pool(), calls...)
}

// call runs one call of the Agent tool.
func (h *house) call(t *testing.T, input map[string]any) pegboard.Outcome {
	t.Helper()
	return h.run(t.Context(), agentCall(t, input))[0]
}

// agentCall returns a call of the Agent tool. Description and prompt have defaults.
func agentCall(t *testing.T, input map[string]any) pegboard.Call {
	t.Helper()
	in := map[string]any{"description": "a small task", "prompt": "Do it."}
	for k, v := range input {
		in[k] = v
	}
	b, err := json.Marshal(in)
	require.NoError(t, err)
	return pegboard.Call{ID: "call", Name: "Agent", Input: b}
}

// says returns a loop that reads its task and answers with text.
func says(text string) agents.Loop {
	return func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		if _, err := a.Next(ctx, agents.Usage{}); err != nil {
			return agents.Reply{}, err
		}
		return agents.Reply{Text: text}, nil
	}
}

// scripted returns the loop of a host, as of examples/agent, whose model plays the turns that
// script returns.
func scripted(script func(a *agents.Agent) []tooltest.Turn) agents.Loop {
	return func(ctx context.Context, a *agents.Agent) (reply agents.Reply, err error) {
		model := tooltest.NewModel(script(a)...)
		executor := pegboard.Executor{MaxParallel: 64}
		var outcomes []pegboard.Outcome
		used := agents.Usage{}
		for {
			parts, err := a.Next(ctx, used)
			if err != nil {
				return agents.Reply{}, err
			}
			if err := a.Append(userMessage(parts)); err != nil {
				return agents.Reply{}, err
			}
			pool, err := a.Pool()
			if err != nil {
				return agents.Reply{}, err
			}
			turn, err := model.Reply(outcomes)
			if err != nil {
				return agents.Reply{}, err
			}
			used = agents.Usage{Input: 10, Output: 1, USD: 0.01}
			if err := a.Append(modelMessage(turn)); err != nil {
				return agents.Reply{}, err
			}
			if len(turn.Calls) == 0 {
				return agents.Reply{Text: turn.Text, Used: used}, nil
			}
			outcomes = executor.Run(ctx, pool, turn.Calls...)
			if ctx.Err() != nil {
				return agents.Reply{}, context.Cause(ctx)
			}
			if slices.ContainsFunc(outcomes, func(o pegboard.Outcome) bool { return o.StopTurn }) {
				return agents.Reply{Text: turn.Text, StopTurn: true, Used: used}, nil
			}
		}
	}
}

func userMessage(parts []pegboard.Part) json.RawMessage {
	var text string
	for _, p := range parts {
		text += p.Text + "\n"
	}
	b, _ := json.Marshal(map[string]string{"role": "user", "content": text})
	return b
}

func modelMessage(turn tooltest.Turn) json.RawMessage {
	content := []map[string]any{{"type": "text", "text": turn.Text}}
	for _, c := range turn.Calls {
		content = append(content, map[string]any{"type": "tool_use", "id": c.ID, "name": c.Name, "input": c.Input})
	}
	b, _ := json.Marshal(map[string]any{"role": "assistant", "content": content})
	return b
}

// look returns a tool that only looks.
func look() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Look"}, Description: "Looks.", Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "nothing to see", nil },
	})
}

// A story collects lines of several goroutines.
type story struct {
	mu    sync.Mutex
	lines []string
}

func (l *story) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
}

func (l *story) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.lines)
}

// child returns a command that runs this test in a process of its own, which finds the value of a
// variable in its environment. The process ends with the test at the latest, and then its temporary
// files are removed: a process that is killed cannot remove them.
func child(t *testing.T, variable, value string, arguments ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], append(arguments, "-test.run=^"+t.Name()+"$")...)
	temp := t.TempDir()
	cmd.Env = append(os.Environ(), variable+"="+value, "TMPDIR="+temp, "TMP="+temp)
	t.Cleanup(func() {
		if cmd.Process != nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // it writes no more
		}
	})
	return cmd
}

// writeFile writes a file and returns its path.
func writeFile(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

// resultOf returns the data of a call of the Agent tool.
func resultOf(t *testing.T, out pegboard.Outcome) agents.Result {
	t.Helper()
	r, ok := out.Result.Data.(agents.Result)
	require.True(t, ok, "%T", out.Result.Data)
	return r
}
