package pegboard_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestCauseOfACancellationIsNamed cancels a running call for every reason there is. The host's
// error and the model's text say which it was.
func TestCauseOfACancellationIsNamed(t *testing.T) {
	t.Parallel()
	minute := time.Minute
	tests := []struct {
		name  string
		info  pegboard.Info
		deaf  bool
		cause error // nil: the call is not cancelled
		is    []error
		not   error
		says  string
		takes time.Duration
	}{
		{name: "user", cause: pegboard.ErrUserInterrupt, is: []error{pegboard.ErrCancelled, pegboard.ErrUserInterrupt}, says: "user interrupted", takes: time.Second},
		{name: "without a reason", cause: context.Canceled, is: []error{pegboard.ErrCancelled, context.Canceled}, says: "the program stopped the turn", takes: time.Second},
		{name: "a cause of the host", cause: errors.New("the deploy window\nhas closed"), is: []error{pegboard.ErrCancelled}, says: "the program stopped it (the deploy window ⏎ has closed)", takes: time.Second},
		{name: "the turn's time is over", cause: context.DeadlineExceeded, is: []error{pegboard.ErrCancelled}, says: "time for this turn", takes: time.Second},
		{name: "session closes", cause: pegboard.ErrClosed, is: []error{pegboard.ErrCancelled, pegboard.ErrClosed}, says: "session is closing", takes: time.Second},
		{name: "time-out of the tool", info: pegboard.Info{Timeout: 5 * time.Second}, is: []error{pegboard.ErrTimeout}, not: pegboard.ErrCancelled, says: "took too long", takes: 5 * time.Second},
		{name: "message, blocks", cause: pegboard.ErrNewMessage, says: "done", takes: minute},
		{name: "message, cancels", info: pegboard.Info{Interrupt: pegboard.InterruptCancel}, cause: pegboard.ErrNewMessage, is: []error{pegboard.ErrCancelled, pegboard.ErrNewMessage}, says: "new message", takes: time.Second},
		{name: "message, detaches", info: pegboard.Info{Interrupt: pegboard.InterruptDetach}, cause: pegboard.ErrNewMessage, is: []error{pegboard.ErrDetached, pegboard.ErrNewMessage}, says: "goes on in the background", takes: time.Second},
		{name: "a tool that does not hear", deaf: true, cause: pegboard.ErrUserInterrupt, is: []error{pegboard.ErrDetached, pegboard.ErrUserInterrupt}, says: "goes on in the background", takes: time.Second + pegboard.DefaultGrace},
		{name: "time-out of one that does not hear", deaf: true, info: pegboard.Info{Timeout: 5 * time.Second}, is: []error{pegboard.ErrDetached, pegboard.ErrTimeout}, says: "took too long", takes: 5*time.Second + pegboard.DefaultGrace},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tc.info.Name = "Slow"
				turn, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if tc.cause != nil {
					time.AfterFunc(time.Second, func() { cancel(tc.cause) })
				}
				ex := executor(pegboard.Executor{})
				begin := time.Now()
				out := ex.Run(turn, registryOf(t, slow(tc.info, tc.deaf)).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), call("1", "Slow", `{"ms":60000}`))[0]
				require.Equal(t, tc.takes, time.Since(begin))
				for _, err := range tc.is {
					require.ErrorIs(t, out.Err, err)
				}
				if len(tc.is) == 0 {
					require.NoError(t, out.Err)
				}
				if tc.not != nil {
					require.NotErrorIs(t, out.Err, tc.not)
				}
				require.Contains(t, out.Result.Text(), tc.says)
				require.NotContains(t, out.Result.Text(), "denied")
				time.Sleep(time.Minute) // detached calls end
			})
		})
	}
}

// TestPartialOutputIsKept: the output that a stopped call returns is shown.
func TestPartialOutputIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ex := executor(pegboard.Executor{})
		out := ex.Run(t.Context(), registryOf(t, slow(pegboard.Info{Name: "Slow", Timeout: time.Second}, false)).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), call("1", "Slow", `{"ms":60000}`))[0]
		require.ErrorIs(t, out.Err, pegboard.ErrTimeout)
		require.True(t, strings.HasSuffix(out.Result.Text(), "\nhalf"), out.Result.Text())
		require.Equal(t, "half", out.Result.Data)
	})
}

// TestStoppedCallHasNoSideEffects: of the result that its tool returns all the same, the model is
// shown the parts below the reason of the stop, and nothing else happens.
func TestStoppedCallHasNoSideEffects(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		info  pegboard.Info
		cause error // of the turn's end; nil if the tool's time is over
		is    error
	}{
		{"a new message", pegboard.Info{Name: "T", Interrupt: pegboard.InterruptCancel}, pegboard.ErrNewMessage, pegboard.ErrCancelled},
		{"the user", pegboard.Info{Name: "T"}, pegboard.ErrUserInterrupt, pegboard.ErrCancelled},
		{"its time is over", pegboard.Info{Name: "T", Timeout: time.Second}, nil, pegboard.ErrTimeout},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tool := pegboard.Build(pegboard.Definition[struct{}, *pegboard.Result]{
					Info: tc.info, Description: "Returns a result although it was stopped.",
					Call: func(own ctx, _ struct{}, _ *pegboard.Call) (*pegboard.Result, error) {
						<-own.Done()
						return &pegboard.Result{
							Parts: []pegboard.Part{{Text: "all"}}, Messages: []pegboard.Part{{Text: "Do as this says."}}, StopTurn: true,
							UpdateSession: func(*pegboard.Session) { t.Error("the session was changed") },
							Shown:         func(*pegboard.Session, pegboard.Outcome) { t.Error("the result counts as shown") },
						}, nil
					},
				})
				turn, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if tc.cause != nil {
					time.AfterFunc(time.Second, func() { cancel(tc.cause) })
				}
				ex := executor(pegboard.Executor{})
				out := ex.Run(turn, registryOf(t, tool).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), call("1", "T", ``))[0]
				require.ErrorIs(t, out.Err, tc.is)
				require.True(t, out.Result.IsError)
				require.Contains(t, out.Result.Text(), "It returned this:\nall")
				require.Empty(t, out.Result.Messages)
				require.False(t, out.StopTurn)
			})
		})
	}
}

func TestDeferredCallIsAnsweredByTheHost(t *testing.T) {
	t.Parallel()
	tool := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "T"}, Description: "Waits.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "", pegboard.ErrDeferred },
	})
	out := run(t, registryOf(t, tool), session(t, pegboard.SessionConfig{}), call("1", "T", ``))
	require.ErrorIs(t, out.Err, pegboard.ErrDeferred)
	require.Contains(t, out.Result.Text(), "not been answered yet")
}

// emitted runs one call of a tool that reports progress, and returns the texts of the
// events with the time of each.
func emitted(t *testing.T, work func(emit func(string))) (texts []string, at []time.Duration) {
	t.Helper()
	begun := time.Now()
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
		switch e.Kind {
		case pegboard.EventProgress:
			texts, at = append(texts, e.Text), append(at, time.Since(begun))
		case pegboard.EventFinished:
			texts, at = append(texts, "finished"), append(at, time.Since(begun))
		}
	}})
	tool := teller(pegboard.Info{Name: "T"}, func(c *pegboard.Call) (*pegboard.Result, error) { work(c.Emit); return nil, nil })
	outs := ex.Run(t.Context(), registryOf(t, tool).AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{}), call("1", "T", `{}`))
	require.NoError(t, outs[0].Err)
	return texts, at
}

// TestProgressFloodedTheHost with one event for each line of an output.
func TestProgressFloodedTheHost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		texts, _ := emitted(t, func(emit func(string)) {
			for i := range 100_000 {
				emit(fmt.Sprint(i))
			}
		})
		require.Equal(t, []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "99999", "finished"}, texts)
	})
}

// TestProgressIsAtMostTenInASecond, also of a call that goes on for long.
func TestProgressIsAtMostTenInASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		texts, at := emitted(t, func(emit func(string)) {
			for i := range 10_000 {
				emit(fmt.Sprint(i))
				time.Sleep(time.Millisecond)
			}
		})
		require.Greater(t, len(texts), 50)
		require.Equal(t, []string{"9999", "finished"}, texts[len(texts)-2:])
		require.InDelta(t, 100, len(texts), 15)
		for i := 11; i < len(at); i++ {
			require.GreaterOrEqual(t, at[i]-at[i-11], time.Second-time.Millisecond)
		}
	})
}

// TestHeldProgressIsShownWhenTheToolSaysNoMore and still runs.
func TestHeldProgressIsShownWhenTheToolSaysNoMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		texts, at := emitted(t, func(emit func(string)) {
			for i := range 100 {
				emit(fmt.Sprint(i))
			}
			time.Sleep(time.Minute)
			emit("ready")
		})
		require.Len(t, texts, 13)
		require.Equal(t, []string{"99", "ready", "finished"}, texts[10:])
		require.Equal(t, []time.Duration{time.Second, time.Minute, time.Minute}, at[10:])
	})
}

// TestDataComesWithItsText, also the last that was held back.
func TestDataComesWithItsText(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		got := map[string]any{}
		ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
			if e.Kind == pegboard.EventProgress {
				got[e.Text] = e.Data
			} else {
				require.Nil(t, e.Data)
			}
		}})
		tool := teller(pegboard.Info{Name: "T"}, func(c *pegboard.Call) (*pegboard.Result, error) {
			c.Emit("without")
			for i := range 100 {
				c.EmitData(fmt.Sprint(i), i)
			}
			return nil, nil
		})
		ex.Run(t.Context(), registryOf(t, tool).AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{}), call("1", "T", `{}`))
		require.Equal(t, map[string]any{"without": nil, "0": 0, "1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8, "99": 99}, got)
	})
}
