package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/bench/harness"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

// harmless are the traits of a call that runs unasked and beside others.
var harmless = pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared}

func pegTool(name string, fn func(harness.Input) (string, error)) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[harness.Input, string]{
		Info:        pegboard.Info{Name: name},
		Description: description,
		Inspect:     func(harness.Input, *pegboard.Call) pegboard.Traits { return harmless }, // the path is no file
		Call:        func(_ context.Context, in harness.Input, _ *pegboard.Call) (string, error) { return fn(in) },
	})
}

func pegStandard() []pegboard.Tool {
	return []pegboard.Tool{
		pegTool("noop", func(in harness.Input) (string, error) { return harness.NoOp(in), nil }),
		pegTool("boom", func(harness.Input) (string, error) { panic("boom") }),
		pegTool("echo", func(in harness.Input) (string, error) { return in.Path, nil }),
		pegTool("fail", func(harness.Input) (string, error) { return "", errors.New("it failed") }),
	}
}

// pegPath is noop for a tool that says which path it reads, so that the path is
// resolved on the disk, must lie in the session's directories and takes a key.
func pegPath() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[harness.Input, string]{
		Info:        pegboard.Info{Name: "noop"},
		Description: description,
		Inspect: func(in harness.Input, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{
				Targets:  []policy.Target{{Kind: policy.Path, Access: policy.Read, Value: in.Path}},
				ReadOnly: true, Concurrency: pegboard.PerTarget,
			}
		},
		Call: func(_ context.Context, in harness.Input, _ *pegboard.Call) (string, error) {
			return harness.NoOp(in), nil
		},
	})
}

func pegPool(tb testing.TB, cfg pegboard.SessionConfig, tools ...pegboard.Tool) *pegboard.Pool {
	var reg pegboard.Registry
	require.NoError(tb, reg.Add(tools...))
	return reg.AssemblePool(pegSession(tb, cfg), pegboard.PoolConfig{})
}

func pegSession(tb testing.TB, cfg pegboard.SessionConfig) *pegboard.Session {
	s, err := pegboard.NewSession(cfg)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, s.Close(context.Background())) })
	return s
}

// hooked counts the hooks of a session.
type hooked struct{ pre, post atomic.Int64 }

func (h *hooked) hooks() pegboard.Hooks {
	return pegboard.Hooks{
		Pre: func(context.Context, *pegboard.HookCall) (policy.Decision, error) {
			h.pre.Add(1)
			return policy.Decision{}, nil
		},
		Post: func(context.Context, *pegboard.HookCall) error {
			h.post.Add(1)
			return nil
		},
	}
}

func pegCall(p *pegboard.Pool) harness.Call {
	ex := &pegboard.Executor{Repair: pegboard.Repair{NoScalars: true}} // the peers repair nothing
	return func(ctx context.Context, name string, args []byte) (string, error) {
		o := ex.Run(ctx, p, pegboard.Call{ID: "call_0", Name: name, Input: args})[0]
		if o.Result.IsError {
			return "", &harness.ToolError{Text: o.Result.Text()}
		}
		return o.Result.Text(), nil
	}
}

func pegCalls(n int, name string, args func(i int) string) []pegboard.Call {
	calls := make([]pegboard.Call, n)
	for i := range calls {
		calls[i] = pegboard.Call{ID: fmt.Sprintf("call_%d", i), Name: name, Input: []byte(args(i))}
	}
	return calls
}

func pegboardCases() []harness.Case {
	const validates = "strict decode, full JSON schema, no case variants"
	return []harness.Case{
		{
			Name: "pegboard", Validates: validates, Path: "Executor.Run: permission by traits, one pre and one post hook",
			NewOne: func(tb testing.TB) harness.Call {
				var h hooked
				return pegCall(pegPool(tb, pegboard.SessionConfig{Hooks: h.hooks()}, pegStandard()...))
			},
			NewExport: pegExport,
			NewOrder:  pegOrder,
		},
		{
			Name: "pegboard-path", Validates: validates, Path: "as pegboard, with a path target resolved on the disk",
			NewOne: func(tb testing.TB) harness.Call {
				var h hooked
				return pegCall(pegPool(tb, pegboard.SessionConfig{Dir: "/", Hooks: h.hooks()}, pegPath()))
			},
		},
		{
			Name: "pegboard-limit10", Validates: validates, Path: "Executor.Run of the batch, Limit 10",
			NewBatch: pegBatch(10),
		},
		{
			Name: "pegboard-limit128", Validates: validates, Path: "Executor.Run of the batch, Limit 128",
			NewBatch: pegBatch(128),
		},
	}
}

func pegBatch(limit int) func(testing.TB, int, *harness.Gauge) func(context.Context) error {
	return func(tb testing.TB, n int, g *harness.Gauge) func(context.Context) error {
		ex := &pegboard.Executor{MaxParallel: limit}
		tool := pegTool("sleep", func(in harness.Input) (string, error) { return g.SleepTool(in), nil })
		pool := pegPool(tb, pegboard.SessionConfig{}, tool)
		calls := pegCalls(n, "sleep", harness.ArgsAt)
		return func(ctx context.Context) error {
			pool.Session().NewTurn() // the same message again would be a loop
			for _, o := range ex.Run(ctx, pool, calls...) {
				if o.Err != nil {
					return o.Err
				}
			}
			return nil
		}
	}
}

func pegExport(tb testing.TB, n int) func(context.Context) (int, error) {
	tools := make([]pegboard.Tool, n)
	for i := range tools {
		tools[i] = pegTool(toolName(i), func(harness.Input) (string, error) { return "ok", nil })
	}
	pool := pegPool(tb, pegboard.SessionConfig{}, tools...)
	return func(context.Context) (int, error) { return len(anthropic.New(pool, anthropic.Config{}).Tools()), nil }
}

func pegOrder(tb testing.TB, delays []time.Duration) func(context.Context) ([]string, error) {
	tool := pegTool("delay", func(in harness.Input) (string, error) {
		time.Sleep(delays[in.Limit])
		return fmt.Sprint(in.Limit), nil
	})
	pool := pegPool(tb, pegboard.SessionConfig{}, tool)
	calls := pegCalls(len(delays), "delay", func(i int) string { return fmt.Sprintf(`{"path":"x","limit":%d,"recursive":true}`, i) })
	return func(ctx context.Context) ([]string, error) {
		var got []string
		for _, o := range (&pegboard.Executor{}).Run(ctx, pool, calls...) {
			if o.Err != nil {
				return got, o.Err
			}
			got = append(got, o.Result.Text())
		}
		return got, nil
	}
}
