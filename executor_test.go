package pegboard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

type job struct {
	Path  string `json:"path,omitempty"`
	Write bool   `json:"write,omitempty"`
	Class string `json:"class,omitempty"` // "shared", "target" or empty
	Ms    int    `json:"ms,omitempty"`
}

// worker returns a tool that takes as long as its input says and notes when it
// ran.
func worker(note func(in job, begin bool)) pegboard.Tool {
	classes := map[string]pegboard.Concurrency{"shared": pegboard.Shared, "target": pegboard.PerTarget}
	return pegboard.Build(pegboard.Definition[job, string]{
		Info: pegboard.Info{Name: "Work"}, Description: "For a test.",
		Inspect: func(in job, _ *pegboard.Call) pegboard.Traits {
			tr := pegboard.Traits{Concurrency: classes[in.Class], ReadOnly: !in.Write}
			if in.Path != "" {
				tr.Targets = []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: in.Path}}
				if in.Write {
					tr.Targets[0].Access = pegboard.AccessWrite
				}
			}
			return tr
		},
		Call: func(ctx ctx, in job, _ *pegboard.Call) (string, error) {
			note(in, true)
			defer note(in, false)
			select {
			case <-time.After(time.Duration(in.Ms) * time.Millisecond):
				return in.Path, nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		},
	})
}

func bypass(t testing.TB) pegboard.SessionConfig {
	return pegboard.SessionConfig{Permissions: rules(t, pegboard.ModeBypass, pegboard.RuleSet{})}
}

// TestRunOrdersByTargets plays plans on a fake clock. The whole time a plan takes
// tells what ran together.
func TestRunOrdersByTargets(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		limit int
		jobs  []job
		takes int // milliseconds
	}{
		{name: "exclusive calls run alone", jobs: []job{{Ms: 10}, {Ms: 10}}, takes: 20},
		{name: "shared calls run together", jobs: []job{{Class: "shared", Ms: 10}, {Class: "shared", Ms: 10}, {Class: "shared", Ms: 10}}, takes: 10},
		{name: "an exclusive call is a barrier", jobs: []job{{Class: "shared", Ms: 10}, {Ms: 10}, {Class: "shared", Ms: 10}, {Class: "shared", Ms: 10}}, takes: 30},
		{name: "two edits of two files overlap", jobs: []job{{Path: "a", Write: true, Class: "target", Ms: 10}, {Path: "b", Write: true, Class: "target", Ms: 10}}, takes: 10},
		{name: "two edits of one file do not", jobs: []job{{Path: "a", Write: true, Class: "target", Ms: 10}, {Path: "./x/../a", Write: true, Class: "target", Ms: 10}}, takes: 20},
		{name: "two reads of one file do", jobs: []job{{Path: "a", Class: "target", Ms: 10}, {Path: "a", Class: "target", Ms: 10}}, takes: 10},
		{name: "a shared read waits for the edit of its file", jobs: []job{{Path: "a", Write: true, Class: "target", Ms: 10}, {Path: "a", Class: "shared", Ms: 10}, {Path: "b", Class: "shared", Ms: 10}}, takes: 20},
		{name: "by target without targets is exclusive", jobs: []job{{Class: "target", Ms: 10}, {Class: "target", Ms: 10}}, takes: 20},
		{name: "the limit holds", limit: 2, jobs: slices.Repeat([]job{{Class: "shared", Ms: 10}}, 5), takes: 30},
		{name: "the default limit is ten", jobs: slices.Repeat([]job{{Class: "shared", Ms: 10}}, 11), takes: 20},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var reg pegboard.Registry
				require.NoError(t, reg.Add(worker(func(job, bool) {})))
				var calls []pegboard.Call
				for i, j := range tc.jobs {
					in, err := json.Marshal(j)
					require.NoError(t, err)
					calls = append(calls, call(fmt.Sprint(i), "Work", string(in)))
				}
				ex := executor(pegboard.Executor{MaxParallel: tc.limit})
				begin := time.Now()
				outs := ex.Run(t.Context(), reg.AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), calls...)
				require.Equal(t, time.Duration(tc.takes)*time.Millisecond, time.Since(begin))
				for i, o := range outs {
					require.NoError(t, o.Err)
					require.Equal(t, fmt.Sprint(i), o.Call.ID)
				}
			})
		})
	}
}

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
		for i, o := range outs {
			require.ErrorIs(t, o.Err, pegboard.ErrCancelled)
			require.ErrorIs(t, o.Err, stop)
			require.Equal(t, i == 0, bytes.Contains([]byte(o.Result.Text()), []byte("part of its work")))
			require.Contains(t, o.Result.Text(), "Nobody refused")
		}
	})
}

// TestRunKeepsTheRealResultOfACancelledCall: what was done is told.
func TestRunKeepsTheRealResultOfACancelledCall(t *testing.T) {
	t.Parallel()
	var reg pegboard.Registry
	turn, cancel := context.WithCancel(t.Context())
	require.NoError(t, reg.Add(pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "T"}, Description: "For a test.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(ctx, struct{}, *pegboard.Call) (string, error) { cancel(); return "done", nil },
	})))
	ex := executor(pegboard.Executor{})
	out := ex.Run(turn, reg.AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{}), call("1", "T", ``))[0]
	require.NoError(t, out.Err)
	require.Equal(t, "done", out.Result.Text())
}

// TestRunResolvesAgainAfterWaiting lets one call turn the directory of another
// into a link that leads outside. The second is decided on where it leads then.
func TestRunResolvesAgainAfterWaiting(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		swap := pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "Swap"}, Description: "For a test.", Traits: pegboard.Traits{ReadOnly: true}, // it lies
			Call: func(ctx, struct{}, *pegboard.Call) (string, error) {
				synctest.Wait() // the other was resolved, and waits
				return "", linkDir(outside, dir+"/sub")
			},
		})
		var reg pegboard.Registry
		require.NoError(t, reg.Add(swap, worker(func(job, bool) {})))
		ex := executor(pegboard.Executor{})
		outs := ex.Run(t.Context(), reg.AssemblePool(session(t, pegboard.SessionConfig{Dir: dir}), pegboard.PoolConfig{}),
			call("1", "Swap", ``), call("2", "Work", `{"path":"sub/file","class":"target"}`))
		require.NoError(t, outs[0].Err)
		require.ErrorIs(t, outs[1].Err, pegboard.ErrDenied)
		require.Contains(t, outs[1].Result.Text(), "outside the working directories")
	})
}

// TestWaitingForAPersonHoldsUpNobodyElse: a question is open while calls that
// do not conflict go on, even with a single place to run in.
func TestWaitingForAPersonHoldsUpNobodyElse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var reg pegboard.Registry
		require.NoError(t, reg.Add(worker(func(job, bool) {})))
		cfg := pegboard.SessionConfig{Ask: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
			time.Sleep(time.Minute)
			return pegboard.Decision{Behavior: pegboard.Allow}, nil
		}}
		var ended []string
		ex := executor(pegboard.Executor{MaxParallel: 1, OnEvent: func(e pegboard.Event) {
			if e.Kind == pegboard.EventFinished {
				ended = append(ended, fmt.Sprint(e.Call.ID, e.Outcome.Elapsed))
			}
		}})
		ex.Run(t.Context(), reg.AssemblePool(session(t, cfg), pegboard.PoolConfig{}),
			call("1", "Work", `{"path":"a","write":true,"class":"target"}`),
			call("2", "Work", `{"path":"b","class":"target"}`),
			call("3", "Work", `{"path":"a","class":"target"}`))
		require.Equal(t, []string{"20s", "11m0s", "31m0s"}, ended)
	})
}

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
	cfg := pegboard.SessionConfig{Ask: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
		return pegboard.Decision{Behavior: pegboard.Allow}, nil
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

// TestHooksJoin covers the merging of several hooks.
func TestHooksJoin(t *testing.T) {
	t.Parallel()
	say := func(b pegboard.Behavior, input string) pegboard.Hooks {
		return pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (pegboard.Decision, error) {
			return pegboard.Decision{Behavior: b, Reason: b.String(), Input: json.RawMessage(input)}, nil
		}}
	}
	boom := errors.New("boom")
	fails := pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (pegboard.Decision, error) { return pegboard.Decision{}, boom }}
	tests := []struct {
		name  string
		hooks []pegboard.Hooks
		want  pegboard.Behavior
		input string
		err   error
	}{
		{name: "none"},
		{name: "allow and nothing", hooks: []pegboard.Hooks{say(pegboard.Allow, ""), say(pegboard.Undecided, "")}, want: pegboard.Allow},
		{name: "strictest first", hooks: []pegboard.Hooks{say(pegboard.Deny, ""), say(pegboard.Allow, "")}, want: pegboard.Deny},
		{name: "strictest last", hooks: []pegboard.Hooks{say(pegboard.Allow, ""), say(pegboard.Ask, ""), say(pegboard.Deny, "")}, want: pegboard.Deny},
		{name: "an input stays", hooks: []pegboard.Hooks{say(pegboard.Undecided, `{"a":1}`), say(pegboard.Ask, "")}, want: pegboard.Ask, input: `{"a":1}`},
		{name: "the last input wins", hooks: []pegboard.Hooks{say(pegboard.Undecided, `{"a":1}`), say(pegboard.Undecided, `{"a":2}`)}, input: `{"a":2}`},
		{name: "no change is no input", hooks: []pegboard.Hooks{say(pegboard.Undecided, `{"a":1}`), say(pegboard.Undecided, `{}`)}, input: `{"a":1}`},
		{name: "an error ends it", hooks: []pegboard.Hooks{say(pegboard.Allow, ""), fails, say(pegboard.Deny, "")}, err: boom},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := pegboard.JoinHooks(tc.hooks...)
			if len(tc.hooks) == 0 {
				require.Nil(t, h.Pre)
				return
			}
			d, err := h.Pre(t.Context(), &pegboard.HookCall{Call: &pegboard.Call{Input: json.RawMessage(`{}`)}})
			require.ErrorIs(t, err, tc.err)
			if err == nil {
				require.Equal(t, tc.want, d.Behavior)
				require.Equal(t, tc.input, string(d.Input))
			}
		})
	}
}

// TestPostHooksMayReplaceTheResult, and cannot lose it.
func TestPostHooksMayReplaceTheResult(t *testing.T) {
	t.Parallel()
	var reg pegboard.Registry
	require.NoError(t, reg.Add(inert("T")))
	cfg := bypass(t)
	cfg.Hooks = pegboard.JoinHooks(
		pegboard.Hooks{Post: func(_ ctx, h *pegboard.HookCall) error {
			h.Outcome.Result = pegboard.TextResult("replaced")
			return errors.New("only logged")
		}},
		pegboard.Hooks{Post: func(_ ctx, h *pegboard.HookCall) error {
			h.Outcome.Result = pegboard.TextResult(h.Outcome.Result.Text() + " twice")
			return nil
		}})
	require.Equal(t, "replaced twice", run(t, &reg, session(t, cfg), call("1", "T", ``)).Result.Text())

	cfg.Hooks = pegboard.Hooks{Post: func(_ ctx, h *pegboard.HookCall) error { h.Outcome.Result = nil; return nil }}
	require.Equal(t, "T", run(t, &reg, session(t, cfg), call("1", "T", ``)).Result.Text())

	cfg.Hooks = pegboard.Hooks{Post: func(ctx, *pegboard.HookCall) error { runtime.Goexit(); return nil }}
	require.ErrorIs(t, run(t, &reg, session(t, cfg), call("1", "T", ``)).Err, pegboard.ErrPanic)
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
