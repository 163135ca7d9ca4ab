package pegboard_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// TestExecutorSupply: a call that was put off is answered by an executor that has never seen
// it, by the same checks, hooks and limits, and is not decided again.
func TestExecutorSupply(t *testing.T) {
	t.Parallel()
	s, pool := browsing(t, bypass(t))
	h := &host{execute: func(a *pegboard.AwaitedCall) {
		require.NoError(t, s.Supply(a.ID, pegboard.Supply{Err: pegboard.ErrDeferred}))
	}}
	before := executor(pegboard.Executor{OnEvent: h.listen})
	first := before.Run(t.Context(), pool, call("1", "Open", `{"url":"a"}`))[0]
	require.ErrorIs(t, first.Err, pegboard.ErrDeferred)

	hooks := []string{}
	note := func(what string) func(ctx, *pegboard.HookCall) error {
		return func(_ ctx, h *pegboard.HookCall) error {
			hooks = append(hooks, what+" "+h.Call.ToolName())
			h.Say(pegboard.Part{Text: "from a hook"})
			return nil
		}
	}
	cfg := pegboard.SessionConfig{Hooks: pegboard.Hooks{
		Pre: func(ctx, *pegboard.HookCall) (pegboard.Decision, error) {
			return pegboard.Decision{Behavior: pegboard.Deny}, nil
		},
		Post: note("post"), PostFailure: note("failure"), NotRun: note("not run"),
		Batch: func(_ ctx, outs []pegboard.Outcome) error {
			hooks = append(hooks, fmt.Sprint("batch ", len(outs)))
			return nil
		},
	}}
	cfg.Limits.PerResult = 20
	later, far := browsing(t, cfg, browser(pegboard.Info{Timeout: time.Hour}), inert("Other"))
	ex := executor(pegboard.Executor{OnEvent: h.listen, Invoke: func(context.Context, pegboard.Tool, *pegboard.Call) (*pegboard.Result, error) {
		return nil, errors.New("it does not go through Invoke")
	}})
	made := pegboard.Call{ID: first.Call.ID, Name: first.Call.Name, Input: first.Call.Input}
	for _, wrong := range []struct {
		call pegboard.Call
		out  pegboard.Supply
		is   error
	}{
		{call: call("1", "Nobody", `{}`), out: pegboard.Supply{Output: []byte(`{}`)}, is: pegboard.ErrUnknownTool},
		{call: call("1", "Other", `{}`), out: pegboard.Supply{Output: []byte(`"a"`)}, is: pegboard.ErrNotAwaited},
		{call: call("1", "Open", `{"uri":1}`), out: pegboard.Supply{Output: []byte(`{"title":"a"}`)}, is: pegboard.ErrInvalidInput},
		{call: made, out: pegboard.Supply{Output: []byte(`{"title":1}`)}, is: pegboard.ErrInvalidOutput},
		{call: made, is: pegboard.ErrInvalidOutput},
	} {
		_, err := ex.Supply(t.Context(), far, wrong.call, wrong.out)
		require.ErrorIs(t, err, wrong.is)
	}
	require.Empty(t, hooks, "nothing has happened")

	h.kinds = nil
	o, err := ex.Supply(t.Context(), far, made, pegboard.Supply{Output: []byte(`{"title":"` + strings.Repeat("long ", 10) + `"}`)})
	require.NoError(t, err)
	require.NoError(t, o.Err)
	require.Equal(t, "1 Open "+`{"url":"a"}`, o.Call.ID+" "+o.Call.Name+" "+string(o.Call.Input))
	require.NotEmpty(t, o.Result.Parts[0].Ref)
	require.Equal(t, "from a hook", o.Result.Messages[0].Text)
	require.Equal(t, []string{"post Open", "batch 1"}, hooks)
	require.Equal(t, []pegboard.EventKind{pegboard.EventAdmitted, pegboard.EventStarted, pegboard.EventFinished}, h.kinds)
	require.Empty(t, later.Awaited())

	o, err = ex.Supply(t.Context(), far, made, pegboard.Supply{Err: errors.New("the tab crashed")})
	require.NoError(t, err)
	require.ErrorIs(t, o.Err, pegboard.ErrToolFailed)
	require.Equal(t, "failure Open", hooks[2])
}

// The loop breaker has counted a call when it was put off, and does not count its answer.
func TestExecutorSupplyIsNoMessage(t *testing.T) {
	t.Parallel()
	cfg := bypass(t)
	cfg.Breaker = pegboard.BreakerLimits{Repeats: 3}
	_, pool := browsing(t, cfg)
	ex := executor(pegboard.Executor{})
	for range 10 {
		o, err := ex.Supply(t.Context(), pool, call("1", "Open", `{}`), pegboard.Supply{Output: []byte(`{"title":"a"}`)})
		require.NoError(t, err)
		require.NoError(t, o.Err)
		require.False(t, o.StopTurn)
	}
}

// An awaited is what became of one call of the property test.
type suppliedCall struct {
	mu       sync.Mutex
	accepted map[string][]string // the texts that were supplied, by the call's id
	finished map[string]int
	after    []string // events after the last one of their call
}

// listen supplies each call some time later, or wrongly, or twice, or never.
func (w *suppliedCall) listen(r *rand.Rand) func(e pegboard.Event) {
	return func(e pegboard.Event) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.finished[e.Call.ID] > 0 {
			w.after = append(w.after, e.Call.ID+" "+e.Kind.String())
		}
		switch e.Kind {
		case pegboard.EventFinished:
			w.finished[e.Call.ID]++
		case pegboard.EventAwaited:
			for n := range r.IntN(4) { // perhaps never
				text := fmt.Sprintf("%s-%d", e.Call.ID, n)
				out := []pegboard.Supply{
					{Output: []byte(`{"title":"` + text + `"}`)}, {Result: pegboard.TextResult(text)}, {Err: errors.New(text)},
					{Output: []byte(`{"title":1}`)}, {Err: fmt.Errorf("%w: %s", pegboard.ErrDeferred, text)},
				}[r.IntN(5)]
				time.AfterFunc(time.Duration(r.IntN(4))*time.Second, func() { w.supply(e, out, text) })
			}
		}
	}
}

func (w *suppliedCall) supply(e pegboard.Event, out pegboard.Supply, text string) {
	err := e.Awaited.Supply(out)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil {
		w.accepted[e.Call.ID] = append(w.accepted[e.Call.ID], text)
	}
}

// TestSupplyProperty: whatever is supplied, wrongly or twice, and whatever stops the calls
// in the same instant, each has one outcome. What was accepted is in it, and at most one
// Supply is accepted.
func TestSupplyProperty(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(300)) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 36))
			s, pool := browsing(t, bypass(t), browser(pegboard.Info{
				Timeout: time.Duration(r.IntN(3)) * 2 * time.Second, Interrupt: pegboard.Interrupt(r.IntN(2)),
			}))
			w := &suppliedCall{accepted: map[string][]string{}, finished: map[string]int{}}
			turn, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			ex := executor(pegboard.Executor{MaxParallel: 1 + r.IntN(3), OnEvent: w.listen(r)})
			at := time.Duration(r.IntN(4)) * time.Second
			switch r.IntN(4) {
			case 0:
				time.AfterFunc(at, func() { cancel(pegboard.ErrNewMessage) })
			case 1:
				time.AfterFunc(at, func() { s.Interrupt(nil) })
			case 2:
				time.AfterFunc(at, func() { require.NoError(t, s.Close(context.Background())) })
			}
			time.AfterFunc(time.Hour, func() { s.Interrupt(nil) })
			var calls []pegboard.Call
			for i := range 1 + r.IntN(5) {
				calls = append(calls, call(fmt.Sprint(i), "Open", []string{`{}`, `{"tab":"a"}`, `{"tab":"b"}`}[r.IntN(3)]))
			}
			outs := ex.Run(turn, pool, calls...)
			require.Empty(t, s.Awaited())
			time.Sleep(time.Hour)
			w.check(t, calls, outs)
		})
	}
}

func (w *suppliedCall) check(t *testing.T, calls []pegboard.Call, outs []pegboard.Outcome) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	require.Len(t, outs, len(calls))
	require.Empty(t, w.after)
	for i, o := range outs {
		id := calls[i].ID
		require.Equal(t, id, o.Call.ID)
		require.Equal(t, 1, w.finished[id])
		require.LessOrEqual(t, len(w.accepted[id]), 1)
		stopped := errors.Is(o.Err, pegboard.ErrCancelled) || errors.Is(o.Err, pegboard.ErrTimeout)
		if len(w.accepted[id]) == 0 {
			require.True(t, stopped, "nothing but a stop ends a call that nobody supplied: %v", o.Err)
			continue
		}
		require.Contains(t, fmt.Sprint(o.Result.Text(), o.Err), w.accepted[id][0])
		require.False(t, stopped, o.Err)
	}
}
