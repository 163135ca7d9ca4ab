package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

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
	asks := func(p *parts) { p.cfg.Permissions = rules(t, pegboard.ModeDefault, pegboard.RuleSet{}) }
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
			p.def.Permit = func(ctx, struct{}, *pegboard.Call) (d pegboard.Decision) { p.stuck(); return d }
		},
		"Call": func(p *parts) {
			p.def.Call = func(ctx, struct{}, *pegboard.Call) (string, error) { p.stuck(); return "", nil }
		},
		"Guard": func(p *parts) {
			p.cfg.Guard = func(ctx, *pegboard.Question) (d pegboard.Decision, err error) { p.stuck(); return d, nil }
		},
		"Pre": func(p *parts) {
			p.cfg.Hooks.Pre = func(ctx, *pegboard.HookCall) (d pegboard.Decision, err error) { p.stuck(); return d, nil }
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
			p.cfg.Hooks.Permission = func(ctx, *pegboard.Question) (d pegboard.Decision, err error) { p.stuck(); return d, nil }
		},
		"Approver": func(p *parts) {
			asks(p)
			p.cfg.Approvers = []pegboard.Asker{func(ctx, *pegboard.Question) (d pegboard.Decision, err error) { p.stuck(); return d, nil }}
		},
		"Classifier": func(p *parts) {
			p.cfg.Permissions = rules(t, pegboard.ModeAuto, pegboard.RuleSet{})
			p.cfg.Classifier = func(ctx, *pegboard.Question) (d pegboard.Decision, err error) { p.stuck(); return d, nil }
			p.def.ClassifierInput = func(struct{}, *pegboard.Call) string { return "a call" }
		},
		"ClassifierInput": func(p *parts) {
			p.cfg.Permissions = rules(t, pegboard.ModeAuto, pegboard.RuleSet{})
			p.def.ClassifierInput = func(struct{}, *pegboard.Call) string { p.stuck(); return "" }
		},
		"OnRemember": func(p *parts) {
			asks(p)
			p.cfg.OnRemember = func(ctx, []pegboard.PermissionUpdate) error { p.stuck(); return nil }
			p.cfg.Approvers = []pegboard.Asker{func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
				return pegboard.Decision{Behavior: pegboard.Allow, Remember: []pegboard.PermissionUpdate{allowRule(pegboard.SourceLocal, "Tool", "")}}, nil
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
			p.cfg.Hooks.Pre = func(_ ctx, h *pegboard.HookCall) (d pegboard.Decision, err error) { h.Call.Observed(); return d, nil }
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
		"CountTokens": func(p *parts) {
			p.cfg.Budgets = []pegboard.CallBudget{{Tokens: 1000}}
			p.cfg.CountTokens = func(*pegboard.Result) int { p.stuck(); return 0 }
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
					p.cfg.Breaker = pegboard.BreakerLimits{Errors: -1, Repeats: -1, Denials: -1}
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
			d.Permit = func(c ctx, _ struct{}, _ *pegboard.Call) (own pegboard.Decision) { f(c); return own }
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
