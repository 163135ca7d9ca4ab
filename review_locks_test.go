package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

func thenTool(then func(*pegboard.Session)) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, *pegboard.Result]{
		Info: pegboard.Info{Name: "T"}, Description: "For a test.",
		Call: func(ctx, struct{}, *pegboard.Call) (*pegboard.Result, error) {
			r := pegboard.TextResult("ok")
			r.UpdateSession = then
			return r, nil
		},
	})
}

// Result.UpdateSession changes the permissions, which is what it is for; at that moment the user
// interrupts. Interrupt holds Session.mu and wants batch.mu; letGo holds batch.mu and
// wants Session.mu.
func TestReviewThenAgainstInterrupt(t *testing.T) {
	t.Parallel()
	s := openSession(t)
	begun := make(chan struct{})
	pool := registryOf(t, thenTool(func(s *pegboard.Session) {
		close(begun)
		time.Sleep(100 * time.Millisecond)
		_ = s.SetPermissions(s.Permissions())
	})).AssemblePool(s, pegboard.PoolConfig{})
	within(t, "Then and Interrupt", func() {
		go func() { <-begun; s.Interrupt(pegboard.ErrUserInterrupt) }()
		ex := executor(pegboard.Executor{})
		ex.Run(context.Background(), pool, call("1", "T", ``))
	})
}

// Then that interrupts, as a tool does that ends the turn.
func TestReviewThenInterrupts(t *testing.T) {
	t.Parallel()
	s := openSession(t)
	pool := registryOf(t, thenTool(func(s *pegboard.Session) { s.Interrupt(pegboard.ErrUserInterrupt) })).AssemblePool(s, pegboard.PoolConfig{})
	within(t, "Interrupt in Then", func() {
		ex := executor(pegboard.Executor{})
		ex.Run(context.Background(), pool, call("1", "T", ``))
	})
}

// A listener that interrupts the session at the first event ("returns at once", it says).
func TestReviewListenerInterrupts(t *testing.T) {
	t.Parallel()
	s := openSession(t)
	pool := registryOf(t, inert("T")).AssemblePool(s, pegboard.PoolConfig{})
	within(t, "Interrupt in OnEvent", func() {
		ex := executor(pegboard.Executor{OnEvent: func(pegboard.Event) { s.Interrupt(pegboard.ErrUserInterrupt) }})
		ex.Run(context.Background(), pool, call("1", "T", ``))
	})
}

// A listener that takes a moment while the host interrupts: a fork's listener that reads
// the permissions wants Session.mu.
func TestReviewForkListenerAgainstInterrupt(t *testing.T) {
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

// Finish and Abandon "may be called from any goroutine".
func TestReviewListenerFinishesStream(t *testing.T) {
	t.Parallel()
	s := openSession(t)
	pool := registryOf(t, inert("T")).AssemblePool(s, pegboard.PoolConfig{})
	within(t, "Finish in OnEvent", func() {
		var st *pegboard.Stream
		ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
			if e.Kind == pegboard.EventAdmitted && e.Call.ID == "2" {
				st.Finish(pegboard.FinishToolCalls)
			}
		}})
		st = ex.Stream(context.Background(), pool)
		st.Submit(call("1", "T", ``))
		st.Submit(call("2", "T", ``))
		for range st.Wait() {
		}
	})
}

// A Batch hook that ends its goroutine, as require does in a hook of a test: the lease is
// never given back, and Close waits for it for ever.
func TestReviewBatchHookGoexit(t *testing.T) {
	t.Parallel()
	cfg := bypass(t)
	cfg.Hooks.Batch = func(context.Context, []pegboard.Outcome) error { runtime.Goexit(); return nil }
	s, err := pegboard.NewSession(cfg)
	require.NoError(t, err)
	pool := registryOf(t, inert("T")).AssemblePool(s, pegboard.PoolConfig{})
	within(t, "Run", func() {
		ex := executor(pegboard.Executor{})
		ex.Run(context.Background(), pool, call("1", "T", ``))
	})
	patience, stop := context.WithTimeoutCause(context.Background(), time.Second, errors.New("Close hangs"))
	defer stop()
	require.NoError(t, s.Close(patience))
}

// The library's own LogEvents with a Stream: an admitted event is delivered by another
// goroutine's pump while its call is decoded, which overwrites versions[0].st.
func TestReviewLogEventsWithStream(t *testing.T) {
	t.Parallel()
	pool := workers(t)
	ex := executor(pegboard.Executor{OnEvent: pegboard.LogEvents(slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelDebug})))})
	for range effort.Of(t, 200) {
		s := ex.Stream(t.Context(), pool)
		for i := range 10 {
			s.Submit(call(fmt.Sprint(i), "Work", `{"class":"shared"}`))
		}
		s.Finish(pegboard.FinishStop)
		for range s.Wait() {
		}
	}
}

// A listener that hands events on, as every UI does.
func TestReviewAdmittedEventHandedOn(t *testing.T) {
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

// A host's repair that keeps the call it was given (for a log line, say).
func TestReviewRepairKeepsTheCall(t *testing.T) {
	t.Parallel()
	pool := workers(t)
	var group sync.WaitGroup
	ex := executor(pegboard.Executor{Repair: pegboard.Repair{Func: func(_ context.Context, _ pegboard.Tool, c *pegboard.Call, _ error) json.RawMessage {
		group.Go(func() { _ = c.Session(); _ = c.Parent() })
		return json.RawMessage(`{"class":"shared"}`)
	}}})
	for range effort.Of(t, 200) {
		ex.Run(t.Context(), pool, call("1", "Work", `{"class":3}`))
	}
	group.Wait()
}

// A hook that is late is left behind; what it still says must not race with the call,
// nor come after the call's last event.
func TestReviewLateHookEmits(t *testing.T) {
	t.Parallel()
	var group sync.WaitGroup
	cfg := bypass(t)
	cfg.Hooks = pegboard.Hooks{Timeout: time.Millisecond, OnFailure: pegboard.FailContinue, Pre: func(_ context.Context, h *pegboard.HookCall) (pegboard.Decision, error) {
		group.Add(1)
		defer group.Done()
		for begin := time.Now(); time.Since(begin) < 10*time.Millisecond; {
			h.Emit("late")
			time.Sleep(50 * time.Microsecond)
		}
		return pegboard.Decision{}, nil
	}}
	var kinds []pegboard.EventKind
	pool := registryOf(t, slow(pegboard.Info{Name: "T"}, false), slow(pegboard.Info{Name: "U"}, false)).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Call.ID == "1" {
			kinds = append(kinds, e.Kind)
		}
	}})
	for range effort.Of(t, 30) {
		kinds = nil
		ex.Run(t.Context(), pool, call("1", "T", `{"ms":2}`), call("2", "U", `{"ms":20}`))
		group.Wait()
		require.Equal(t, pegboard.EventFinished, kinds[len(kinds)-1])
	}
}

func TestReviewLateHookRaces(t *testing.T) {
	t.Parallel()
	var group sync.WaitGroup
	cfg := bypass(t)
	cfg.Hooks = pegboard.Hooks{Timeout: time.Millisecond, OnFailure: pegboard.FailContinue, Pre: func(_ context.Context, h *pegboard.HookCall) (pegboard.Decision, error) {
		group.Add(1)
		defer group.Done()
		for begin := time.Now(); time.Since(begin) < 10*time.Millisecond; {
			h.Emit("late")
		}
		return pegboard.Decision{}, nil
	}}
	pool := registryOf(t, slow(pegboard.Info{Name: "T"}, false)).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{OnEvent: func(pegboard.Event) {}})
	for range effort.Of(t, 30) {
		ex.Run(t.Context(), pool, call("1", "T", `{"ms":5}`))
		group.Wait()
	}
}

// Two who abandon a stream at once wait for the same end.
func TestReviewTwoAbandon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ex := executor(pegboard.Executor{})
		s := ex.Stream(t.Context(), registryOf(t, slow(pegboard.Info{Name: "T"}, true)).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}))
		s.Submit(call("1", "T", `{"ms":1000}`))
		s.Finish(pegboard.FinishToolCalls)
		time.Sleep(time.Millisecond)
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() { s.Abandon(nil) })
		}
		group.Wait()
		require.Len(t, slices.Collect(s.Wait()), 1)
	})
}
