package pegboard_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestRunAnswersEveryCall mixes calls that end in every bad way there is. Each
// gets one outcome, in its place.
func TestRunAnswersEveryCall(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	ways := map[string]func(context.Context) (string, error){
		"ok":     func(ctx) (string, error) { return "fine", nil },
		"empty":  func(ctx) (string, error) { return " \n", nil },
		"error":  func(ctx) (string, error) { return "", boom },
		"panic":  func(ctx) (string, error) { panic(boom) },
		"nil":    func(ctx) (string, error) { panic(nil) },
		"goexit": func(ctx) (string, error) { runtime.Goexit(); return "", nil },
	}
	var reg pegboard.Registry
	for name, way := range ways {
		require.NoError(t, reg.Add(pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: name}, Description: "For a test.", Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
			Call: func(ctx ctx, _ struct{}, _ *pegboard.Call) (string, error) { return way(ctx) },
		})))
	}
	var log bytes.Buffer
	failures := atomic.Int32{}
	s := session(t, pegboard.SessionConfig{Hooks: pegboard.Hooks{
		PostFailure: func(ctx, *pegboard.HookCall) error { failures.Add(1); return nil },
	}})
	ex := executor(pegboard.Executor{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	outs := ex.Run(t.Context(), reg.AssemblePool(s, pegboard.PoolConfig{}),
		call("1", "ok", `{}`), call("2", "empty", ``), call("3", "error", `{}`), call("4", "panic", `{}`),
		call("5", "goexit", `{}`), call("6", "nil", `{}`), call("7", "nobody", `{}`), call("8", "ok", `{`),
		call("1", "ok", `{}`), call("", "ok", `{}`), call("", "ok", `{}`))

	want := []error{nil, nil, boom, boom, pegboard.ErrPanic, pegboard.ErrPanic, pegboard.ErrUnknownTool,
		pegboard.ErrInvalidInput, pegboard.ErrDuplicate, nil, nil}
	for i, o := range outs {
		require.ErrorIs(t, o.Err, want[i], "call %d", i)
		require.NotEmpty(t, o.Result.Text())
		require.Equal(t, want[i] != nil, o.Result.IsError)
		require.Equal(t, i == 2, errors.Is(o.Err, pegboard.ErrToolFailed), "call %d", i)
	}
	require.ErrorIs(t, outs[3].Err, pegboard.ErrPanic)
	require.Equal(t, "(empty ran and returned nothing)", outs[1].Result.Text())
	require.EqualValues(t, 4, failures.Load(), "error, panic, goexit and nil failed while they ran")
	require.Contains(t, log.String(), "stack=")
}

// TestRunCancelled cancels a batch with one call running, one waiting for its
// keys and one waiting for a place.
func TestRunCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var reg pegboard.Registry
		require.NoError(t, reg.Add(worker(func(job, bool) {})))
		stop := errors.New("the user pressed escape")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(5*time.Millisecond, func() { cancel(stop) })
		ex := executor(pegboard.Executor{MaxParallel: 1})
		outs := ex.Run(ctx, reg.AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}),
			call("1", "Work", `{"class":"shared","ms":10}`),
			call("2", "Work", `{"class":"shared","ms":10}`),
			call("3", "Work", `{"ms":10}`))
		var begun []string // which of the shared calls gets the only place is not promised
		for _, o := range outs {
			require.ErrorIs(t, o.Err, pegboard.ErrCancelled)
			require.ErrorIs(t, o.Err, stop)
			if strings.Contains(o.Result.Text(), "part of its work") {
				begun = append(begun, o.Call.ID)
			}
			require.Contains(t, o.Result.Text(), "Nobody refused")
		}
		require.Len(t, begun, 1)
		require.NotEqual(t, "3", begun[0])
	})
}

// TestRunKeepsTheRealResultOfACancelledCall: a call that returns a result after it was
// cancelled has that result, below the executor's words.
func TestRunKeepsTheRealResultOfACancelledCall(t *testing.T) {
	t.Parallel()
	var reg pegboard.Registry
	turn, cancel := context.WithCancel(t.Context())
	require.NoError(t, reg.Add(pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "T"}, Description: "For a test.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(own ctx, _ struct{}, _ *pegboard.Call) (string, error) {
			cancel()
			<-own.Done()
			return "done", nil
		},
	})))
	ex := executor(pegboard.Executor{})
	out := ex.Run(turn, reg.AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{}), call("1", "T", ``))[0]
	require.ErrorIs(t, out.Err, pegboard.ErrCancelled)
	require.Equal(t, "done", out.Result.Data)
	require.Contains(t, out.Result.Text(), "It returned this:\ndone")
}

// TestExecutorIsSafeForConcurrentUse runs batches side by side for the race
// detector.
func TestExecutorIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	var reg pegboard.Registry
	require.NoError(t, reg.Add(worker(func(job, bool) {})))
	s := session(t, bypass(t))
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) { _ = e.Call.Targets() }})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, o := range ex.Run(context.Background(), reg.AssemblePool(s, pegboard.PoolConfig{}),
				call("1", "Work", `{"path":"a","class":"shared"}`), call("2", "Work", `{"path":"a","write":true,"class":"target"}`)) {
				if o.Err != nil {
					t.Error(o.Err)
				}
			}
		})
	}
	wg.Wait()
}
