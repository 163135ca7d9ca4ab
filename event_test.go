package pegboard_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
)

// TestEventsTellTheWholeStory compares the events of one batch with the story.
func TestEventsTellTheWholeStory(t *testing.T) {
	t.Parallel()
	var reg pegboard.Registry
	require.NoError(t, reg.Add(pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "T"}, Description: "For a test.",
		Call: func(_ ctx, _ struct{}, c *pegboard.Call) (string, error) {
			c.Emit("half way")
			return "ok", nil
		},
	})))
	cfg := pegboard.SessionConfig{Ask: func(ctx, *pegboard.Question) (policy.Decision, error) {
		return policy.Decision{Behavior: policy.Allow}, nil
	}}
	var story []string
	var late *pegboard.Call
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
		story = append(story, e.Call.ID+" "+e.Kind.String())
		if e.Kind == pegboard.EventStarted {
			e.Call.Emit("from the listener") // must neither deadlock nor overtake
		}
		late = e.Call
	}})
	ex.Run(t.Context(), reg.AssemblePool(session(t, cfg), pegboard.PoolConfig{}), call("1", "T", ``), call("2", "nobody", ``))
	require.Equal(t, []string{"1 admitted", "2 admitted"}, story[:2])
	mine := slices.DeleteFunc(slices.Clone(story), func(s string) bool { return s[0] != '1' })
	require.Equal(t, []string{"1 admitted", "1 asked", "1 settled", "1 decided", "1 started", "1 progress", "1 progress", "1 finished"}, mine)
	require.Contains(t, story, "2 finished")

	n := len(story)
	late.Emit("after the end")
	require.Len(t, story, n)
}

// TestEventsCarryTheContextOfTheBatch reads a value of the contexts that Run, Stream and
// Call.Run were given from their events, as a trace does with its span.
func TestEventsCarryTheContextOfTheBatch(t *testing.T) {
	t.Parallel()
	type key struct{}
	with := func(name string) context.Context { return context.WithValue(t.Context(), key{}, name) }
	var reg pegboard.Registry
	require.NoError(t, reg.Add(
		pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "Inner"}, Description: "For a test.",
			Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "ok", nil },
		}),
		pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "Outer"}, Description: "For a test.",
			Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
				c.Run(context.WithValue(ctx, key{}, "of the tool"), call("inner", "Inner", ``))
				return "ok", nil
			},
		}),
	))
	seen := map[string][]string{}
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
		name, _ := e.Context.Value(key{}).(string)
		seen[e.Call.ID] = append(seen[e.Call.ID], name)
	}})
	pool := reg.AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	ex.Run(with("of Run"), pool, call("outer", "Outer", ``))
	stream := ex.Stream(with("of Stream"), pool)
	stream.Submit(call("streamed", "Inner", ``))
	stream.Finish(pegboard.FinishToolCalls)
	for range stream.Outcomes() {
	}
	for id, want := range map[string]string{"outer": "of Run", "inner": "of the tool", "streamed": "of Stream"} {
		require.NotEmpty(t, seen[id])
		require.Equal(t, []string{want}, slices.Compact(seen[id]), id)
	}
}

// TestBrokenLoggerBesideABrokenListener: neither changes an outcome.
func TestBrokenLoggerBesideABrokenListener(t *testing.T) {
	t.Parallel()
	a := actor{name: "T"}
	ex := executor(pegboard.Executor{Logger: slog.New(brokenHandler{}), OnEvent: func(pegboard.Event) { panic("listener") }})
	outs := ex.Run(t.Context(), a.pool(t, session(t, bypass(t))), call("1", "T", ``), call("2", "T", ``))
	require.Len(t, outs, 2)
	for _, out := range outs {
		require.NoError(t, out.Err)
	}
}

// TestListenerThatEndsItsGoroutine loses its event, whichever that is.
func TestListenerThatEndsItsGoroutine(t *testing.T) {
	t.Parallel()
	for kind := pegboard.EventAdmitted; kind <= pegboard.EventFinished; kind++ {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			met := 0
			ex := executor(pegboard.Executor{Repair: pegboard.Repair{Syntax: true}, Grace: time.Millisecond, OnEvent: func(e pegboard.Event) {
				if e.Kind == pegboard.EventExternal {
					sayTitle(t, e.External, "a")
				}
				if e.Kind == kind {
					met++
					runtime.Goexit()
				}
			}})
			deaf := make(chan struct{})
			failed := false
			a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true}, retry: pegboard.RetryPolicy{Attempts: 2, Delay: 1}, call: func(_ ctx, c *pegboard.Call) error {
				c.Emit("half way")
				if c.ID == "deaf" {
					<-deaf
				}
				if kind == pegboard.EventRetried && !failed {
					failed = true
					return pegboard.Transient(errReset, 0)
				}
				return nil
			}}
			if kind == pegboard.EventDetached {
				a.traits.Timeout = time.Millisecond
			}
			s := session(t, pegboard.SessionConfig{
				Groups:      map[string]pegboard.GroupLimit{"T": {PerSecond: 20}},
				Permissions: rules(t, "", policy.RuleSet{Ask: []string{"T"}}),
				Ask: func(ctx, *pegboard.Question) (policy.Decision, error) {
					return policy.Decision{Behavior: policy.Allow}, nil
				},
				Hooks: pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
					h.Emit("looking")
					return policy.Decision{}, nil
				}},
			})
			calls, pool := []pegboard.Call{call("1", "T", "{} and more"), call("2", "T", ``)}, a.pool(t, s)
			switch kind {
			case pegboard.EventDetached:
				calls = []pegboard.Call{call("deaf", "T", ``)}
			case pegboard.EventExternal, pegboard.EventReleased:
				calls, pool = []pegboard.Call{call("1", "Open", ``), call("2", "Open", ``)}, registryOf(t, browser(pegboard.Info{})).AssemblePool(s, pegboard.PoolConfig{})
			}
			outs := make(chan []pegboard.Outcome, 1)
			go func() {
				defer close(outs)
				outs <- ex.Run(context.Background(), pool, calls...)
			}()
			got, ok := <-outs
			close(deaf)
			require.True(t, ok, "Run did not return")
			for _, out := range got {
				if kind == pegboard.EventDetached {
					require.ErrorIs(t, out.Err, pegboard.ErrDetached)
				} else {
					require.NoError(t, out.Err)
				}
			}
			require.NotZero(t, met, "no such event")
			require.Eventually(t, func() bool { return len(s.Detached()) == 0 }, time.Minute, time.Millisecond)
		})
	}
}

// TestListenerThatEndsItsGoroutineAtTheEnd loses its event: the outcome stands,
// and the event is sent once.
func TestListenerThatEndsItsGoroutineAtTheEnd(t *testing.T) {
	t.Parallel()
	a := actor{name: "T"}
	met := 0
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventFinished {
			met++
			runtime.Goexit()
		}
	}})
	outs := ex.Run(t.Context(), a.pool(t, session(t, bypass(t))), call("1", "T", ``), call("2", "T", ``))
	require.Equal(t, 2, met)
	for _, out := range outs {
		require.NoError(t, out.Err)
		require.Equal(t, "done", out.Result.Text())
	}
}

// TestListenerThatPanicsLosesItsEventOnly also covers one that ends its
// goroutine.
func TestListenerThatPanicsLosesItsEventOnly(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	var reg pegboard.Registry
	require.NoError(t, reg.Add(worker(func(job, bool) {})))
	ex := executor(pegboard.Executor{Logger: slog.New(slog.NewTextHandler(&log, nil)), OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventStarted {
			panic("listener")
		}
	}})
	outs := ex.Run(t.Context(), reg.AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{}), call("1", "Work", ``))
	require.NoError(t, outs[0].Err)
	require.Contains(t, log.String(), "listener")
}

// brokenHandler panics at every record.
type brokenHandler struct{ slog.Handler }

func (brokenHandler) Enabled(context.Context, slog.Level) bool { return true }

func (brokenHandler) Handle(context.Context, slog.Record) error { panic("the disk is full") }

// TestBrokenLoggerHoldsUpNobody: a log line is lost, no call and no outcome.
func TestBrokenLoggerHoldsUpNobody(t *testing.T) {
	t.Parallel()
	a := actor{name: "T", call: func(ctx, *pegboard.Call) error { panic("boom") }}
	ex := executor(pegboard.Executor{Logger: slog.New(brokenHandler{})})
	outs := ex.Run(t.Context(), a.pool(t, session(t, bypass(t))), call("1", "T", ``), call("2", "T", ``))
	for _, out := range outs {
		require.ErrorIs(t, out.Err, pegboard.ErrPanic)
		require.ErrorContains(t, out.Err, "boom")
	}
}

// A listener may interrupt the session at the first event.
func TestListenerMayInterruptTheSession(t *testing.T) {
	t.Parallel()
	s := openSession(t)
	pool := registryOf(t, inert("T")).AssemblePool(s, pegboard.PoolConfig{})
	within(t, "Interrupt in OnEvent", func() {
		ex := executor(pegboard.Executor{OnEvent: func(pegboard.Event) { s.Interrupt(pegboard.ErrUserInterrupt) }})
		ex.Run(context.Background(), pool, call("1", "T", ``))
	})
}

// A listener of a fork reads the permissions, which takes the session's lock, while the
// host interrupts the fork.
func TestListenerOfAForkDoesNotDeadlockWithInterrupt(t *testing.T) {
	t.Parallel()
	main := openSession(t)
	s, err := main.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "a"})
	require.NoError(t, err)
	pool := registryOf(t, inert("T")).AssemblePool(s, pegboard.PoolConfig{})
	begun := make(chan struct{})
	within(t, "a fork's listener", func() {
		go func() { <-begun; s.Interrupt(pegboard.ErrUserInterrupt) }()
		first := true
		ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
			if first {
				first = false
				close(begun)
				time.Sleep(100 * time.Millisecond)
			}
			_ = s.Permissions()
		}})
		ex.Run(context.Background(), pool, call("1", "T", ``))
	})
}

// A listener may hand events to another goroutine, which reads them while the call goes
// on.
func TestEventReadOnAnotherGoroutineDoesNotRace(t *testing.T) {
	t.Parallel()
	pool := workers(t)
	events := make(chan pegboard.Event, 100000)
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) { events <- e }})
	var group sync.WaitGroup
	group.Go(func() {
		for e := range events {
			_ = e.Call.Session()
			_ = e.Call.Targets()
			_ = e.Call.Facts().ReadOnly
		}
	})
	for range effort.Of(t, 200) {
		ex.Run(t.Context(), pool, call("1", "Work", `{"class":"shared"}`))
	}
	close(events)
	group.Wait()
}

// The events of a call share one copy of its input.
func TestEventsOfACallShareOneInput(t *testing.T) {
	t.Parallel()
	cfg := bypass(t)
	cfg.Hooks.Pre = func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
		for range 300 {
			h.Emit("line")
		}
		return policy.Decision{}, nil
	}
	inputs := map[*byte]bool{}
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventHook {
			inputs[&e.Call.Input[0]] = true
		}
	}})
	ex.Run(t.Context(), registryOf(t, inert("T")).AssemblePool(session(t, cfg), pegboard.PoolConfig{}), call("1", "T", `{}`))
	require.Len(t, inputs, 1)
}

// LogEvents reads the call of an admitted event on the goroutine that delivers, while
// the call is decoded on another.
func TestLogEventsOfAStreamDoesNotRace(t *testing.T) {
	t.Parallel()
	pool := workers(t)
	ex := executor(pegboard.Executor{OnEvent: pegboard.LogEvents(slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelDebug})))})
	for range effort.Of(t, 200) {
		s := ex.Stream(t.Context(), pool)
		for i := range 10 {
			s.Submit(call(fmt.Sprint(i), "Work", `{"class":"shared"}`))
		}
		s.Finish(pegboard.FinishStop)
		for range s.Outcomes() {
		}
	}
}

// LogEvents names the call that a call is the same as.
func TestLogEventsOfTheSameCall(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	ex := executor(pegboard.Executor{OnEvent: pegboard.LogEvents(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))})
	pool := registryOf(t, pegboard.Build(lookup(new(atomic.Int32)))).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	ex.Run(t.Context(), pool, call("c", "Look", `{"at":"a"}`), call("d", "Look", `{"at":"a"}`))
	require.Equal(t, 1, strings.Count(log.String(), "same_as"))
	require.Regexp(t, `msg="tool call finished" tool=Look call=d .*failed=false same_as=c`, log.String())
}

// LogEvents tells the kind of a call, so that a log can be searched for edits, and asks the
// tool for it only if the event is logged.
func TestLogEventsTellsTheKind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		kind  pegboard.CallKind
		level slog.Level
		want  string
	}{
		{name: "a kind", kind: pegboard.KindEdit, level: slog.LevelDebug, want: "kind=edit"},
		{name: "no kind", kind: pegboard.KindOther, level: slog.LevelDebug},
		{name: "none of the constants", kind: 99, level: slog.LevelDebug},
		{name: "not logged", kind: pegboard.KindEdit, level: slog.LevelWarn},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			tool := pegboard.Build(pegboard.Definition[struct{}, string]{
				Info: pegboard.Info{Name: "Work"}, Description: "Works.",
				Inspect: func(struct{}, *pegboard.Call) pegboard.Traits {
					asked.Add(1)
					return pegboard.Traits{Kind: c.kind}
				},
				Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "done", nil },
			})
			var log bytes.Buffer
			run := func(onEvent func(pegboard.Event)) int32 {
				asked.Store(0)
				ex := executor(pegboard.Executor{OnEvent: onEvent})
				require.NoError(t, ex.Run(t.Context(), registryOf(t, tool).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), call("c", "Work", `{}`))[0].Err)
				return asked.Load()
			}
			silent := run(func(pegboard.Event) {})
			got := run(pegboard.LogEvents(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: c.level}))))
			if c.level > slog.LevelDebug {
				require.Equal(t, silent, got)
			}
			if c.want == "" {
				require.NotContains(t, log.String(), "kind=")
				return
			}
			require.Regexp(t, `msg="tool call finished" .*`+c.want, log.String())
		})
	}
}
