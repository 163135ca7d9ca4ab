package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/session"
)

type ctx = context.Context

// desk is a session with the tools of the package, and those that read and write files.
type desk struct {
	*pegboard.Session
	registry *pegboard.Registry
	dir      string
	ids      int
}

func newDesk(t testing.TB, cfg pegboard.SessionConfig, mode policy.Mode, sets ...policy.RuleSet) *desk {
	t.Helper()
	perms, err := policy.New(mode, sets...)
	require.NoError(t, err)
	cfg.Permissions = perms.WithAvailable(policy.ModeAuto)
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	cfg.Breaker = pegboard.BreakerLimits{Repeats: -1, Denials: -1}
	s, err := pegboard.NewSession(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	return &desk{Session: s, registry: registryOf(t), dir: cfg.Dir}
}

func registryOf(t testing.TB) *pegboard.Registry {
	t.Helper()
	registry := new(pegboard.Registry)
	require.NoError(t, registry.Add(append(session.PlanTools(session.PlanOptions{Guidance: "Plans here name an owner."}),
		session.AskUserQuestion(), scriptTool(), files.Read(files.ReadOptions{}), files.Write(files.WriteOptions{AllowUnread: true}))...))
	return registry
}

// fork returns a desk of a fork, with all tools.
func (d *desk) fork(t testing.TB, cfg pegboard.SessionConfig) *desk {
	t.Helper()
	s, err := d.Fork(cfg)
	require.NoError(t, err)
	return &desk{Session: s, registry: d.registry, dir: d.dir}
}

// send runs the calls of a message.
func (d *desk) send(t testing.TB, calls ...pegboard.Call) []pegboard.Outcome {
	t.Helper()
	for i := range calls {
		d.ids++
		calls[i].ID = fmt.Sprint("call-", d.ids)
	}
	pool := d.registry.AssemblePool(d.Session, pegboard.PoolConfig{Roles: &pegboard.RoleTables{Async: []string{"*"}}})
	executor := pegboard.Executor{Logger: slog.New(slog.DiscardHandler)}
	return executor.Run(t.Context(), pool, calls...)
}

func (d *desk) mode() policy.Mode { return d.Permissions().Mode() }

// has reports whether a file was written.
func (d *desk) has(name string) bool {
	_, err := os.Stat(filepath.Join(d.dir, name))
	return err == nil
}

func call(name string, input any) pegboard.Call {
	if text, ok := input.(string); ok {
		return pegboard.Call{Name: name, Input: json.RawMessage(text)}
	}
	b, err := json.Marshal(input)
	if err != nil {
		panic(err)
	}
	return pegboard.Call{Name: name, Input: b}
}

func enter() pegboard.Call { return call("EnterPlanMode", `{}`) }

func exit(plan string) pegboard.Call {
	return call("ExitPlanMode", map[string]any{"plan": plan})
}

func write(name string) pegboard.Call {
	return call("Write", map[string]any{"file_path": name, "content": "x"})
}

// says returns an Asker with that answer.
func says(d policy.Decision) pegboard.Asker {
	return func(ctx, *pegboard.Question) (policy.Decision, error) { return d, nil }
}

func setMode(m policy.Mode) []policy.Update {
	return []policy.Update{{Type: policy.SetMode, Mode: m, Destination: policy.SourceSession}}
}

var allow, deny = policy.Decision{Behavior: policy.Allow}, policy.Decision{Behavior: policy.Deny}

// scriptTool makes a call as a script does.
func scriptTool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{ Name, Input string }, string]{
		Info: pegboard.Info{Name: "Script"}, Description: "Makes a call.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(ctx ctx, in struct{ Name, Input string }, c *pegboard.Call) (string, error) {
			out := c.Run(ctx, pegboard.Call{ID: "inner", Name: in.Name, Input: json.RawMessage(in.Input)})[0]
			return out.Result.Text(), nil
		},
	})
}
