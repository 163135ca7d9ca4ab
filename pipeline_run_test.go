package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// TestDetachedCallKeepsWhatItHolds: in its own batch, in later ones and for
// forks, until it returns.
func TestDetachedCallKeepsWhatItHolds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := session(t, bypass(t))
		child, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "a"})
		require.NoError(t, err)
		reg := registryOf(t, slow(pegboard.Info{Name: "Deaf", Timeout: time.Second}, true))
		ex := executor(pegboard.Executor{})
		outs := ex.Run(t.Context(), reg.AssemblePool(s, pegboard.PoolConfig{}), call("1", "Deaf", `{"path":"a","ms":60000}`), call("2", "Deaf", `{"path":"a","ms":1}`), call("3", "Deaf", `{"path":"b","ms":1}`))
		require.ErrorIs(t, outs[0].Err, pegboard.ErrDetached)
		require.ErrorIs(t, outs[1].Err, pegboard.ErrDetached)
		require.Contains(t, outs[1].Result.Text(), "Deaf write "+s.Dir()+"/a")
		require.NoError(t, outs[2].Err)
		require.Len(t, s.Detached(), 1)

		again := func(s *pegboard.Session) error {
			return ex.Run(t.Context(), reg.AssemblePool(s, pegboard.PoolConfig{}), call("4", "Deaf", `{"path":"a","ms":1}`))[0].Err
		}
		require.ErrorIs(t, again(s), pegboard.ErrDetached)
		require.ErrorIs(t, again(child), pegboard.ErrDetached)
		require.ErrorContains(t, s.Close(t.Context()), "Deaf write "+s.Dir()+"/a", "Close names what it could not end")
		time.Sleep(time.Minute)
		require.Empty(t, s.Detached())
	})
}

// TestStuckReaderRefusesNoCall: what only reads guards nothing once its call is answered.
func TestStuckReaderRefusesNoCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := session(t, bypass(t))
		reader := slow(pegboard.Info{Name: "Read", Timeout: time.Second}, true)
		pool := registryOf(t, reader, inert("Exclusive")).AssemblePool(s, pegboard.PoolConfig{})
		ex := executor(pegboard.Executor{})
		outs := ex.Run(t.Context(), pool, call("1", "Read", `{"ms":60000}`), call("2", "Exclusive", `{}`))
		require.ErrorIs(t, outs[0].Err, pegboard.ErrDetached)
		require.NoError(t, outs[1].Err)
		require.NoError(t, ex.Run(t.Context(), pool, call("3", "Exclusive", `{}`))[0].Err)
		require.Equal(t, []string{"Read"}, s.Detached())
		require.False(t, s.Forget("1"), "it holds nothing")
		time.Sleep(time.Minute)
		require.Empty(t, s.Detached())
	})
}

// TestHostForgetsAStuckWriter: the error names how.
func TestHostForgetsAStuckWriter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := session(t, bypass(t))
		pool := registryOf(t, slow(pegboard.Info{Name: "Deaf", Timeout: time.Second}, true)).AssemblePool(s, pegboard.PoolConfig{})
		ex := executor(pegboard.Executor{})
		path := `{"path":"a","ms":1}`
		outs := ex.Run(t.Context(), pool, call("stuck", "Deaf", `{"path":"a","ms":60000}`), call("2", "Deaf", path))
		require.ErrorContains(t, outs[1].Err, `Session.Forget("stuck") gives back what it holds`)
		require.NotContains(t, outs[1].Result.Text(), "Session.Forget", "that is not for the model")
		require.False(t, s.Forget("2"))
		require.True(t, s.Forget("stuck"))
		require.False(t, s.Forget("stuck"))
		require.NoError(t, ex.Run(t.Context(), pool, call("3", "Deaf", path))[0].Err)
		require.Len(t, s.Detached(), 1, "it still runs")
		time.Sleep(time.Minute)
		require.Empty(t, s.Detached())
	})
}

// A tool's time limit holds for a call that a new message has detached.
func TestTimeoutHoldsForADetachedCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tool := slow(pegboard.Info{Name: "T", Interrupt: pegboard.InterruptDetach, Timeout: 10 * time.Second}, false)
		s := session(t, bypass(t))
		turn, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(pegboard.ErrNewMessage) })
		ex := executor(pegboard.Executor{})
		out := ex.Run(turn, registryOf(t, tool).AssemblePool(s, pegboard.PoolConfig{}), call("1", "T", `{"ms":600000}`))[0]
		require.ErrorIs(t, out.Err, pegboard.ErrDetached)
		time.Sleep(time.Minute)
		left := s.Detached()
		time.Sleep(time.Hour)
		require.Empty(t, left)
	})
}

// TestStoppedCallSaysByWhomWhateverItsToolReturned: a shell whose command was ended
// reports that as an ordinary result.
func TestStoppedCallSaysByWhomWhateverItsToolReturned(t *testing.T) {
	t.Parallel()
	failed := &pegboard.Result{Parts: []pegboard.Part{{Text: "half"}}, IsError: true, Data: 7}
	tests := []struct {
		name    string
		returns func() (*pegboard.Result, error)
		data    any
		says    string
	}{
		{name: "a result", returns: func() (*pegboard.Result, error) { return pegboard.TextResult("all"), nil }, says: "was stopped while it ran: the user interrupted the turn. Nobody refused the call; repeat it only if the user wants it. It returned this:\nall"},
		{name: "a failure", returns: func() (*pegboard.Result, error) { return failed, nil }, data: 7, says: "It returned this:\nhalf"},
		{name: "nothing", returns: func() (*pegboard.Result, error) { return nil, nil }, says: "was stopped before it finished; it may have done part of its work: the user interrupted the turn"},
		{name: "its own error", returns: func() (*pegboard.Result, error) { return nil, errPlanned }, says: "was stopped before it finished; it may have done part of its work: the user interrupted the turn"},
		{name: "an error and a part", returns: func() (*pegboard.Result, error) { return failed, errPlanned }, data: 7, says: "repeat it only if the user wants it.\nhalf"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tool := pegboard.Build(pegboard.Definition[struct{}, *pegboard.Result]{
					Info: pegboard.Info{Name: "T"}, Description: "x.",
					Call: func(own ctx, _ struct{}, _ *pegboard.Call) (*pegboard.Result, error) {
						<-own.Done()
						return tc.returns()
					},
				})
				turn, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Second, func() { cancel(pegboard.ErrUserInterrupt) })
				ex := executor(pegboard.Executor{})
				out := ex.Run(turn, registryOf(t, tool).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), call("1", "T", ``))[0]
				require.ErrorIs(t, out.Err, pegboard.ErrCancelled)
				require.ErrorIs(t, out.Err, pegboard.ErrUserInterrupt)
				require.True(t, out.Result.IsError)
				require.Equal(t, tc.data, out.Result.Data)
				require.Contains(t, out.Result.Text(), tc.says)
			})
		})
	}
}

// TestForeignFuncsThatNeverReturnHangNoCall: whatever func of a tool or the host does not come
// back, after a stop every call has one outcome, and the session can be closed.
func TestForeignFuncsThatNeverReturnHangNoCall(t *testing.T) {
	t.Parallel()
	type parts struct {
		stuck    func() // never returns
		def      pegboard.Definition[struct{}, string]
		cfg      pegboard.SessionConfig
		executor pegboard.Executor
		input    string
		tool     pegboard.Tool // in the place of the one that def describes
		twice    bool          // the call is made two times
	}
	asks := func(p *parts) { p.cfg.Permissions = rules(t, policy.ModeDefault, policy.RuleSet{}) }
	tests := map[string]func(p *parts){
		"Inspect": func(p *parts) {
			p.def.Inspect = func(struct{}, *pegboard.Call) pegboard.Traits { p.stuck(); return pegboard.Traits{} }
		},
		"Bound": func(p *parts) {
			type account struct {
				Account string `json:"account"`
			}
			p.tool = pegboard.Build(pegboard.Definition[account, string]{
				Info: pegboard.Info{Name: "Tool"}, Description: "Does nothing.",
				Bound: map[string]pegboard.Binding{"account": func(*pegboard.Session) (any, error) { p.stuck(); return "a", nil }},
				Call:  func(ctx, account, *pegboard.Call) (string, error) { return "done", nil },
			})
		},
		"Validate": func(p *parts) { p.def.Validate = func(ctx, struct{}, *pegboard.Call) error { p.stuck(); return nil } },
		"Permit": func(p *parts) {
			p.def.Permit = func(ctx, struct{}, *pegboard.Call) (d policy.Decision) { p.stuck(); return d }
		},
		"Call": func(p *parts) {
			p.def.Call = func(ctx, struct{}, *pegboard.Call) (string, error) { p.stuck(); return "", nil }
		},
		"Guard": func(p *parts) {
			p.cfg.Guard = func(ctx, *pegboard.Question) (d policy.Decision, err error) { p.stuck(); return d, nil }
		},
		"Pre": func(p *parts) {
			p.cfg.Hooks.Pre = func(ctx, *pegboard.HookCall) (d policy.Decision, err error) { p.stuck(); return d, nil }
		},
		"Post": func(p *parts) { p.cfg.Hooks.Post = func(ctx, *pegboard.HookCall) error { p.stuck(); return nil } },
		"PostFailure": func(p *parts) {
			p.cfg.Hooks.PostFailure = func(ctx, *pegboard.HookCall) error { p.stuck(); return nil }
			p.def.Call = func(ctx, struct{}, *pegboard.Call) (string, error) { return "", errors.New("it failed") }
		},
		"NotRun": func(p *parts) {
			p.cfg.Hooks.NotRun = func(ctx, *pegboard.HookCall) error { p.stuck(); return nil }
			p.input = `{"no":"such"}`
		},
		"Batch": func(p *parts) { p.cfg.Hooks.Batch = func(ctx, []pegboard.Outcome) error { p.stuck(); return nil } },
		"Permission": func(p *parts) {
			asks(p)
			p.cfg.Hooks.Permission = func(ctx, *pegboard.Question) (d policy.Decision, err error) { p.stuck(); return d, nil }
		},
		"Approver": func(p *parts) {
			asks(p)
			p.cfg.Approvers = []pegboard.Asker{func(ctx, *pegboard.Question) (d policy.Decision, err error) { p.stuck(); return d, nil }}
		},
		"Classifier": func(p *parts) {
			p.cfg.Permissions = rules(t, policy.ModeAuto, policy.RuleSet{})
			p.cfg.Classifier = func(ctx, *pegboard.Question) (d policy.Decision, err error) { p.stuck(); return d, nil }
			p.def.ClassifierInput = func(struct{}, *pegboard.Call) string { return "a call" }
		},
		"ClassifierInput": func(p *parts) {
			p.cfg.Permissions = rules(t, policy.ModeAuto, policy.RuleSet{})
			p.def.ClassifierInput = func(struct{}, *pegboard.Call) string { p.stuck(); return "" }
		},
		"OnRemember": func(p *parts) {
			asks(p)
			p.cfg.OnRemember = func(ctx, []policy.Update) error { p.stuck(); return nil }
			p.cfg.Approvers = []pegboard.Asker{func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
				return policy.Decision{Behavior: policy.Allow, Remember: []policy.Update{allowRule(policy.SourceLocal, "Tool", "")}}, nil
			}}
		},
		"Equivalent": func(p *parts) {
			p.twice = true
			p.def.Inspect = func(struct{}, *pegboard.Call) pegboard.Traits {
				return pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared}
			}
			p.def.Equivalent = func(struct{}, struct{}) bool { p.stuck(); return true }
		},
		"Observe": func(p *parts) {
			p.def.Observe = func(struct{}, *pegboard.Call) map[string]any { p.stuck(); return nil }
			p.cfg.Hooks.Pre = func(_ ctx, h *pegboard.HookCall) (d policy.Decision, err error) { h.Call.Observed(); return d, nil }
		},
		"Repair.Func": func(p *parts) {
			p.executor.Repair.Func = func(ctx, pegboard.Tool, *pegboard.Call, error) json.RawMessage { p.stuck(); return nil }
			p.input = `{"no":"such"}`
		},
		"Invoke": func(p *parts) {
			p.executor.Invoke = func(ctx, pegboard.Tool, *pegboard.Call) (*pegboard.Result, error) { p.stuck(); return nil, nil }
		},
		"OnEvent": func(p *parts) { p.executor.OnEvent = func(pegboard.Event) { p.stuck() } },
		"TraceID": func(p *parts) {
			p.executor.OnEvent, p.executor.TraceID = func(pegboard.Event) {}, func(ctx) string { p.stuck(); return "" }
		},
	}
	stops := map[string]func(cancel context.CancelCauseFunc, s *pegboard.Session){
		"the context is cancelled":   func(cancel context.CancelCauseFunc, _ *pegboard.Session) { cancel(pegboard.ErrUserInterrupt) },
		"the session is interrupted": func(_ context.CancelCauseFunc, s *pegboard.Session) { s.Interrupt(nil) },
		"the session is closed":      func(_ context.CancelCauseFunc, s *pegboard.Session) { _ = s.Close(context.Background()) },
	}
	for name, change := range tests {
		for how, stop := range stops {
			t.Run(name+", "+how, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					release := make(chan struct{})
					p := &parts{stuck: func() { <-release }, input: `{}`, cfg: bypass(t)}
					p.cfg.Breaker = pegboard.BreakerLimits{Repeats: -1, Denials: -1}
					p.executor.Logger = slog.New(slog.DiscardHandler)
					p.def = pegboard.Definition[struct{}, string]{
						Info: pegboard.Info{Name: "Tool"}, Description: "Does nothing.",
						Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "done", nil },
					}
					change(p)
					s, err := pegboard.NewSession(p.cfg)
					require.NoError(t, err)
					calls := []pegboard.Call{call("1", "Tool", p.input)}
					if p.twice {
						calls = append(calls, call("2", "Tool", p.input))
					}
					if p.tool == nil {
						p.tool = pegboard.Build(p.def)
					}
					pool := registryOf(t, p.tool).AssemblePool(s, pegboard.PoolConfig{})
					runs, cancel := context.WithCancelCause(context.Background())
					defer cancel(nil)
					var outs []pegboard.Outcome
					done := make(chan struct{})
					go func() {
						defer close(done)
						outs = p.executor.Run(runs, pool, calls...)
					}()
					time.Sleep(time.Minute)
					go stop(cancel, s)
					begun := time.Now()
					<-done
					require.LessOrEqual(t, time.Since(begun), 6*pegboard.DefaultGrace)
					require.Len(t, outs, len(calls))
					for i, o := range outs {
						require.Equal(t, calls[i].ID, o.Call.ID)
						require.NotNil(t, o.Result)
						require.NotEmpty(t, o.Result.Parts)
					}
					limited, end := context.WithTimeout(context.Background(), time.Minute)
					defer end()
					_ = s.Close(limited) // it names what goes on
					require.NoError(t, limited.Err())
					close(release)
					synctest.Wait()
					require.Empty(t, s.Detached())
				})
			})
		}
	}
}

// TestTimeoutReachesWhatRunsBeforeTheCall: the tool's Timeout ends its other funcs, too.
func TestTimeoutReachesWhatRunsBeforeTheCall(t *testing.T) {
	t.Parallel()
	tests := map[string]func(d *pegboard.Definition[struct{}, string], f func(ctx)){
		"Inspect": func(d *pegboard.Definition[struct{}, string], f func(ctx)) {
			d.Inspect = func(struct{}, *pegboard.Call) pegboard.Traits { f(context.Background()); return pegboard.Traits{} }
		},
		"Validate": func(d *pegboard.Definition[struct{}, string], f func(ctx)) {
			d.Validate = func(c ctx, _ struct{}, _ *pegboard.Call) error { f(c); return c.Err() }
		},
		"Permit": func(d *pegboard.Definition[struct{}, string], f func(ctx)) {
			d.Permit = func(c ctx, _ struct{}, _ *pegboard.Call) (own policy.Decision) { f(c); return own }
		},
	}
	for name, with := range tests {
		for _, deaf := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, deaf %v", name, deaf), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					d := pegboard.Definition[struct{}, string]{
						Info: pegboard.Info{Name: "Tool", Timeout: time.Second}, Description: "Does nothing.",
						Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "done", nil },
					}
					release := make(chan struct{})
					with(&d, func(c ctx) {
						heard := c.Done()
						if deaf {
							heard = nil
						}
						select {
						case <-heard:
						case <-release:
						}
					})
					begun := time.Now()
					ex := executor(pegboard.Executor{Logger: slog.New(slog.DiscardHandler)})
					out := ex.Run(t.Context(), registryOf(t, pegboard.Build(d)).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), call("1", "Tool", `{}`))[0]
					close(release)
					synctest.Wait()
					require.ErrorIs(t, out.Err, pegboard.ErrTimeout)
					require.Contains(t, out.Result.Text(), "was not run: it took too long (timed out after 1s)")
					require.LessOrEqual(t, time.Since(begun), time.Second+pegboard.DefaultGrace)
				})
			})
		}
	}
}

// TestHookThatReturnsLateAfterAStopStillCounts: a func that ends within the grace period is not
// replaced.
func TestHookThatReturnsLateAfterAStopStillCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := bypass(t)
		cfg.Hooks.Post = func(_ ctx, h *pegboard.HookCall) error {
			time.Sleep(time.Second + pegboard.DefaultGrace - 1) // the stop comes after a second
			h.Outcome.Result = &pegboard.Result{Parts: []pegboard.Part{{Text: "checked"}}}
			return nil
		}
		s := session(t, cfg)
		time.AfterFunc(time.Second, func() { s.Interrupt(nil) })
		require.Equal(t, "checked", run(t, registryOf(t, inert("Tool")), s, call("1", "Tool", `{}`)).Result.Text())
	})
}

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
		traits.Targets = []policy.Target{pathTo(policy.Read, "a")}
		a := attempts{traits: traits, info: pegboard.Info{Retry: pegboard.RetryPolicy{Attempts: 2}}, takes: time.Second, ends: []error{pegboard.Transient(errReset, 10*time.Second), nil}}
		var ended []string
		ex := executor(pegboard.Executor{MaxParallel: 1, OnEvent: func(e pegboard.Event) {
			if e.Kind == pegboard.EventFinished {
				ended = append(ended, fmt.Sprint(e.Call.ID, " ", e.Outcome.Elapsed))
			}
		}})
		cfg := bypass(t)
		cfg.Hooks.Pre = func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
			if h.Call.ID == "beside" { // the worker is taken when it comes
				time.Sleep(time.Second / 2)
			}
			return policy.Decision{}, nil
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

// TestSupplyStages: a call that the host executes is decided before, and what follows is as
// for any tool: events, hooks, limits.
func TestSupplyStages(t *testing.T) {
	t.Parallel()
	cfg := pegboard.SessionConfig{Permissions: rules(t, "", policy.RuleSet{Allow: []string{"Open"}})}
	cfg.Hooks = pegboard.Hooks{
		Pre: func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
			if string(h.Call.Input) == `{"url":"a"}` {
				return policy.Decision{Input: []byte(`{"url":"b"}`)}, nil
			}
			return policy.Decision{}, nil
		},
		Post: func(_ ctx, h *pegboard.HookCall) error {
			require.Equal(t, page{Title: "of b"}, h.Outcome.Result.Data)
			r := *h.Outcome.Result
			r.Parts = append(r.Parts, pegboard.Part{Text: "checked"})
			h.Outcome.Result = &r
			return nil
		},
	}
	cfg.Limits.PerResult = 10
	_, pool := browsing(t, cfg)
	invoked := 0
	h := &host{execute: func(a *pegboard.ExternalCall) {
		require.Equal(t, `{"url":"b"}`, string(a.Call.Input), "the bytes that were decided")
		a.Call.Emit("loading")
		sayTitle(t, a, "of b")
	}}
	ex := executor(pegboard.Executor{OnEvent: h.listen, Invoke: func(ctx context.Context, tool pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
		invoked++
		return tool.Call(ctx, c)
	}})
	o := ex.Run(t.Context(), pool, call("1", "Open", `{"url":"a"}`))[0]
	require.NoError(t, o.Err)
	require.Equal(t, policy.Allow, o.Decision.Behavior)
	require.NotEmpty(t, o.Result.Parts[0].Ref, "too long for the model: it was stored")
	require.Zero(t, invoked)
	require.Equal(t, []pegboard.EventKind{
		pegboard.EventAdmitted, pegboard.EventDecided, pegboard.EventStarted, pegboard.EventExternal, pegboard.EventProgress, pegboard.EventReleased, pegboard.EventFinished,
	}, h.kinds)
}

// TestSupplyOfARefusedCall: what is denied, or against the schema, never reaches the host.
func TestSupplyOfARefusedCall(t *testing.T) {
	t.Parallel()
	s, pool := browsing(t, pegboard.SessionConfig{})
	h := &host{}
	ex := executor(pegboard.Executor{OnEvent: h.listen})
	outs := ex.Run(t.Context(), pool, call("1", "Open", `{}`), call("2", "Open", `{"uri":"a"}`))
	require.ErrorIs(t, outs[0].Err, pegboard.ErrNoApprover)
	require.ErrorIs(t, outs[1].Err, pegboard.ErrInvalidInput)
	require.NotContains(t, h.kinds, pegboard.EventExternal)
	require.Empty(t, s.ExternalCalls())
}

// TestSupplyHoldsKeysAndNoWorker: while the host executes a call, others run in the only
// place there is, but not those that touch the same.
func TestSupplyHoldsKeysAndNoWorker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		other := pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "Other"}, Description: "For a test.", Traits: pegboard.Traits{Concurrency: pegboard.Shared}, Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "ran", nil },
		})
		s, pool := browsing(t, bypass(t), browser(pegboard.Info{}), other)
		ex := executor(pegboard.Executor{MaxParallel: 1})
		stream := ex.Stream(t.Context(), pool)
		for _, c := range []pegboard.Call{call("1", "Open", `{"tab":"a"}`), call("2", "Open", `{"tab":"a"}`), call("3", "Open", `{"tab":"b"}`), call("4", "Other", `{}`)} {
			stream.Submit(c)
		}
		stream.Finish(pegboard.FinishToolCalls)
		synctest.Wait()
		ids := func() (list []string) {
			for _, a := range s.ExternalCalls() {
				list = append(list, a.Call.ID)
			}
			slices.Sort(list)
			return list
		}
		require.Equal(t, []string{"1", "3"}, ids(), "2 waits for the tab of 1")
		for len(s.ExternalCalls()) > 0 {
			sayTitle(t, s.ExternalCalls()[0], "x")
			synctest.Wait()
		}
		for o := range stream.Outcomes() {
			require.NoError(t, o.Err)
		}
	})
}

// TestSupplyThatNeverComes: a call that the host executes ends as those of any tool, and is
// no longer awaited then.
func TestSupplyThatNeverComes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		info pegboard.Info
		end  func(s *pegboard.Session, stream *pegboard.Stream, cancel context.CancelCauseFunc)
		is   []error
		says string
	}{
		{name: "time-out", info: pegboard.Info{Timeout: time.Minute}, is: []error{pegboard.ErrTimeout}, says: "it took too long"},
		{name: "the user stops", end: func(_ *pegboard.Session, _ *pegboard.Stream, cancel context.CancelCauseFunc) {
			cancel(pegboard.ErrUserInterrupt)
		},
			is: []error{pegboard.ErrCancelled, pegboard.ErrUserInterrupt}, says: "interrupted"},
		{name: "a message", info: pegboard.Info{Interrupt: pegboard.InterruptCancel}, end: func(_ *pegboard.Session, _ *pegboard.Stream, cancel context.CancelCauseFunc) {
			cancel(pegboard.ErrNewMessage)
		}, is: []error{pegboard.ErrCancelled, pegboard.ErrNewMessage}, says: "new message"},
		{name: "Interrupt", end: func(s *pegboard.Session, _ *pegboard.Stream, _ context.CancelCauseFunc) { s.Interrupt(nil) },
			is: []error{pegboard.ErrCancelled}, says: "interrupted"},
		{name: "Close", end: func(s *pegboard.Session, _ *pegboard.Stream, _ context.CancelCauseFunc) {
			go func() { _ = s.Close(context.Background()) }() // it waits until the stream has ended
		}, is: []error{pegboard.ErrCancelled, pegboard.ErrClosed}, says: "closing"},
		{name: "Abandon", end: func(_ *pegboard.Session, stream *pegboard.Stream, _ context.CancelCauseFunc) { stream.Abandon(nil) },
			is: []error{pegboard.ErrCancelled, pegboard.ErrAbandoned}, says: "given up"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, pool := browsing(t, bypass(t), browser(tc.info))
				turn, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				h := &host{}
				ex := executor(pegboard.Executor{OnEvent: h.listen})
				stream := ex.Stream(turn, pool)
				stream.Submit(call("1", "Open", `{}`))
				stream.Finish(pegboard.FinishToolCalls)
				synctest.Wait()
				id := s.ExternalCalls()[0].ID
				if tc.end != nil {
					tc.end(s, stream, cancel)
				}
				outs := slices.Collect(stream.Outcomes())
				require.Len(t, outs, 1)
				for _, is := range tc.is {
					require.ErrorIs(t, outs[0].Err, is)
				}
				require.Contains(t, outs[0].Result.Text(), tc.says)
				require.Empty(t, s.ExternalCalls())
				require.ErrorIs(t, s.SubmitResult(id, pegboard.ExternalResult{Result: pegboard.TextResult("late")}), pegboard.ErrNoExternalCall)
				require.NotEmpty(t, h.released[id], "the host is told to stop")
				require.Empty(t, s.Detached())
			})
		})
	}
}

// A message of the user waits for a call that the host executes, unless its tool says
// otherwise.
func TestSupplyBlocksAMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, pool := browsing(t, bypass(t))
		turn, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(pegboard.ErrNewMessage) })
		time.AfterFunc(time.Hour, func() { sayTitle(t, s.ExternalCalls()[0], "at last") })
		ex := executor(pegboard.Executor{})
		o := ex.Run(turn, pool, call("1", "Open", `{}`))[0]
		require.NoError(t, o.Err)
		require.Equal(t, page{Title: "at last"}, o.Result.Data)
	})
}

// retrying calls a tool until it succeeds.
type retrying struct{ pegboard.Tool }

func (r retrying) Call(ctx context.Context, c *pegboard.Call) (*pegboard.Result, error) {
	for {
		if result, err := r.Tool.Call(ctx, c); err == nil || ctx.Err() != nil {
			return result, err
		}
	}
}

// A wrapper may have the host execute a call again: each time has an id of its own.
func TestSupplyToAWrapper(t *testing.T) {
	t.Parallel()
	ids := map[string]bool{}
	_, pool := browsing(t, bypass(t), retrying{browser(pegboard.Info{})})
	h := &host{execute: func(a *pegboard.ExternalCall) {
		if ids[a.ID] = true; len(ids) < 3 {
			require.NoError(t, a.Submit(pegboard.ExternalResult{Err: errors.New("try again")}))
			return
		}
		sayTitle(t, a, "a")
	}}
	ex := executor(pegboard.Executor{OnEvent: h.listen})
	require.NoError(t, ex.Run(t.Context(), pool, call("1", "Open", `{}`))[0].Err)
	require.Len(t, ids, 3)
}

// A call that no executor runs waits for nobody.
func TestSupplyWithoutAnExecutor(t *testing.T) {
	t.Parallel()
	_, pool := browsing(t, bypass(t))
	made := call("1", "Open", `{}`)
	tool, rebuilt, err := pool.Rebuild(made)
	require.NoError(t, err)
	for _, c := range []*pegboard.Call{&made, rebuilt} {
		_, err = tool.Call(t.Context(), c)
		require.ErrorIs(t, err, pegboard.ErrNoExternalCall)
	}
}
