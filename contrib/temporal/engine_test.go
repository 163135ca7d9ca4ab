package temporal_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/worker"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/temporal"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// TestInvokeIsOne holds Engine.Invoke against the contract of every Invoke.
func TestInvokeIsOne(t *testing.T) {
	t.Parallel()
	queue := newQueue()
	work(t, queue, tooltest.InvokeTools()...)
	require.NoError(t, tooltest.CheckInvoke(func(*pegboard.Pool) (pegboard.Invoke, error) {
		e, err := temporal.NewEngine(temporal.Options{Client: server.GetDefaultClient(), Route: to(queue)})
		return e.Invoke, err
	}))
}

// TestHostThatAsksAgain attaches to the run that exists, while it goes on and when it has ended.
func TestHostThatAsksAgain(t *testing.T) {
	t.Parallel()
	queue, ran, finish := newQueue(), atomic.Int64{}, make(chan bool)
	pay := tool("Pay", func(context.Context, text, *pegboard.Call) (*pegboard.Result, error) {
		n := ran.Add(1)
		<-finish
		return pegboard.TextResult(fmt.Sprint("payment ", n)), nil
	})
	work(t, queue, pay)
	cfg := pegboard.SessionConfig{ID: "conversation"}
	first := newHost(t, temporal.Options{Route: to(queue)}, cfg, pay)
	second := newHost(t, temporal.Options{Route: to(queue), Client: connect(t)}, cfg, pay)
	outcomes := make(chan pegboard.Outcome, 2)
	go func() { outcomes <- first.run(t.Context(), call("1", "Pay", `{}`))[0] }()
	require.Eventually(t, func() bool { return ran.Load() == 1 }, time.Minute, time.Millisecond)
	go func() { outcomes <- second.run(t.Context(), call("1", "Pay", `{}`))[0] }()
	time.Sleep(200 * time.Millisecond) // the second one may be there; the result must be the same if it is not
	close(finish)
	for range 2 {
		o := <-outcomes
		require.NoError(t, o.Err)
		require.Equal(t, "payment 1", o.Result.Text())
	}
	third := newHost(t, temporal.Options{Route: to(queue), Client: connect(t)}, cfg, pay)
	require.Equal(t, "payment 1", third.run(t.Context(), call("1", "Pay", `{}`))[0].Result.Text())
	require.Equal(t, int64(1), ran.Load())

	o := third.run(t.Context(), call("1", "Pay", `{"text":"another"}`))[0]
	require.ErrorIs(t, o.Err, temporal.ErrReused)
	require.Contains(t, o.Result.Text(), "Call it again")
	require.Equal(t, "payment 2", third.run(pegboard.WithTurn(t.Context(), "m2"), call("1", "Pay", `{}`))[0].Result.Text(), "of another turn")
	other := newHost(t, temporal.Options{Route: to(queue)}, pegboard.SessionConfig{ID: "another"}, pay)
	require.Equal(t, "payment 3", other.run(t.Context(), call("1", "Pay", `{}`))[0].Result.Text(), "of another session")
	require.Equal(t, "payment 4", other.run(t.Context(), call("", "Pay", `{}`))[0].Result.Text(), "without an id")
	require.Equal(t, "payment 5", other.run(t.Context(), call("", "Pay", `{}`))[0].Result.Text(), "without an id")
}

// TestWorkerOfAnotherVersion refuses the call before it runs.
func TestWorkerOfAnotherVersion(t *testing.T) {
	t.Parallel()
	ran := atomic.Int64{}
	count := func(context.Context, text, *pegboard.Call) (*pegboard.Result, error) {
		ran.Add(1)
		return pegboard.TextResult("done"), nil
	}
	ours := tool("Pay", count)
	tests := []struct {
		name   string
		theirs pegboard.Tool
		says   string
	}{
		{name: "another schema", says: "another version of Pay", theirs: pegboard.Build(pegboard.Definition[struct {
			Text string `json:"text,omitempty" jsonschema:"maxLength=100"`
		}, string]{Info: pegboard.Info{Name: "Pay"}, Description: "Pays.", Call: func(context.Context, struct {
			Text string `json:"text,omitempty" jsonschema:"maxLength=100"`
		}, *pegboard.Call) (string, error) {
			ran.Add(1)
			return "", nil
		}})},
		{name: "an input that it refuses", says: "does not accept the input", theirs: pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "Pay"}, Description: "Pays.", Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { ran.Add(1); return "", nil },
		})},
		{name: "no such tool", says: "has no tool Pay", theirs: tool("Pray", count)},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			queue := newQueue()
			work(t, queue, tc.theirs)
			o := newHost(t, temporal.Options{Route: to(queue)}, pegboard.SessionConfig{}, ours).run(t.Context(), call("1", "Pay", `{"text":"x"}`))[0]
			require.ErrorIs(t, o.Err, temporal.ErrToolVersion)
			require.NotErrorIs(t, o.Err, pegboard.ErrOutcomeUnknown)
			require.Contains(t, o.Result.Text(), tc.says)
			require.Zero(t, ran.Load())
		})
	}
}

// TestNoWorkerTakesTheCall in time, or before it is stopped: it has not run, and will not.
func TestNoWorkerTakesTheCall(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		busy    bool // there is a worker, whose only place is taken
		stopped bool
		is      error
	}{
		{name: "no worker", is: temporal.ErrNoWorker},
		{name: "no worker, and stopped", stopped: true, is: pegboard.ErrUserInterrupt},
		{name: "a busy worker", busy: true, is: temporal.ErrNoWorker},
		{name: "a busy worker, and stopped", busy: true, stopped: true, is: pegboard.ErrUserInterrupt},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			queue, ran, running, finish := newQueue(), atomic.Int64{}, make(chan bool), make(chan bool)
			pay := tool("Pay", func(context.Context, text, *pegboard.Call) (*pegboard.Result, error) {
				ran.Add(1)
				return pegboard.TextResult("paid"), nil
			})
			block := tool("Block", func(context.Context, text, *pegboard.Call) (*pegboard.Result, error) {
				running <- true
				<-finish
				return pegboard.TextResult("done"), nil
			})
			start := func() {
				w, err := temporal.NewWorker(server.GetDefaultClient(), queue, temporal.WorkerOptions{
					Logger: quiet, Pool: poolOf(nil, pay, block), SDK: worker.Options{MaxConcurrentActivityExecutionSize: 1},
				})
				require.NoError(t, err)
				require.NoError(t, w.Start())
				t.Cleanup(w.Stop)
			}
			within := time.Second
			if tc.stopped {
				within = time.Minute
			}
			blocker := newHost(t, temporal.Options{Route: to(queue)}, pegboard.SessionConfig{}, pay, block)
			h := newHost(t, temporal.Options{Route: to(queue), StartWithin: within}, pegboard.SessionConfig{}, pay, block)
			h.exec.Grace = time.Minute
			blocked := make(chan pegboard.Outcome, 1)
			if tc.busy {
				start()
				go func() { blocked <- blocker.run(t.Context(), call("", "Block", `{}`))[0] }()
				<-running
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			if tc.stopped {
				time.AfterFunc(500*time.Millisecond, func() { cancel(pegboard.ErrUserInterrupt) })
			}
			o := h.run(ctx, call("1", "Pay", `{}`))[0]
			require.ErrorIs(t, o.Err, tc.is)
			require.NotErrorIs(t, o.Err, pegboard.ErrOutcomeUnknown)
			require.NotErrorIs(t, o.Err, pegboard.ErrDetached)
			if !tc.stopped {
				require.Contains(t, o.Result.Text(), "Pay was not run: no worker took it within 1s")
			}
			if tc.busy {
				close(finish)
				require.NoError(t, (<-blocked).Err)
			} else {
				start()
			}
			time.Sleep(200 * time.Millisecond) // for a call that was left over
			require.Zero(t, ran.Load())
		})
	}
}

func nothing(context.Context, text, *pegboard.Call) (*pegboard.Result, error) {
	return pegboard.TextResult("done"), nil
}

// TestRoute sends tools to workers of their own, and keeps some in this process.
func TestRoute(t *testing.T) {
	t.Parallel()
	const there, here = "on a worker", "here"
	where := func(name, place string, changes ...func(*definition)) pegboard.Tool {
		return tool(name, func(context.Context, text, *pegboard.Call) (*pegboard.Result, error) {
			return pegboard.TextResult(place), nil
		}, changes...)
	}
	own := func(d *definition) {
		d.Traits.Own, d.Traits.Targets = true, []policy.Target{{Kind: policy.Resource, Value: "list"}}
	}
	cpu, gpu := newQueue(), newQueue()
	both := []pegboard.Tool{where("Small", there), where("Large", there), where("Local", there), where("Todo", there, own)}
	work(t, cpu, both[0], both[2], both[3])
	work(t, gpu, both[1])
	h := newHost(t, temporal.Options{Route: func(i pegboard.Info) string {
		return map[string]string{"Large": gpu, "Local": ""}[i.Name] + map[bool]string{true: cpu}[i.Name != "Large" && i.Name != "Local"]
	}}, pegboard.SessionConfig{}, where("Small", here), where("Large", here), where("Local", here), where("Todo", here, own))
	var got []string
	for _, o := range h.run(t.Context(), call("1", "Small", `{}`), call("2", "Large", `{}`), call("3", "Local", `{}`), call("4", "Todo", `{}`)) {
		require.NoError(t, o.Err)
		got = append(got, o.Result.Text())
	}
	require.Equal(t, []string{there, there, here, here}, got)
}

// TestRouteOfASource: the tools of a source have workers of their own, where the source is
// attached, too.
func TestRouteOfASource(t *testing.T) {
	t.Parallel()
	build := func(place string) *pegboard.Registry {
		var r pegboard.Registry
		_, err := r.Attach("graphics", tool("draw", func(context.Context, text, *pegboard.Call) (*pegboard.Result, error) {
			return pegboard.TextResult(place), nil
		}, readOnly))
		require.NoError(t, err)
		return &r
	}
	queue := newQueue()
	w, err := temporal.NewWorker(server.GetDefaultClient(), queue, temporal.WorkerOptions{Logger: quiet,
		Pool: func(_ context.Context, d temporal.Description) (*pegboard.Pool, error) {
			cfg, err := d.Config()
			if err != nil {
				return nil, err
			}
			s, err := pegboard.NewSession(cfg)
			if err != nil {
				return nil, err
			}
			return build("on a worker").AssemblePool(s, pegboard.PoolConfig{}), nil
		}})
	require.NoError(t, err)
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	h := newHost(t, temporal.Options{Route: func(i pegboard.Info) string { return map[string]string{"graphics": queue}[i.Origin.Source] }}, pegboard.SessionConfig{})
	h.pool = build("here").AssemblePool(h.pool.Session(), pegboard.PoolConfig{})
	o := h.run(t.Context(), call("1", "mcp__graphics__draw", `{}`))[0]
	require.NoError(t, o.Err)
	require.Equal(t, "on a worker", o.Result.Text())
}

// TestProgressArrives with the host while the call runs.
func TestProgressArrives(t *testing.T) {
	t.Parallel()
	queue, seen := newQueue(), make(chan string, 100)
	build := func(finish <-chan bool) pegboard.Tool {
		return tool("Compile", func(_ context.Context, _ text, c *pegboard.Call) (*pegboard.Result, error) {
			c.Emit("parsing")
			c.EmitData("linking", map[string]int{"files": 3})
			<-finish
			return pegboard.TextResult("compiled"), nil
		})
	}
	finish := make(chan bool)
	work(t, queue, build(finish))
	h := newHost(t, temporal.Options{Route: to(queue)}, pegboard.SessionConfig{}, build(nil))
	h.exec.OnEvent = func(e pegboard.Event) {
		if e.Kind == pegboard.EventProgress {
			seen <- fmt.Sprintf("%s %s", e.Text, e.Data)
		}
	}
	outcomes := make(chan []pegboard.Outcome)
	go func() { outcomes <- h.run(t.Context(), call("1", "Compile", `{}`)) }()
	require.Equal(t, `linking {"files":3}`, <-seen)
	close(finish)
	require.Equal(t, "compiled", (<-outcomes)[0].Result.Text())
}

// TestCausesArriveTyped at the tool, as in one process.
func TestCausesArriveTyped(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		cause    error // with which the host stops the batch
		changes  func(*definition)
		sees     error // the tool
		sentinel error
	}{
		{name: "the user", cause: pegboard.ErrUserInterrupt, sees: pegboard.ErrUserInterrupt, sentinel: pegboard.ErrCancelled},
		{name: "a new message", cause: pegboard.ErrNewMessage, sees: pegboard.ErrNewMessage, sentinel: pegboard.ErrCancelled,
			changes: func(d *definition) { d.Info.Interrupt = pegboard.InterruptCancel }},
		{name: "a cause of the host", cause: errors.New("the budget of the tenant"), sentinel: pegboard.ErrCancelled},
		{name: "its time limit", changes: func(d *definition) { d.Info.Timeout = 300 * time.Millisecond }, sees: pegboard.ErrTimeout, sentinel: pegboard.ErrTimeout},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			queue, running, sees := newQueue(), make(chan bool, 1), make(chan error, 1)
			wait := func(there bool) pegboard.Tool {
				return tool("Wait", func(ctx context.Context, _ text, _ *pegboard.Call) (*pegboard.Result, error) {
					require.True(t, there)
					running <- true
					<-ctx.Done()
					sees <- context.Cause(ctx)
					return pegboard.TextResult("half of it"), context.Cause(ctx)
				}, func(d *definition) {
					if tc.changes != nil {
						tc.changes(d)
					}
				})
			}
			work(t, queue, wait(true))
			h := newHost(t, temporal.Options{Route: to(queue)}, pegboard.SessionConfig{}, wait(false))
			h.exec.Grace = time.Minute
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() {
				<-running
				if tc.cause != nil {
					cancel(tc.cause)
				}
			}()
			o := h.run(ctx, call("1", "Wait", `{}`))[0]
			seen := <-sees
			require.ErrorIs(t, o.Err, tc.sentinel)
			if tc.sees != nil {
				require.ErrorIs(t, seen, tc.sees)
			}
			if tc.cause != nil {
				require.EqualError(t, seen, tc.cause.Error())
			}
			require.Contains(t, o.Result.Text(), "half of it", "what the tool returned after it was stopped")
		})
	}
}

// TestInterruptAndGrace mean what they mean in one process: a tool that is detached goes on and
// holds its keys, and one that does not return is abandoned.
func TestInterruptAndGrace(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		cause error
		level pegboard.Interrupt
		stops bool // the context of the tool ends
	}{
		{name: "detach", cause: pegboard.ErrNewMessage, level: pegboard.InterruptDetach},
		{name: "deaf", cause: pegboard.ErrUserInterrupt, stops: true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			queue, running, finish, stopped := newQueue(), make(chan bool, 1), make(chan bool), atomic.Bool{}
			serve := tool("Serve", func(ctx context.Context, _ text, _ *pegboard.Call) (*pegboard.Result, error) {
				defer context.AfterFunc(ctx, func() { stopped.Store(true) })()
				running <- true
				<-finish
				return pegboard.TextResult("ended"), nil
			}, func(d *definition) {
				d.Info.Interrupt = tc.level
				d.Traits.Concurrency = pegboard.PerTarget
				d.Traits.Targets = []policy.Target{{Kind: policy.Resource, Access: policy.Write, Value: "port"}}
			})
			work(t, queue, serve)
			h := newHost(t, temporal.Options{Route: to(queue)}, pegboard.SessionConfig{}, serve)
			h.exec.Grace = 100 * time.Millisecond
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() { <-running; cancel(tc.cause) }()
			o := h.run(ctx, call("1", "Serve", `{}`))[0]
			require.ErrorIs(t, o.Err, pegboard.ErrDetached)
			require.Len(t, h.pool.Session().Detached(), 1, "it holds its keys")
			if tc.stops {
				require.Eventually(t, stopped.Load, time.Minute, time.Millisecond)
			} else {
				time.Sleep(1500 * time.Millisecond) // for a cancellation, which needs a heartbeat
				require.False(t, stopped.Load())
			}
			close(finish)
			require.Eventually(t, func() bool { return len(h.pool.Session().Detached()) == 0 }, time.Minute, time.Millisecond)
		})
	}
}

// TestTransportThatFails is attempted again as the policy of the tool says, by the engine.
func TestTransportThatFails(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		traits  func(*definition)
		policy  int // attempts
		fails   int // how often
		runs    int64
		says    string
		succeed bool
	}{
		{name: "read-only, mended", traits: readOnly, policy: 3, fails: 2, runs: 3, says: "done", succeed: true},
		{name: "read-only, never mended", traits: readOnly, policy: 2, fails: 9, runs: 2, says: "the line broke (tried 2 times)"},
		{name: "read-only without a policy", traits: readOnly, fails: 9, runs: 1, says: "the line broke"},
		{name: "idempotent", traits: func(d *definition) { d.Traits.Idempotent = true }, policy: 2, fails: 1, runs: 2, says: "done", succeed: true},
		{name: "neither", traits: func(*definition) {}, policy: 3, fails: 9, runs: 1, says: "the line broke"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			queue, ran := newQueue(), atomic.Int64{}
			fetch := tool("Fetch", func(context.Context, text, *pegboard.Call) (*pegboard.Result, error) {
				if ran.Add(1) <= int64(tc.fails) {
					return nil, pegboard.Transient(errors.New("the line broke"), 0)
				}
				return pegboard.TextResult("done"), nil
			}, tc.traits, func(d *definition) {
				d.Info.Retry = pegboard.RetryPolicy{Attempts: tc.policy, Delay: 10 * time.Millisecond}
			})
			work(t, queue, fetch)
			o := newHost(t, temporal.Options{Route: to(queue)}, pegboard.SessionConfig{}, fetch).run(t.Context(), call("1", "Fetch", `{}`))[0]
			require.Equal(t, tc.succeed, o.Err == nil, o.Err)
			require.Equal(t, tc.says, o.Result.Text())
			require.Equal(t, tc.runs, ran.Load())
			require.Equal(t, 1, o.Attempts, "the executor makes no further one")
			if !tc.succeed {
				require.ErrorIs(t, o.Err, pegboard.ErrToolFailed)
			}
		})
	}
}

// TestWorkerIsLost: its connection ends, and the tool goes on. What reads is started again on
// another worker; what writes is not, and its outcome is unknown.
func TestWorkerIsLost(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		changes func(*definition)
		unknown bool
		runs    int64
	}{
		{name: "read-only", changes: readOnly, runs: 2},
		{name: "idempotent", changes: func(d *definition) { d.Traits.Idempotent = true }, runs: 2},
		{name: "neither", changes: func(*definition) {}, unknown: true, runs: 1},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			queue, ran, running, finish := newQueue(), atomic.Int64{}, make(chan bool, 2), make(chan bool)
			job := tool("Job", func(context.Context, text, *pegboard.Call) (*pegboard.Result, error) {
				if ran.Add(1) == 1 {
					running <- true
					<-finish
				}
				return pegboard.TextResult("done"), nil
			}, tc.changes)
			lost := connect(t)
			workAs(t, lost, queue, nil, job)
			h := newHost(t, temporal.Options{Route: to(queue), Heartbeat: time.Second, Delay: time.Millisecond}, pegboard.SessionConfig{}, job)
			outcomes := make(chan pegboard.Outcome)
			go func() { outcomes <- h.run(t.Context(), call("1", "Job", `{}`))[0] }()
			<-running
			lost.Close()
			work(t, queue, job)
			o := <-outcomes
			close(finish)
			require.Equal(t, tc.runs, ran.Load())
			if !tc.unknown {
				require.NoError(t, o.Err)
				return
			}
			require.ErrorIs(t, o.Err, pegboard.ErrOutcomeUnknown)
			require.ErrorIs(t, o.Err, temporal.ErrWorkerLost)
			require.Contains(t, o.Result.Text(), "Look at what it did before you repeat it")
			require.Equal(t, int64(1), ran.Load())
		})
	}
}

// TestEndedInTheEngine by a person: the outcome is unknown.
func TestEndedInTheEngine(t *testing.T) {
	t.Parallel()
	queue, running, finish := newQueue(), make(chan string, 1), make(chan bool)
	job := tool("Job", func(_ context.Context, _ text, c *pegboard.Call) (*pegboard.Result, error) {
		running <- temporal.WorkflowID(c) // the worker has the ids of the host
		<-finish
		return pegboard.TextResult("done"), nil
	})
	work(t, queue, job)
	h := newHost(t, temporal.Options{Route: to(queue)}, pegboard.SessionConfig{ID: "s"}, job)
	outcomes := make(chan pegboard.Outcome)
	go func() { outcomes <- h.run(t.Context(), call(t.Name(), "Job", `{}`))[0] }()
	id := <-running
	require.True(t, strings.HasPrefix(id, "pegboard-"))
	require.NoError(t, server.GetDefaultClient().TerminateWorkflow(t.Context(), id, "", "a person"))
	o := <-outcomes
	close(finish)
	require.ErrorIs(t, o.Err, pegboard.ErrOutcomeUnknown)
	require.ErrorIs(t, o.Err, temporal.ErrStopped)
}
