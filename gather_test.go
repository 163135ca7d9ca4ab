package pegboard_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// TestGatherKeepsTheOrder: of 200 messages with a write and a read of one file, as a framework
// hands them in, with the read first. No tool locks anything.
func TestGatherKeepsTheOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var mu sync.Mutex
	var inUse, overlaps int
	saw := map[string]string{}
	tool := using(pegboard.Definition[use, string]{}, func(_ context.Context, in use, c *pegboard.Call) error {
		mu.Lock()
		if inUse++; inUse > 1 {
			overlaps++
		}
		mu.Unlock()
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			inUse--
		}()
		if !in.Read {
			return os.WriteFile(filepath.Join(dir, in.Path), []byte(c.ID), 0o600)
		}
		text, err := os.ReadFile(filepath.Join(dir, in.Path))
		mu.Lock()
		defer mu.Unlock()
		saw[c.ID] = string(text)
		return err
	})
	s := session(t, pegboard.SessionConfig{Dir: dir, Permissions: allowing(t, "Use")})
	p := registryOf(t, tool).AssemblePool(s, pegboard.PoolConfig{})
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), nil, 0o600))
	ex := executor(pegboard.Executor{})
	for _, gathers := range []bool{true, false} {
		late := 0
		for n := range 200 {
			write, read := call(fmt.Sprintf("w%v%d", gathers, n), "Use", `{"path":"f","ms":1}`), call(fmt.Sprintf("r%v%d", gathers, n), "Use", `{"path":"f","read":true}`)
			var g *pegboard.Gathering
			if gathers {
				g = ex.Gather(t.Context(), p, write, read)
			}
			var framework sync.WaitGroup
			framework.Go(func() { ex.Run(t.Context(), p, read) })
			framework.Go(func() {
				time.Sleep(time.Duration(n%2) * time.Millisecond)
				ex.Run(t.Context(), p, write)
			})
			framework.Wait()
			if gathers {
				for _, o := range g.End() {
					require.NoError(t, o.Err)
				}
			}
			if saw[read.ID] != write.ID {
				late++
			}
		}
		if gathers {
			require.Zero(t, late, "reads that did not see what was written before")
		}
	}
	require.Zero(t, overlaps)
}

// A hall is a stage on which a framework hands in the calls of a message.
type hall struct {
	*stage
	pool *pegboard.Pool
	ex   anywhere
}

func newHall(t *testing.T, cfg pegboard.SessionConfig, ex anywhere, tools ...pegboard.Tool) *hall {
	t.Helper()
	s := newStage(t, cfg, tools...)
	return &hall{s, s.reg.AssemblePool(s.main, pegboard.PoolConfig{}), ex}
}

// handIn hands in a call after a while, and notes how it ends.
func (h *hall) handIn(ctx context.Context, after time.Duration, c pegboard.Call) {
	h.all.Go(func() {
		time.Sleep(after)
		h.noteOutcome(h.ex.Run(ctx, h.pool, c)[0])
	})
}

func (h *hall) noteOutcome(o pegboard.Outcome) {
	word := "done"
	if o.Err != nil {
		word = o.Err.Error()
	}
	h.note("%s: %s", o.Call.ID, word)
}

// end ends the gathering and returns how its calls have ended.
func (h *hall) end(g *pegboard.Gathering) (words []string) {
	for _, o := range g.End() {
		word := o.Call.ID
		if o.Err != nil {
			word += ": " + o.Err.Error()
		}
		words = append(words, word)
	}
	return words
}

func TestGathering(t *testing.T) {
	t.Parallel()
	const gaveUp = ": admit Use: cancelled: it was not handed in"
	type given struct {
		after time.Duration
		call  pegboard.Call
	}
	write := func(id string, ms int) pegboard.Call {
		return call(id, "Use", fmt.Sprintf(`{"path":"f","ms":%d}`, ms))
	}
	other := func(id string, ms int) pegboard.Call {
		return call(id, "Use", fmt.Sprintf(`{"path":%q,"ms":%d}`, id, ms))
	}
	const ms = time.Millisecond
	tests := []struct {
		name    string
		calls   []pegboard.Call
		handIn  []given
		want    []string // in the order in which they end
		outcome []string // of End; nil means without an error
	}{
		{name: "in another order", calls: []pegboard.Call{write("a", 10), write("b", 10), write("c", 10)},
			handIn: []given{{0, write("c", 10)}, {5 * ms, write("b", 10)}, {9 * ms, write("a", 10)}},
			want:   []string{"19ms a: done", "29ms b: done", "39ms c: done"}},
		{name: "what does not conflict starts when those before it are known", calls: []pegboard.Call{other("a", 50), other("b", 10)},
			handIn: []given{{0, other("b", 10)}, {30 * ms, other("a", 50)}},
			want:   []string{"40ms b: done", "80ms a: done"}},
		{name: "without ids", calls: []pegboard.Call{write("a", 10), write("b", 20)},
			handIn: []given{{0, call("", "Use", `{"ms":20, "path":"f"}`)}, {ms, call("", "Use", `{"path":"f","ms":10}`)}},
			want:   []string{"11ms a: done", "31ms b: done"}},
		{name: "with ids of the framework", calls: []pegboard.Call{write("", 10), write("", 20)},
			handIn: []given{{0, write("x", 20)}, {ms, write("y", 10)}},
			want:   []string{"11ms : done", "31ms : done"}},
		{name: "an input that the framework has changed", calls: []pegboard.Call{write("a", 10), write("b", 10)},
			handIn: []given{{0, write("b", 10)}, {0, write("a", 30)}},
			want:   []string{"30ms a: done", "40ms b: done"}},
		{name: "one that was not announced", calls: []pegboard.Call{write("a", 10)},
			handIn: []given{{0, other("z", 5)}, {ms, write("a", 10)}},
			want:   []string{"5ms z: done", "11ms a: done"}},
		{name: "one never comes", calls: []pegboard.Call{write("a", 10), write("b", 10)},
			handIn: []given{{0, write("b", 10)}},
			want:   []string{"1.01s b: done"}, outcome: []string{"a" + gaveUp, "b"}},
		{name: "one comes too late", calls: []pegboard.Call{write("a", 10), write("b", 100)},
			handIn: []given{{0, write("b", 100)}, {1050 * ms, write("a", 10)}},
			want:   []string{"1.1s b: done", "1.11s a: done"}, outcome: []string{"a" + gaveUp, "b"}},
		{name: "others come meanwhile", calls: []pegboard.Call{write("a", 10), write("b", 10), write("c", 10)},
			handIn: []given{{0, write("c", 10)}, {600 * ms, write("b", 10)}, {1500 * ms, write("a", 10)}},
			want:   []string{"1.51s a: done", "1.52s b: done", "1.53s c: done"}},
		{name: "it waits for another call, too", calls: []pegboard.Call{write("a", 1500), other("b", 10), write("c", 20)},
			handIn: []given{{0, write("c", 20)}, {0, write("a", 1500)}, {2400 * ms, other("b", 10)}},
			want:   []string{"1.5s a: done", "2.41s b: done", "2.42s c: done"}},
		{name: "nobody waits for it", calls: []pegboard.Call{write("a", 10), write("b", 10)},
			handIn: []given{{0, write("a", 10)}, {time.Hour, write("b", 10)}},
			want:   []string{"10ms a: done", "1h0m0.01s b: done"}},
		{name: "an unknown tool and a call with the id of another hold up nobody", calls: []pegboard.Call{call("a", "Gone", `{}`), write("b", 10), write("b", 10), write("c", 10)},
			handIn:  []given{{0, write("b", 10)}, {0, write("c", 10)}},
			want:    []string{"10ms b: done", "20ms c: done"},
			outcome: []string{"a: lookup Gone: unknown tool: Gone", "b", `b: admit Use: duplicate: call id "b"`, "c"}},
		{name: "an unknown tool that is handed in", calls: []pegboard.Call{call("a", "Gone", `{}`)},
			handIn: []given{{0, call("a", "Gone", `{}`)}},
			want:   []string{"0s a: lookup Gone: unknown tool: Gone"}, outcome: []string{"a: lookup Gone: unknown tool: Gone"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := newHall(t, pegboard.SessionConfig{Permissions: allowing(t, "Use")}, executor(pegboard.Executor{}), using(pegboard.Definition[use, string]{}, nil))
				g := h.ex.Gather(t.Context(), h.pool, tt.calls...)
				for _, in := range tt.handIn {
					h.handIn(t.Context(), in.after, in.call)
				}
				h.all.Wait()
				require.Equal(t, tt.want, h.lines)
				if tt.outcome == nil {
					for _, c := range tt.calls {
						tt.outcome = append(tt.outcome, c.ID)
					}
				}
				require.Equal(t, tt.outcome, h.end(g))
				require.Equal(t, tt.outcome, h.end(g), "a second time")
			})
		})
	}
}

// TestGatheringIsOneMessage: what holds among the calls of a message holds among those that are
// handed in one by one.
func TestGatheringIsOneMessage(t *testing.T) {
	t.Parallel()
	t.Run("questions in their order", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			var asked []string
			ask := func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
				asked = append(asked, q.Call.ID)
				return policy.Decision{Behavior: policy.Allow}, nil
			}
			h := newHall(t, pegboard.SessionConfig{Ask: ask}, executor(pegboard.Executor{}), using(pegboard.Definition[use, string]{}, nil))
			var calls []pegboard.Call
			for _, id := range []string{"a", "b", "c"} {
				calls = append(calls, call(id, "Use", fmt.Sprintf(`{"path":%q}`, id)))
			}
			g := h.ex.Gather(t.Context(), h.pool, calls...)
			for i, c := range slices.Backward(calls) {
				h.handIn(t.Context(), time.Duration(3-i)*time.Millisecond, c)
			}
			h.all.Wait()
			require.Equal(t, []string{"a", "b", "c"}, h.end(g))
			require.Equal(t, []string{"a", "b", "c"}, asked)
		})
	})
	t.Run("equal calls run once", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			h := newHall(t, pegboard.SessionConfig{Permissions: allowing(t, "Use")}, executor(pegboard.Executor{}), using(pegboard.Definition[use, string]{
				Inspect: func(use, *pegboard.Call) pegboard.Traits {
					return pegboard.Traits{Concurrency: pegboard.Shared, ReadOnly: true}
				},
				Equivalent: pegboard.SameInput[use],
			}, nil))
			same := []pegboard.Call{call("a", "Use", `{"path":"f"}`), call("b", "Use", `{"path":"f"}`)}
			g := h.ex.Gather(t.Context(), h.pool, same...)
			h.handIn(t.Context(), 0, same[1])
			h.handIn(t.Context(), time.Millisecond, same[0])
			h.all.Wait()
			outs := g.End()
			require.Nil(t, outs[0].SameAs)
			require.Equal(t, "a", outs[1].SameAs.ID)
		})
	})
	t.Run("a failure cancels the others", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			tool := using(pegboard.Definition[use, string]{Info: pegboard.Info{CancelsSiblings: true}}, func(_ context.Context, in use, _ *pegboard.Call) error {
				if in.Path == "bad" {
					return errors.New("it broke")
				}
				return nil
			})
			h := newHall(t, pegboard.SessionConfig{Permissions: allowing(t, "Use")}, executor(pegboard.Executor{CancelSiblings: true}), tool)
			calls := []pegboard.Call{call("a", "Use", `{"path":"bad","ms":10}`), call("b", "Use", `{"path":"g","ms":60000}`), call("c", "Use", `{"path":"bad"}`)}
			g := h.ex.Gather(t.Context(), h.pool, calls...)
			for i, c := range calls {
				h.handIn(t.Context(), time.Duration(i*i)*5*time.Millisecond, c)
			}
			h.all.Wait()
			outs := g.End()
			require.ErrorContains(t, outs[0].Err, "it broke")
			for _, o := range outs[1:] {
				require.ErrorIs(t, o.Err, pegboard.ErrSiblingFailed, o.Call.ID)
			}
			require.Equal(t, 20*time.Millisecond, time.Since(h.begun))
		})
	})
	t.Run("the Batch hook", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			var ids []string
			hook := func(ctx context.Context, outs []pegboard.Outcome) error {
				for _, o := range outs {
					ids = append(ids, o.Call.ID)
				}
				outs[0].StopTurn, outs[1].Result = true, pegboard.TextResult("changed")
				pegboard.SayInBatch(ctx, pegboard.Part{Text: "said"})
				return nil
			}
			h := newHall(t, pegboard.SessionConfig{Permissions: allowing(t, "Use"), Hooks: pegboard.Hooks{Batch: hook}},
				executor(pegboard.Executor{Logger: slog.New(slog.NewTextHandler(&log, nil))}), using(pegboard.Definition[use, string]{}, nil))
			calls := []pegboard.Call{call("a", "Use", `{"path":"f"}`), call("b", "Use", `{"path":"g"}`)}
			g := h.ex.Gather(t.Context(), h.pool, calls...)
			h.handIn(t.Context(), time.Millisecond, calls[0])
			h.handIn(t.Context(), 0, calls[1])
			h.all.Wait()
			require.Empty(t, ids, "before the message has ended")
			outs := g.End()
			require.Equal(t, []string{"a", "b"}, ids)
			require.True(t, outs[0].StopTurn)
			require.Equal(t, "done", outs[1].Result.Text(), "the framework has it already")
			require.Contains(t, log.String(), "too late for results that were handed out: Use b")
			require.Equal(t, []pegboard.Part{{Text: "said"}}, h.main.Notifications())
		})
	})
}

// TestGatheredCallsHaveTheirOwnContext: each call has the values and the end of the context that
// the framework gives it.
func TestGatheredCallsHaveTheirOwnContext(t *testing.T) {
	t.Parallel()
	type key struct{}
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		saw := map[string]any{}
		tool := using(pegboard.Definition[use, string]{}, func(ctx context.Context, _ use, c *pegboard.Call) error {
			mu.Lock()
			defer mu.Unlock()
			own, _ := pegboard.SessionFrom(ctx)
			saw[c.ID] = []any{ctx.Value(key{}), c.Message(), own == c.Session()}
			return nil
		})
		h := newHall(t, pegboard.SessionConfig{Permissions: allowing(t, "Use")}, executor(pegboard.Executor{}), tool)
		calls := []pegboard.Call{call("a", "Use", `{"path":"a","ms":10}`), call("b", "Use", `{"path":"b","ms":60000}`), call("c", "Use", `{"path":"c","ms":30}`)}
		g := h.ex.Gather(pegboard.WithMessage(t.Context(), "message"), h.pool, calls...)
		for i, c := range calls {
			ctx, cancel := context.WithCancelCause(context.WithValue(t.Context(), key{}, i))
			defer cancel(nil)
			if c.ID == "b" {
				time.AfterFunc(20*time.Millisecond, func() { cancel(pegboard.ErrUserInterrupt) })
			}
			h.handIn(ctx, 0, c)
		}
		h.all.Wait()
		require.Equal(t, []string{"10ms a: done", "20ms b: call Use: cancelled: interrupted by the user", "30ms c: done"}, h.lines)
		require.Equal(t, map[string]any{"a": []any{0, "message", true}, "c": []any{2, "message", true}}, saw)
		require.Len(t, g.End(), 3)
	})
}

// TestGatheringEnds: by its context, and with its session.
func TestGatheringEnds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		end   func(s *pegboard.Session, cancel context.CancelCauseFunc)
		cause error
	}{
		{"context", func(_ *pegboard.Session, cancel context.CancelCauseFunc) { cancel(pegboard.ErrUserInterrupt) }, pegboard.ErrUserInterrupt},
		{"Interrupt", func(s *pegboard.Session, _ context.CancelCauseFunc) { s.Interrupt(pegboard.ErrUserInterrupt) }, pegboard.ErrUserInterrupt},
		{"Close", func(s *pegboard.Session, _ context.CancelCauseFunc) { _ = s.Close(context.Background()) }, pegboard.ErrClosed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := newHall(t, pegboard.SessionConfig{Permissions: allowing(t, "Use")}, executor(pegboard.Executor{}), using(pegboard.Definition[use, string]{}, nil))
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				calls := []pegboard.Call{call("a", "Use", `{"path":"f","ms":60000}`), call("b", "Use", `{"path":"g"}`), call("c", "Use", `{"path":"f"}`)}
				g := h.ex.Gather(ctx, h.pool, calls...)
				h.handIn(t.Context(), 0, calls[0])
				h.handIn(t.Context(), 0, calls[2])
				time.Sleep(10 * time.Millisecond)
				tt.end(h.main, cancel)
				h.all.Wait()
				require.Equal(t, 10*time.Millisecond, time.Since(h.begun))
				for _, o := range g.End() {
					require.ErrorIs(t, o.Err, tt.cause, o.Call.ID)
				}
			})
		})
	}
}

// TestForcedCallsOfAGathering: the caller may decide when it hands in the call.
func TestForcedCallsOfAGathering(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHall(t, pegboard.SessionConfig{}, executor(pegboard.Executor{}), using(pegboard.Definition[use, string]{}, nil))
		calls := []pegboard.Call{call("a", "Use", `{"path":"f"}`), call("b", "Use", `{"path":"g"}`)}
		g := h.ex.Gather(t.Context(), h.pool, calls...)
		h.handIn(t.Context(), 0, pegboard.ForceDecision(calls[0], policy.Deny, "not now"))
		h.handIn(t.Context(), 0, pegboard.ForceDecision(calls[1], policy.Allow, "the framework has asked"))
		h.all.Wait()
		outs := g.End()
		require.ErrorIs(t, outs[0].Err, pegboard.ErrDenied)
		require.NoError(t, outs[1].Err)
	})
}
