package pegboard_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestSupplyStages: a call that the host executes is decided before, and what follows is as
// for any tool: events, hooks, limits.
func TestSupplyStages(t *testing.T) {
	t.Parallel()
	cfg := pegboard.SessionConfig{Permissions: rules(t, "", pegboard.RuleSet{Allow: []string{"Open"}})}
	cfg.Hooks = pegboard.Hooks{
		Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
			if string(h.Call.Input) == `{"url":"a"}` {
				return pegboard.Decision{Input: []byte(`{"url":"b"}`)}, nil
			}
			return pegboard.Decision{}, nil
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
	h := &host{execute: func(a *pegboard.AwaitedCall) {
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
	require.Equal(t, pegboard.Allow, o.Decision.Behavior)
	require.NotEmpty(t, o.Result.Parts[0].Ref, "too long for the model: it was stored")
	require.Zero(t, invoked)
	require.Equal(t, []pegboard.EventKind{
		pegboard.EventAdmitted, pegboard.EventDecided, pegboard.EventStarted, pegboard.EventAwaited, pegboard.EventProgress, pegboard.EventReleased, pegboard.EventFinished,
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
	require.NotContains(t, h.kinds, pegboard.EventAwaited)
	require.Empty(t, s.Awaited())
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
			for _, a := range s.Awaited() {
				list = append(list, a.Call.ID)
			}
			slices.Sort(list)
			return list
		}
		require.Equal(t, []string{"1", "3"}, ids(), "2 waits for the tab of 1")
		for len(s.Awaited()) > 0 {
			sayTitle(t, s.Awaited()[0], "x")
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
				id := s.Awaited()[0].ID
				if tc.end != nil {
					tc.end(s, stream, cancel)
				}
				outs := slices.Collect(stream.Outcomes())
				require.Len(t, outs, 1)
				for _, is := range tc.is {
					require.ErrorIs(t, outs[0].Err, is)
				}
				require.Contains(t, outs[0].Result.Text(), tc.says)
				require.Empty(t, s.Awaited())
				require.ErrorIs(t, s.Supply(id, pegboard.Supply{Result: pegboard.TextResult("late")}), pegboard.ErrNotAwaited)
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
		time.AfterFunc(time.Hour, func() { sayTitle(t, s.Awaited()[0], "at last") })
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
	h := &host{execute: func(a *pegboard.AwaitedCall) {
		if ids[a.ID] = true; len(ids) < 3 {
			require.NoError(t, a.Supply(pegboard.Supply{Err: errors.New("try again")}))
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
		require.ErrorIs(t, err, pegboard.ErrNotAwaited)
	}
}
