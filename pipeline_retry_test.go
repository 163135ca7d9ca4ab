package pegboard_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

var errReset = errors.New("connection reset")

// attempts is a tool that ends each of its attempts as a test says.
type attempts struct {
	traits pegboard.Traits
	info   pegboard.Info
	ends   []error // of the attempts, in order; nil is success, and all further ones are as the last
	takes  time.Duration
	begun  []time.Time // of the attempts
	then   func(ctx, *pegboard.Call, int) error
}

func (a *attempts) tool() pegboard.Tool {
	a.info.Name = "Fetch"
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: a.info, Description: "Fetches something.", Traits: a.traits,
		Call: func(ctx ctx, _ struct{}, c *pegboard.Call) (string, error) {
			n := len(a.begun)
			a.begun = append(a.begun, time.Now())
			select {
			case <-time.After(a.takes):
			case <-ctx.Done():
				return "", context.Cause(ctx)
			}
			if a.then != nil {
				return "fetched", a.then(ctx, c, n)
			}
			if err := a.ends[min(n, len(a.ends)-1)]; err != nil {
				return "", err
			}
			return "fetched", nil
		},
	})
}

// fetch makes one call of the tool.
func (a *attempts) fetch(t *testing.T, ctx context.Context, cfg pegboard.SessionConfig, ex anywhere) pegboard.Outcome { //nolint:revive // t comes first in tests
	t.Helper()
	outs := ex.Run(ctx, registryOf(t, a.tool()).AssemblePool(session(t, cfg), pegboard.PoolConfig{}), call("1", "Fetch", `{}`))
	return outs[0]
}

var looksOnly = pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared}

func TestRetry(t *testing.T) {
	t.Parallel()
	thrice := pegboard.RetryPolicy{Attempts: 3, Delay: time.Second}
	lost := pegboard.Transient(errReset, 0)
	tests := []struct {
		name     string
		traits   pegboard.Traits
		policy   pegboard.RetryPolicy
		ends     []error
		attempts int
		text     string
		is       error // nil if the call succeeds
	}{
		{name: "the second attempt succeeds", traits: looksOnly, policy: thrice, ends: []error{lost, nil}, attempts: 2, text: "fetched"},
		{name: "the last attempt succeeds", traits: looksOnly, policy: thrice, ends: []error{lost, lost, nil}, attempts: 3, text: "fetched"},
		{name: "all attempts fail", traits: looksOnly, policy: thrice, ends: []error{lost}, attempts: 3, text: "connection reset (tried 3 times)", is: errReset},
		{name: "the last failure counts", traits: looksOnly, policy: thrice, ends: []error{lost, io.EOF}, attempts: 2, text: "EOF (tried 2 times)", is: io.EOF},
		{name: "idempotent", traits: pegboard.Traits{Idempotent: true}, policy: thrice, ends: []error{lost, nil}, attempts: 2, text: "fetched"},
		{name: "idempotent and destructive", traits: pegboard.Traits{Idempotent: true, Destructive: true}, policy: thrice, ends: []error{lost, nil}, attempts: 2, text: "fetched"},
		{name: "it may have written", traits: pegboard.Traits{Concurrency: pegboard.Shared}, policy: thrice, ends: []error{lost}, attempts: 1, text: "connection reset", is: errReset},
		{name: "no policy", traits: looksOnly, ends: []error{lost}, attempts: 1, text: "connection reset", is: errReset},
		{name: "one attempt", traits: looksOnly, policy: pegboard.RetryPolicy{Attempts: 1}, ends: []error{lost}, attempts: 1, text: "connection reset", is: errReset},
		{name: "not the transport", traits: looksOnly, policy: thrice, ends: []error{errReset}, attempts: 1, text: "connection reset", is: errReset},
		{name: "wrapped", traits: looksOnly, policy: thrice, ends: []error{fmt.Errorf("fetch: %w", lost), nil}, attempts: 2, text: "fetched"},
		{name: "the sentinel alone", traits: looksOnly, policy: thrice, ends: []error{fmt.Errorf("fetch: %w", pegboard.ErrTransient), nil}, attempts: 2, text: "fetched"},
		{name: "a timeout of the tool's own", traits: looksOnly, policy: thrice, ends: []error{pegboard.Transient(context.DeadlineExceeded, 0), nil}, attempts: 2, text: "fetched"},
		{name: "a denial", traits: looksOnly, policy: thrice, ends: []error{pegboard.Transient(pegboard.ErrDenied, 0)}, attempts: 1, text: "denied", is: pegboard.ErrDenied},
		{name: "a deferral", traits: looksOnly, policy: thrice, ends: []error{pegboard.Transient(pegboard.ErrDeferred, 0)}, attempts: 1, text: "Fetch has not been answered yet. The answer comes later.", is: pegboard.ErrDeferred},
		{name: "the service asks for a long pause", traits: looksOnly, policy: thrice, ends: []error{pegboard.Transient(errReset, time.Minute)}, attempts: 1, is: errReset,
			text: "connection reset (try again after 1m0s) (tried once; not again, since the pause that is asked for is longer than a call may wait)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := attempts{traits: tt.traits, info: pegboard.Info{Retry: tt.policy}, ends: tt.ends}
				out := a.fetch(t, t.Context(), bypass(t), executor(pegboard.Executor{}))
				require.Equal(t, tt.attempts, out.Attempts)
				require.Len(t, a.begun, tt.attempts)
				require.Equal(t, tt.text, out.Result.Text())
				if tt.is == nil {
					require.NoError(t, out.Err)
					return
				}
				require.ErrorIs(t, out.Err, tt.is)
				if !errors.Is(tt.is, pegboard.ErrDenied) && !errors.Is(tt.is, pegboard.ErrDeferred) {
					require.ErrorIs(t, out.Err, pegboard.ErrToolFailed)
				}
			})
		})
	}
}

// TestRetryOfATransport wraps what net/http returns.
func TestRetryOfATransport(t *testing.T) {
	t.Parallel()
	client := http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, errReset }}}
	tried := 0
	tool := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "Fetch", Retry: pegboard.RetryPolicy{Attempts: 3, Delay: time.Microsecond}},
		Description: "Fetches something.", Traits: looksOnly,
		Call: func(ctx ctx, _ struct{}, _ *pegboard.Call) (string, error) {
			tried++
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://rates.example", http.NoBody)
			if err != nil {
				return "", err
			}
			answer, err := client.Do(req)
			if err != nil {
				return "", pegboard.Transient(err, 0)
			}
			return answer.Status, answer.Body.Close()
		},
	})
	out := run(t, registryOf(t, tool), session(t, bypass(t)), call("1", "Fetch", `{}`))
	require.Equal(t, 3, tried)
	require.ErrorIs(t, out.Err, errReset)
}

// TestRetryPauses holds the pauses against the policy: at random, doubling up to the
// longest, and no shorter than the service asks for.
func TestRetryPauses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		policy pegboard.RetryPolicy
		after  time.Duration
		most   []time.Duration
	}{
		{name: "doubling", policy: pegboard.RetryPolicy{Attempts: 6, Delay: time.Second, MaxDelay: 6 * time.Second},
			most: []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 6 * time.Second, 6 * time.Second}},
		{name: "defaults", policy: pegboard.RetryPolicy{Attempts: 7},
			most: []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 20 * time.Second}},
		{name: "a delay above the longest", policy: pegboard.RetryPolicy{Attempts: 3, Delay: time.Hour, MaxDelay: time.Second}, most: []time.Duration{time.Second, time.Second}},
		{name: "many attempts do not overflow", policy: pegboard.RetryPolicy{Attempts: 3, Delay: 1 << 62, MaxDelay: 1<<63 - 1}, most: []time.Duration{1 << 62, 1<<63 - 1}},
		{name: "as the service asks", policy: pegboard.RetryPolicy{Attempts: 3, Delay: time.Second}, after: 5 * time.Second, most: []time.Duration{5 * time.Second, 5 * time.Second}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				differ := map[time.Duration]bool{}
				for range 20 {
					a := attempts{traits: looksOnly, info: pegboard.Info{Retry: tt.policy}, ends: []error{pegboard.Transient(errReset, tt.after)}}
					a.fetch(t, t.Context(), bypass(t), executor(pegboard.Executor{}))
					require.Len(t, a.begun, len(tt.most)+1)
					for i, most := range tt.most {
						pause := a.begun[i+1].Sub(a.begun[i])
						require.GreaterOrEqual(t, pause, tt.after)
						require.LessOrEqual(t, pause, most)
						differ[pause] = true
					}
				}
				require.Equal(t, tt.after == 0, len(differ) > 1, "at random, unless the service says when")
			})
		})
	}
}

func TestRetryWithinTheTimeLimit(t *testing.T) {
	t.Parallel()
	policy := pegboard.RetryPolicy{Attempts: 10}
	tests := []struct {
		name  string
		takes time.Duration
		pause time.Duration
		text  string
		is    error
		after time.Duration // when the call ends
	}{
		{name: "an attempt takes too long", takes: 7 * time.Second, pause: time.Second, is: pegboard.ErrTimeout, after: 10 * time.Second,
			text: "Fetch was stopped before it finished; it may have done part of its work: it took too long (timed out after 10s). Do less at once, or give it more time if its input can."},
		{name: "a pause would take too long", takes: time.Second, pause: 7 * time.Second, is: errReset, after: 9 * time.Second,
			text: "connection reset (try again after 7s) (tried 2 times; not again, since there is no time left for another attempt)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := attempts{traits: looksOnly, info: pegboard.Info{Retry: policy, Timeout: 10 * time.Second}, takes: tt.takes, ends: []error{pegboard.Transient(errReset, tt.pause)}}
				begun := time.Now()
				out := a.fetch(t, t.Context(), bypass(t), executor(pegboard.Executor{}))
				require.ErrorIs(t, out.Err, tt.is)
				require.Equal(t, tt.text, out.Result.Text())
				require.Equal(t, 2, out.Attempts)
				require.Equal(t, tt.after, time.Since(begun))
			})
		})
	}
}

// TestRetryIsStopped ends a call in its pause, by every cause there is, at once.
func TestRetryIsStopped(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		info pegboard.Info
		stop func(s *pegboard.Session, cancel context.CancelCauseFunc)
		is   error // nil if the call goes on
	}{
		{name: "the user interrupts", is: pegboard.ErrUserInterrupt, stop: func(_ *pegboard.Session, cancel context.CancelCauseFunc) { cancel(pegboard.ErrUserInterrupt) }},
		{name: "the session is interrupted", is: pegboard.ErrUserInterrupt, stop: func(s *pegboard.Session, _ context.CancelCauseFunc) { s.Interrupt(nil) }},
		{name: "a new message cancels", info: pegboard.Info{Interrupt: pegboard.InterruptCancel}, is: pegboard.ErrNewMessage, stop: func(_ *pegboard.Session, cancel context.CancelCauseFunc) { cancel(pegboard.ErrNewMessage) }},
		{name: "a new message would detach", info: pegboard.Info{Interrupt: pegboard.InterruptDetach}, is: pegboard.ErrNewMessage, stop: func(_ *pegboard.Session, cancel context.CancelCauseFunc) { cancel(pegboard.ErrNewMessage) }},
		{name: "a new message waits", stop: func(_ *pegboard.Session, cancel context.CancelCauseFunc) { cancel(pegboard.ErrNewMessage) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				s := session(t, bypass(t))
				tt.info.Retry = pegboard.RetryPolicy{Attempts: 2}
				a := attempts{traits: looksOnly, info: tt.info, ends: []error{pegboard.Transient(errReset, 10*time.Second), nil}}
				pool := registryOf(t, a.tool()).AssemblePool(s, pegboard.PoolConfig{})
				begun := time.Now()
				time.AfterFunc(time.Second, func() { tt.stop(s, cancel) })
				ex := executor(pegboard.Executor{})
				out := ex.Run(ctx, pool, call("1", "Fetch", `{}`))[0]
				if tt.is == nil {
					require.NoError(t, out.Err)
					require.Equal(t, 10*time.Second, time.Since(begun))
					return
				}
				require.Equal(t, time.Second, time.Since(begun))
				require.ErrorIs(t, out.Err, tt.is)
				require.ErrorIs(t, out.Err, pegboard.ErrCancelled)
				require.Equal(t, 1, out.Attempts)
				require.Empty(t, s.Detached())
			})
		})
	}
}

// TestRetryEndsWithTheTool does not call a tool again that was given up, or that ended
// its goroutine.
func TestRetryEndsWithTheTool(t *testing.T) {
	t.Parallel()
	policy := pegboard.RetryPolicy{Attempts: 5, Delay: time.Second}
	t.Run("panic", func(t *testing.T) {
		t.Parallel()
		a := attempts{traits: looksOnly, info: pegboard.Info{Retry: policy}, then: func(ctx, *pegboard.Call, int) error { panic(pegboard.Transient(errReset, 0)) }}
		out := a.fetch(t, t.Context(), bypass(t), executor(pegboard.Executor{}))
		require.ErrorIs(t, out.Err, pegboard.ErrPanic)
		require.Equal(t, 1, out.Attempts)
	})
	t.Run("goexit in the second attempt", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			a := attempts{traits: looksOnly, info: pegboard.Info{Retry: policy}, then: func(_ ctx, _ *pegboard.Call, n int) error {
				if n == 1 {
					runtime.Goexit()
				}
				return pegboard.Transient(errReset, 0)
			}}
			out := a.fetch(t, t.Context(), bypass(t), executor(pegboard.Executor{}))
			require.ErrorIs(t, out.Err, pegboard.ErrPanic)
			require.Equal(t, 2, out.Attempts)
		})
	})
	t.Run("abandoned", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			a := attempts{traits: looksOnly, info: pegboard.Info{Retry: policy, Timeout: time.Second}, then: func(ctx, *pegboard.Call, int) error {
				time.Sleep(time.Minute)
				return pegboard.Transient(errReset, 0)
			}}
			out := a.fetch(t, t.Context(), bypass(t), executor(pegboard.Executor{}))
			require.ErrorIs(t, out.Err, pegboard.ErrDetached)
			require.Equal(t, 1, out.Attempts)
			time.Sleep(time.Hour)
			require.Len(t, a.begun, 1)
		})
	})
	t.Run("its own answer", func(t *testing.T) {
		t.Parallel()
		tried := 0
		tool := teller(pegboard.Info{Name: "Tell", Retry: policy}, func(*pegboard.Call) (*pegboard.Result, error) {
			tried++
			return &pegboard.Result{IsError: true, Parts: []pegboard.Part{{Text: "no such page"}}}, nil
		})
		out := run(t, registryOf(t, tool), session(t, bypass(t)), call("1", "Tell", `{}`))
		require.NoError(t, out.Err)
		require.True(t, out.Result.IsError)
		require.Equal(t, 1, tried)
	})
}

// TestRetryFreesTheWorker lets another call run in the pause, and lets no conflicting one
// in between.
func TestRetryFreesTheWorker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		traits := looksOnly
		traits.Targets = []pegboard.Target{pathTo(pegboard.AccessRead, "a")}
		a := attempts{traits: traits, info: pegboard.Info{Retry: pegboard.RetryPolicy{Attempts: 2}}, takes: time.Second, ends: []error{pegboard.Transient(errReset, 10*time.Second), nil}}
		var ended []string
		ex := executor(pegboard.Executor{MaxParallel: 1, OnEvent: func(e pegboard.Event) {
			if e.Kind == pegboard.EventFinished {
				ended = append(ended, fmt.Sprint(e.Call.ID, " ", e.Outcome.Elapsed))
			}
		}})
		cfg := bypass(t)
		cfg.Hooks.Pre = func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
			if h.Call.ID == "beside" { // the worker is taken when it comes
				time.Sleep(time.Second / 2)
			}
			return pegboard.Decision{}, nil
		}
		pool := registryOf(t, a.tool(), worker(func(job, bool) {})).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
		outs := ex.Run(t.Context(), pool,
			call("fetch", "Fetch", `{}`),
			call("beside", "Work", `{"class":"shared","path":"b","ms":2000}`),
			call("after", "Work", `{"class":"target","path":"a","write":true,"ms":1000}`))
		for _, out := range outs {
			require.NoError(t, out.Err)
		}
		require.Equal(t, []string{"beside 3s", "fetch 12s", "after 13s"}, ended)
	})
}

// TestRetryTellsOnce: hooks after the call run once, and so does the event of its start;
// each retry is an event.
func TestRetryTellsOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hooks, events := 0, []string{}
		cfg := bypass(t)
		hook := func(_ ctx, h *pegboard.HookCall) error {
			hooks++
			h.Say(pegboard.Part{Text: fmt.Sprint("attempts so far: ", h.Outcome.Attempts)})
			return nil
		}
		cfg.Hooks.Post, cfg.Hooks.PostFailure = hook, hook
		a := attempts{traits: looksOnly, info: pegboard.Info{Retry: pegboard.RetryPolicy{Attempts: 3}}, ends: []error{pegboard.Transient(errReset, 2*time.Second), pegboard.Transient(io.EOF, 3*time.Second), nil}}
		out := a.fetch(t, t.Context(), cfg, executor(pegboard.Executor{OnEvent: func(e pegboard.Event) { events = append(events, e.Kind.String()+": "+e.Text) }}))
		require.NoError(t, out.Err)
		require.Equal(t, 1, hooks)
		require.Equal(t, "attempts so far: 3", out.Result.Messages[0].Text)
		require.Equal(t, []string{
			"admitted: ", "decided: ", "started: ",
			"retried: attempt 2 of 3 in 2s: connection reset (try again after 2s)",
			"retried: attempt 3 of 3 in 3s: EOF (try again after 3s)",
			"finished: ",
		}, events)
	})
}

// TestRetryOfAnotherEngine: the policy is around Invoke.
func TestRetryOfAnotherEngine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		a := attempts{traits: looksOnly, info: pegboard.Info{Retry: pegboard.RetryPolicy{Attempts: 2}}, ends: []error{nil}}
		out := a.fetch(t, t.Context(), bypass(t), executor(pegboard.Executor{Invoke: func(ctx ctx, tool pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
			if sent++; sent == 1 {
				return nil, pegboard.Transient(errReset, 0)
			}
			return tool.Call(ctx, c)
		}}))
		require.NoError(t, out.Err)
		require.Equal(t, 2, sent)
		require.Equal(t, 2, out.Attempts)
	})
}

// TestAttemptsOfCallsThatDidNotRun counts none.
func TestAttemptsOfCallsThatDidNotRun(t *testing.T) {
	t.Parallel()
	out := run(t, registryOf(t, inert("T")), session(t, pegboard.SessionConfig{}), call("1", "T", `{}`))
	require.ErrorIs(t, out.Err, pegboard.ErrDenied)
	require.Zero(t, out.Attempts)
	out = run(t, registryOf(t, inert("T")), session(t, bypass(t)), call("1", "T", `{}`))
	require.NoError(t, out.Err)
	require.Equal(t, 1, out.Attempts)
}
