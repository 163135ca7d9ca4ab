package temporal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/server/temporaltest"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/temporal"
	"github.com/seed49eaa51d/pegboard/policy"
)

// The server of all tests, in this process.
var server *temporaltest.TestServer

var quiet = slog.New(slog.DiscardHandler)

func TestMain(m *testing.M) {
	if role := os.Getenv(envRole); role != "" {
		if err := playRole(role); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	server = temporaltest.NewServer(temporaltest.WithBaseClientOptions(client.Options{Logger: sdklog.NewStructuredLogger(quiet)}))
	server.GetDefaultClient() // its methods must not be called concurrently
	code := m.Run()
	server.Stop()
	os.Exit(code)
}

var queues atomic.Int64

// newQueue returns the name of a task queue of its own.
func newQueue() string { return fmt.Sprint("queue ", queues.Add(1)) }

// connect returns a client of its own, as another process has.
func connect(t testing.TB) client.Client {
	t.Helper()
	c, err := client.Dial(client.Options{
		HostPort: server.GetFrontendHostPort(), Namespace: server.GetDefaultNamespace(), Logger: sdklog.NewStructuredLogger(quiet),
	})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// work starts a worker that has the tools in each session.
func work(t testing.TB, queue string, tools ...pegboard.Tool) *temporal.Worker {
	t.Helper()
	return workAs(t, server.GetDefaultClient(), queue, nil, tools...)
}

// workAs starts a worker with a store for all sessions.
func workAs(t testing.TB, c client.Client, queue string, store pegboard.ResultStore, tools ...pegboard.Tool) *temporal.Worker {
	t.Helper()
	w, err := temporal.NewWorker(c, queue, temporal.WorkerOptions{Logger: quiet, Pool: poolOf(store, tools...)})
	require.NoError(t, err)
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	return w
}

// poolOf returns a func for WorkerOptions.Pool.
func poolOf(store pegboard.ResultStore, tools ...pegboard.Tool) func(context.Context, temporal.Description) (*pegboard.Pool, error) {
	return func(_ context.Context, d temporal.Description) (*pegboard.Pool, error) {
		cfg, err := d.Config()
		if err != nil {
			return nil, err
		}
		cfg.Results = store
		s, err := pegboard.NewSession(cfg)
		if err != nil {
			return nil, err
		}
		return assemble(s, tools...)
	}
}

func assemble(s *pegboard.Session, tools ...pegboard.Tool) (*pegboard.Pool, error) {
	var r pegboard.Registry
	if err := r.Add(tools...); err != nil {
		return nil, err
	}
	return r.AssemblePool(s, pegboard.PoolConfig{}), nil
}

// A host has a session and an executor that sends its calls to workers.
type host struct {
	pool   *pegboard.Pool
	exec   pegboard.Executor
	engine *temporal.Engine
}

// newHost returns a host whose calls are all allowed.
func newHost(t testing.TB, o temporal.Options, cfg pegboard.SessionConfig, tools ...pegboard.Tool) *host {
	t.Helper()
	if o.Client == nil {
		o.Client = server.GetDefaultClient()
	}
	e, err := temporal.NewEngine(o)
	require.NoError(t, err)
	if cfg.Permissions.Mode() == policy.ModeDefault {
		cfg.Permissions, err = policy.New(policy.ModeBypass)
		require.NoError(t, err)
	}
	cfg.Breaker = pegboard.BreakerLimits{Repeats: -1, Denials: -1}
	s, err := pegboard.NewSession(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	p, err := assemble(s, tools...)
	require.NoError(t, err)
	return &host{pool: p, exec: pegboard.Executor{Invoke: e.Invoke, Logger: quiet}, engine: e}
}

func (h *host) run(ctx context.Context, calls ...pegboard.Call) []pegboard.Outcome {
	return h.exec.Run(ctx, h.pool, calls...)
}

// to is a Route of all tools to one queue.
func to(queue string) func(pegboard.Info) string { return func(pegboard.Info) string { return queue } }

func call(id, name, input string) pegboard.Call {
	return pegboard.Call{ID: id, Name: name, Input: json.RawMessage(input)}
}

// tool returns a tool with a string as input, after changes of its definition.
func tool(name string, f func(ctx context.Context, in text, c *pegboard.Call) (*pegboard.Result, error), changes ...func(*pegboard.Definition[text, *pegboard.Result])) pegboard.Tool {
	d := pegboard.Definition[text, *pegboard.Result]{Info: pegboard.Info{Name: name}, Description: "For a test.", Call: f}
	d.Traits.Concurrency = pegboard.Shared
	for _, change := range changes {
		change(&d)
	}
	return pegboard.Build(d)
}

type text struct {
	Text string `json:"text,omitempty"`
}

type definition = pegboard.Definition[text, *pegboard.Result]

func readOnly(d *definition) { d.Traits.ReadOnly = true }
