package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// A host is the program around the coordinator.
type host struct {
	out      io.Writer
	registry pegboard.Registry
	agents   *agents.Agents
	session  *pegboard.Session

	mu    sync.Mutex
	pools map[string]*pegboard.Pool // of the agents, by their roles
}

// pool returns the tools of the coordinator.
func (h *host) pool() *pegboard.Pool {
	return h.registry.AssemblePool(h.session, pegboard.PoolConfig{})
}

// call runs the calls of one message of the coordinator.
func (h *host) call(ctx context.Context, calls ...pegboard.Call) {
	for _, c := range calls {
		h.say("model:   ", c.Name, string(c.Input))
	}
	var executor pegboard.Executor
	for _, o := range executor.Run(ctx, h.pool(), calls...) {
		line, _, _ := strings.Cut(strings.TrimSpace(o.Result.Text()), "\n")
		for _, a := range h.agents.List(h.session) {
			line = strings.ReplaceAll(line, a.ID, "agent-"+strings.ReplaceAll(a.Description, " ", "-"))
		}
		h.say("result:  ", line)
	}
}

func (h *host) title(text string) { h.sayf("\n%s\n", text) }

func (h *host) say(texts ...any) { _, _ = fmt.Fprintln(h.out, texts...) }

func (h *host) sayf(format string, args ...any) { _, _ = fmt.Fprintf(h.out, format, args...) }

// agent returns a call of the Agent tool.
func agent(description, prompt string, more map[string]any) pegboard.Call {
	input := map[string]any{"description": description, "prompt": prompt}
	maps.Copy(input, more)
	return call("Agent", input)
}

func call(tool string, input map[string]any) pegboard.Call {
	raw, err := json.Marshal(input)
	if err != nil {
		panic(err) // strings and bools can be encoded
	}
	return pegboard.Call{ID: tool + fmt.Sprint(len(raw)), Name: tool, Input: raw}
}

// remote stands for a tool of a server.
func remote(name string) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: name}, Description: "Does " + name + " on a server.",
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "done", nil },
	})
}

// repository returns the directory of this repository.
func repository() (string, error) {
	dir, err := filepath.Abs(".")
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "ROUGH_EDGES.md")); err == nil {
			return dir, nil
		}
		if filepath.Dir(dir) == dir {
			return "", errors.New("run it inside the repository")
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}
