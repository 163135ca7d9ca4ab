package pegboard_test

import (
	"bytes"
	"context"
	"log/slog"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

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
				if e.Kind == pegboard.EventAwaited {
					sayTitle(t, e.Awaited, "a")
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
				Permissions: rules(t, "", pegboard.RuleSet{Ask: []string{"T"}}),
				Ask: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
					return pegboard.Decision{Behavior: pegboard.Allow}, nil
				},
				Hooks: pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
					h.Emit("looking")
					return pegboard.Decision{}, nil
				}},
			})
			calls, pool := []pegboard.Call{call("1", "T", "{} and more"), call("2", "T", ``)}, a.pool(t, s)
			switch kind {
			case pegboard.EventDetached:
				calls = []pegboard.Call{call("deaf", "T", ``)}
			case pegboard.EventAwaited, pegboard.EventReleased:
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
			_ = e.Call.ReadOnly()
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
	cfg.Hooks.Pre = func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
		for range 300 {
			h.Emit("line")
		}
		return pegboard.Decision{}, nil
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
