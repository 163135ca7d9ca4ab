package pegboard_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// placesOf returns the places 0 to n-1, as the ids of calls.
func placesOf(n int) (ids []string) {
	for i := range n {
		ids = append(ids, strconv.Itoa(i))
	}
	return ids
}

// TestQuestionsOfAMessageCameInRandomOrder: the calls of a message are decided at the same
// time, by hooks and approvers that take different times.
func TestQuestionsOfAMessageCameInRandomOrder(t *testing.T) {
	t.Parallel()
	const n = 20
	tests := []struct {
		name   string
		change func(cfg *pegboard.SessionConfig, wait func())
		stream bool
	}{
		{name: "nothing decides before", change: func(*pegboard.SessionConfig, func()) {}},
		{name: "a Pre hook", change: func(cfg *pegboard.SessionConfig, wait func()) {
			cfg.Hooks.Pre = func(ctx, *pegboard.HookCall) (pegboard.Decision, error) {
				wait()
				return pegboard.Decision{}, nil
			}
		}},
		{name: "an approver", change: func(cfg *pegboard.SessionConfig, wait func()) {
			cfg.Approvers = []pegboard.Asker{func(ctx, *pegboard.Question) (pegboard.Decision, error) { wait(); return pegboard.Decision{}, nil }}
		}},
		{name: "a Permission hook", change: func(cfg *pegboard.SessionConfig, wait func()) {
			cfg.Hooks.Permission = func(ctx, *pegboard.Question) (pegboard.Decision, error) { wait(); return pegboard.Decision{}, nil }
		}},
		{name: "a stream", change: func(*pegboard.SessionConfig, func()) {}, stream: true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(30) {
				synctest.Test(t, func(t *testing.T) {
					random, clock := rand.New(rand.NewPCG(seed, 9)), make(chan int, 10*n)
					for range cap(clock) {
						clock <- random.IntN(3000)
					}
					var shown []string
					cfg := pegboard.SessionConfig{Ask: func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
						shown = append(shown, q.Call.ID)
						return pegboard.Decision{Behavior: pegboard.Allow}, nil
					}}
					tc.change(&cfg, func() { time.Sleep(time.Duration(<-clock) * time.Millisecond) })
					var asked []string
					ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
						if e.Kind == pegboard.EventAsked {
							asked = append(asked, e.Call.ID)
						}
					}})
					p := registryOf(t, writing()).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
					var calls []pegboard.Call
					for _, id := range placesOf(n) {
						calls = append(calls, call(id, "Write", fmt.Sprintf(`{"path":"f%s"}`, id)))
					}
					if tc.stream {
						s := ex.Stream(t.Context(), p)
						for _, c := range calls {
							s.Submit(c)
						}
						s.Finish(pegboard.FinishToolCalls)
						require.Len(t, slices.Collect(s.Outcomes()), n)
					} else {
						ex.Run(t.Context(), p, calls...)
					}
					require.Equal(t, placesOf(n), asked)
					require.Equal(t, placesOf(n), shown)
				})
			}
		})
	}
}

// writing returns a tool whose calls write one file each, side by side.
func writing() pegboard.Tool {
	type input struct {
		Path string `json:"path"`
		MS   int    `json:"ms,omitempty"`
		Look bool   `json:"look,omitempty"`
	}
	return pegboard.Build(pegboard.Definition[input, string]{
		Info: pegboard.Info{Name: "Write"}, Description: "Writes.",
		Inspect: func(in input, _ *pegboard.Call) pegboard.Traits {
			access := pegboard.AccessWrite
			if in.Look {
				access = pegboard.AccessRead
			}
			return pegboard.Traits{Concurrency: pegboard.PerTarget, ReadOnly: in.Look, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Access: access, Value: in.Path}}}
		},
		Call: func(_ ctx, in input, _ *pegboard.Call) (string, error) {
			time.Sleep(time.Duration(in.MS) * time.Millisecond)
			return in.Path, nil
		},
	})
}

// TestQuestionWaitsForNoRunningCall: an earlier call that waits for another one, or for
// the end of the message, holds back no question.
func TestQuestionWaitsForNoRunningCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun, shown := time.Now(), map[string]time.Duration{}
		s := session(t, pegboard.SessionConfig{
			Permissions: rules(t, "", pegboard.RuleSet{Allow: []string{"Edit(a)"}, Ask: []string{"Edit(a2)"}}),
			Ask: func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
				shown[q.Call.ID] = time.Since(begun)
				return pegboard.Decision{Behavior: pegboard.Allow}, nil
			}, Hooks: pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
				if h.Call.ID == "2" {
					return pegboard.Decision{Behavior: pegboard.Ask, Reason: "once more"}, nil
				}
				return pegboard.Decision{}, nil
			}},
		})
		ex := executor(pegboard.Executor{})
		p := registryOf(t, writing()).AssemblePool(s, pegboard.PoolConfig{})
		ex.Run(t.Context(), p, call("1", "Write", `{"path":"a","ms":60000}`), call("2", "Write", `{"path":"a"}`), call("3", "Write", `{"path":"b"}`))
		require.Equal(t, map[string]time.Duration{"3": 0, "2": time.Minute}, shown)

		begun, shown = time.Now(), map[string]time.Duration{}
		stream := ex.Stream(t.Context(), p)
		stream.Submit(call("1", "Write", `{"path":"c"}`))
		stream.Submit(call("2", "Write", `{"path":"/elsewhere","look":true}`))
		time.Sleep(time.Minute)
		stream.Finish(pegboard.FinishStop)
		require.Len(t, slices.Collect(stream.Outcomes()), 2)
		require.Equal(t, map[string]time.Duration{"2": 0, "1": time.Minute}, shown)
	})
}

// TestHeldQuestionIsDecidedMeanwhile: by its own hook, and by the end of the turn.
func TestHeldQuestionIsDecidedMeanwhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		s := session(t, pegboard.SessionConfig{
			Ask: func(ctx ctx, q *pegboard.Question) (pegboard.Decision, error) {
				asked.Add(1)
				return pegboard.Decision{Behavior: pegboard.Allow}, nil
			},
			Hooks: pegboard.Hooks{
				Pre: func(ctx ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
					if h.Call.ID == "1" {
						<-ctx.Done()
					}
					return pegboard.Decision{}, context.Cause(ctx)
				},
				Permission: func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
					if q.Call.ID == "2" {
						time.Sleep(time.Minute)
						return pegboard.Decision{Behavior: pegboard.Allow}, nil
					}
					return pegboard.Decision{}, nil
				},
			},
		})
		turn, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Hour, func() { cancel(pegboard.ErrUserInterrupt) })
		ex := executor(pegboard.Executor{})
		outs := ex.Run(turn, registryOf(t, writing()).AssemblePool(s, pegboard.PoolConfig{}),
			call("1", "Write", `{"path":"a"}`), call("2", "Write", `{"path":"b"}`), call("3", "Write", `{"path":"c"}`))
		require.ErrorIs(t, outs[0].Err, pegboard.ErrUserInterrupt)
		require.NoError(t, outs[1].Err)
		require.ErrorIs(t, outs[2].Err, pegboard.ErrUserInterrupt)
		require.Zero(t, asked.Load())
	})
}
