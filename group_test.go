package pegboard_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// schedule notes when tools run, in the seconds of the fake clock.
type schedule struct {
	mu    sync.Mutex
	begun time.Time
	lines []string
}

func newSchedule() *schedule { return &schedule{begun: time.Now()} }

func (s *schedule) note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, fmt.Sprintf("%g %s", time.Since(s.begun).Seconds(), text))
}

// sorted returns the lines; those of one moment stand in no order.
func (s *schedule) sorted() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(slices.Values(s.lines))
}

// takes returns a shared tool whose calls take a time, and note under their id when they
// begin.
func (s *schedule) takes(info pegboard.Info, d time.Duration, inside ...func(ctx, *pegboard.Call)) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: info, Description: "Takes its time.", Traits: looksOnly,
		Call: func(ctx ctx, _ struct{}, c *pegboard.Call) (string, error) {
			s.note(c.ID)
			select {
			case <-time.After(d):
			case <-ctx.Done():
				return "", context.Cause(ctx)
			}
			for _, f := range inside {
				f(ctx, c)
			}
			return "done", nil
		},
	})
}

// callsOf returns so many calls of a tool.
func callsOf(name string, n int) (calls []pegboard.Call) {
	for i := range n {
		calls = append(calls, call(fmt.Sprint(name, i+1), name, `{}`))
	}
	return calls
}

func limited(t testing.TB, groups map[string]pegboard.GroupLimit) pegboard.SessionConfig {
	t.Helper()
	cfg := bypass(t)
	cfg.Groups = groups
	return cfg
}

// TestGroupNames says which calls a key of Groups is about.
func TestGroupNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		key     string
		info    pegboard.Info
		source  string
		limited bool
	}{
		{name: "a group", key: "net", info: pegboard.Info{Name: "T", Group: "net"}, limited: true},
		{name: "another group", key: "net", info: pegboard.Info{Name: "T", Group: "disk"}},
		{name: "a tool", key: "T", info: pegboard.Info{Name: "T"}, limited: true},
		{name: "a tool in a group", key: "T", info: pegboard.Info{Name: "T", Group: "net"}, limited: true},
		{name: "an alias", key: "Old", info: pegboard.Info{Name: "T", Aliases: []string{"Old"}}, limited: true},
		{name: "a source", key: "mcp__web", info: pegboard.Info{Name: "T"}, source: "web", limited: true},
		{name: "a tool of a source", key: "mcp__web__T", info: pegboard.Info{Name: "T"}, source: "web", limited: true},
		{name: "another source", key: "mcp__web2", info: pegboard.Info{Name: "T"}, source: "web"},
		{name: "all sources", key: "mcp__*", info: pegboard.Info{Name: "T"}, source: "web", limited: true},
		{name: "a group in a source", key: "net", info: pegboard.Info{Name: "T", Group: "net"}, source: "web", limited: true},
		{name: "a source beside the group", key: "mcp__web", info: pegboard.Info{Name: "T", Group: "net"}, source: "web", limited: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, reg := newSchedule(), new(pegboard.Registry)
				if tool := s.takes(tt.info, time.Second); tt.source == "" {
					require.NoError(t, reg.Add(tool))
				} else {
					_, err := reg.Attach(tt.source, tool)
					require.NoError(t, err)
				}
				pool := reg.AssemblePool(session(t, limited(t, map[string]pegboard.GroupLimit{tt.key: {Parallel: 1}})), pegboard.PoolConfig{})
				ex := executor(pegboard.Executor{})
				ex.Run(t.Context(), pool, callsOf(names(pool)[0], 3)...)
				want := time.Second
				if tt.limited {
					want = 3 * time.Second
				}
				require.Equal(t, want, time.Since(s.begun))
			})
		})
	}
}

func TestGroupsAreChecked(t *testing.T) {
	t.Parallel()
	for key, l := range map[string]pegboard.GroupLimit{
		"":             {Parallel: 1},
		"Bash(git:*)":  {Parallel: 1},
		"Bash(":        {Parallel: 1},
		"with\nbreaks": {Parallel: 1},
		"net":          {PerSecond: math.NaN()},
	} {
		_, err := pegboard.NewSession(pegboard.SessionConfig{Groups: map[string]pegboard.GroupLimit{key: l}})
		require.ErrorContains(t, err, fmt.Sprintf("group %q: ", key))
	}
	_, err := pegboard.TryBuild(pegboard.Definition[struct{}, string]{Info: pegboard.Info{Name: "T", Group: "a(b)"}, Description: "For a test.", Call: says("")})
	var wrong *pegboard.BuildError
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, "Info.Group", wrong.Field)

	s := session(t, limited(t, map[string]pegboard.GroupLimit{"net": {}}))
	_, err = s.Fork(pegboard.SessionConfig{Groups: map[string]pegboard.GroupLimit{"net": {Parallel: 1}}})
	require.ErrorContains(t, err, "leave Groups empty")
}

// TestGroupLimits plays eight calls, four of an agent and four of the main session, which
// have 2 workers each or more than they need.
func TestGroupLimits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		limit   pegboard.GroupLimit
		workers int
		want    []float64 // when the calls begin
	}{
		{name: "no limit", want: []float64{0, 0, 0, 0, 0, 0, 0, 0}},
		{name: "less than none", limit: pegboard.GroupLimit{Parallel: -1, PerSecond: -1, Burst: -1}, want: []float64{0, 0, 0, 0, 0, 0, 0, 0}},
		{name: "an infinite rate", limit: pegboard.GroupLimit{PerSecond: math.Inf(1)}, want: []float64{0, 0, 0, 0, 0, 0, 0, 0}},
		{name: "no limit but the workers", workers: 2, want: []float64{0, 0, 0, 0, 1, 1, 1, 1}},
		{name: "one at once", limit: pegboard.GroupLimit{Parallel: 1}, want: []float64{0, 1, 2, 3, 4, 5, 6, 7}},
		{name: "three at once", limit: pegboard.GroupLimit{Parallel: 3}, want: []float64{0, 0, 0, 1, 1, 1, 2, 2}},
		{name: "three at once, two workers each", limit: pegboard.GroupLimit{Parallel: 3}, workers: 2, want: []float64{0, 0, 0, 1, 1, 1, 2, 2}},
		{name: "a rate", limit: pegboard.GroupLimit{PerSecond: 2}, want: []float64{0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5}},
		{name: "a rate with a burst", limit: pegboard.GroupLimit{PerSecond: 0.5, Burst: 3}, want: []float64{0, 0, 0, 2, 4, 6, 8, 10}},
		{name: "both", limit: pegboard.GroupLimit{Parallel: 2, PerSecond: 4, Burst: 2}, want: []float64{0, 0, 1, 1, 2, 2, 3, 3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newSchedule()
				reg := registryOf(t, s.takes(pegboard.Info{Name: "T", Group: "net"}, time.Second))
				main := session(t, limited(t, map[string]pegboard.GroupLimit{"net": tt.limit}))
				agent := forked(t, main, pegboard.SessionConfig{AgentID: "a"})
				var all sync.WaitGroup
				for _, s := range []*pegboard.Session{main, agent} {
					ex := executor(pegboard.Executor{MaxParallel: tt.workers})
					all.Go(func() {
						for _, out := range ex.Run(t.Context(), reg.AssemblePool(s, pegboard.PoolConfig{}), callsOf("T", 4)...) {
							require.NoError(t, out.Err)
						}
					})
				}
				all.Wait()
				var begun []float64
				for _, line := range s.lines {
					var at float64
					_, err := fmt.Sscan(line, &at)
					require.NoError(t, err)
					begun = append(begun, at)
				}
				require.Equal(t, tt.want, begun)
			})
		})
	}
}

// TestGroupWaitsWithoutAWorker: calls that wait for their group leave the workers to
// others, but hold their targets.
func TestGroupWaitsWithoutAWorker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSchedule()
		perFile := func(info pegboard.Info) pegboard.Tool {
			return pegboard.Build(pegboard.Definition[touch, string]{
				Info: info, Description: "Touches a file.",
				Inspect: func(in touch, _ *pegboard.Call) pegboard.Traits {
					return pegboard.Traits{Concurrency: pegboard.PerTarget, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: in.Path}}}
				},
				Call: func(_ ctx, _ touch, c *pegboard.Call) (string, error) {
					s.note(c.ID)
					time.Sleep(10 * time.Second)
					return "touched", nil
				},
			})
		}
		reg := registryOf(t, perFile(pegboard.Info{Name: "Slow", Group: "disk"}), perFile(pegboard.Info{Name: "Quick"}))
		pool := reg.AssemblePool(session(t, limited(t, map[string]pegboard.GroupLimit{"disk": {Parallel: 1}})), pegboard.PoolConfig{})
		var events []string
		ex := executor(pegboard.Executor{MaxParallel: 2, OnEvent: func(e pegboard.Event) {
			if e.Kind == pegboard.EventWaiting && e.WaitsFor == nil {
				events = append(events, e.Text)
			}
		}})
		for _, out := range ex.Run(t.Context(), pool,
			call("1", "Slow", `{"path":"a"}`), call("2", "Slow", `{"path":"b"}`), call("3", "Slow", `{"path":"c"}`),
			call("4", "Quick", `{"path":"d"}`), call("5", "Quick", `{"path":"c"}`)) {
			require.NoError(t, out.Err)
		}
		begun := map[string]float64{}
		for _, line := range s.lines {
			var at float64
			var id string
			_, err := fmt.Sscan(line, &at, &id)
			require.NoError(t, err)
			begun[id] = at
		}
		require.ElementsMatch(t, []float64{0, 10, 20}, []float64{begun["1"], begun["2"], begun["3"]})
		require.Zero(t, begun["4"], "there is a worker for it")
		require.GreaterOrEqual(t, begun["5"], begun["3"]+10, "its file is taken")
		require.Len(t, events, 2)
		require.Equal(t, "waits for a place in disk: 1 at once", events[0])
	})
}

// TestGroupWaitOfARate says what a call waits for.
func TestGroupWaitOfARate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSchedule()
		pool := registryOf(t, s.takes(pegboard.Info{Name: "T"}, 0)).AssemblePool(session(t, limited(t, map[string]pegboard.GroupLimit{"T": {PerSecond: 0.5}})), pegboard.PoolConfig{})
		var events []string
		ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) { events = append(events, e.Call.ID+" "+e.Kind.String()+" "+e.Text) }})
		ex.Run(t.Context(), pool, call("1", "T", `{}`))
		ex.Run(t.Context(), pool, call("2", "T", `{}`))
		require.Equal(t, []string{"1 admitted ", "1 decided ", "1 started ", "1 finished ", "2 admitted ", "2 decided ", "2 waiting waits for the rate of T: 0.5 in a second", "2 started ", "2 finished "}, events)
	})
}

// TestGroupWaitEnds ends a call that waits for a place, by every cause there is.
func TestGroupWaitEnds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		end  func(t *testing.T, s *pegboard.Session, cancel context.CancelCauseFunc)
		is   error
	}{
		{name: "the user interrupts", is: pegboard.ErrUserInterrupt, end: func(_ *testing.T, _ *pegboard.Session, cancel context.CancelCauseFunc) {
			cancel(pegboard.ErrUserInterrupt)
		}},
		{name: "a new message", is: pegboard.ErrNewMessage, end: func(_ *testing.T, _ *pegboard.Session, cancel context.CancelCauseFunc) {
			cancel(pegboard.ErrNewMessage)
		}},
		{name: "the agent is interrupted", is: pegboard.ErrUserInterrupt, end: func(_ *testing.T, s *pegboard.Session, _ context.CancelCauseFunc) { s.Interrupt(nil) }},
		{name: "the agent is closed", is: pegboard.ErrClosed, end: func(t *testing.T, s *pegboard.Session, _ context.CancelCauseFunc) {
			t.Helper()
			require.NoError(t, s.Close(t.Context()))
		}},
		{name: "a sibling fails", is: pegboard.ErrSiblingFailed, end: func(*testing.T, *pegboard.Session, context.CancelCauseFunc) {}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newSchedule()
				fails := pegboard.Build(pegboard.Definition[struct{}, string]{
					Info: pegboard.Info{Name: "Fails", CancelsSiblings: true}, Description: "Fails.", Traits: looksOnly,
					Call: func(ctx, struct{}, *pegboard.Call) (string, error) {
						time.Sleep(2 * time.Second)
						return "", errReset
					},
				})
				reg := registryOf(t, s.takes(pegboard.Info{Name: "T"}, time.Hour), fails)
				main := session(t, limited(t, map[string]pegboard.GroupLimit{"T": {Parallel: 1}}))
				agent := forked(t, main, pegboard.SessionConfig{})
				holder := executor(pegboard.Executor{})
				held, release := context.WithCancel(t.Context())
				defer release()
				go holder.Run(held, reg.AssemblePool(main, pegboard.PoolConfig{}), call("holder", "T", `{}`))
				time.Sleep(time.Second)

				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(2*time.Second, func() { tt.end(t, agent, cancel) })
				ex := executor(pegboard.Executor{CancelSiblings: true})
				calls := []pegboard.Call{call("waits", "T", `{}`)}
				if errors.Is(tt.is, pegboard.ErrSiblingFailed) {
					calls = append(calls, call("fails", "Fails", `{}`))
				}
				out := ex.Run(ctx, reg.AssemblePool(agent, pegboard.PoolConfig{}), calls...)[0]
				require.ErrorIs(t, out.Err, tt.is)
				require.ErrorIs(t, out.Err, pegboard.ErrCancelled)
				var at *pegboard.CallError
				require.ErrorAs(t, out.Err, &at)
				require.Equal(t, pegboard.StageLimits, at.Stage)
				require.Contains(t, out.Result.Text(), "T was not run: ")
				require.Zero(t, out.Attempts)
				require.Equal(t, 3*time.Second, time.Since(s.begun))
				release()
				synctest.Wait()
				require.Equal(t, []string{"0 holder"}, s.lines)
			})
		})
	}
}

// TestGroupInsideACall: a call does not wait for the call that made it, whether that was
// by Call.Run, by Call.Run with another context, or by an agent in its context.
func TestGroupInsideACall(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		inside func(t *testing.T, ctx ctx, reg *pegboard.Registry, c *pegboard.Call, calls []pegboard.Call) []pegboard.Outcome
	}{
		{name: "a script", inside: func(_ *testing.T, ctx ctx, _ *pegboard.Registry, c *pegboard.Call, calls []pegboard.Call) []pegboard.Outcome {
			return c.Run(ctx, calls...)
		}},
		{name: "a script with a context of its own", inside: func(t *testing.T, _ ctx, _ *pegboard.Registry, c *pegboard.Call, calls []pegboard.Call) []pegboard.Outcome {
			t.Helper()
			return c.Run(t.Context(), calls...)
		}},
		{name: "an agent", inside: func(t *testing.T, ctx ctx, reg *pegboard.Registry, c *pegboard.Call, calls []pegboard.Call) []pegboard.Outcome {
			t.Helper()
			ex := executor(pegboard.Executor{})
			return ex.Run(ctx, reg.AssemblePool(forked(t, c.Session(), pegboard.SessionConfig{}), pegboard.PoolConfig{}), calls...)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, reg := newSchedule(), new(pegboard.Registry)
				var inner []pegboard.Outcome
				outer := s.takes(pegboard.Info{Name: "Outer", Group: "one"}, time.Second, func(ctx ctx, c *pegboard.Call) {
					inner = append(inner, tt.inside(t, ctx, reg, c, callsOf("Inner", 2))...)
				})
				require.NoError(t, reg.Add(outer, s.takes(pegboard.Info{Name: "Inner", Group: "one"}, time.Second)))
				main := session(t, limited(t, map[string]pegboard.GroupLimit{"one": {Parallel: 1}}))
				ex := executor(pegboard.Executor{MaxParallel: 1})
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // one that waits for itself ends
				defer cancel()
				outs := ex.Run(ctx, reg.AssemblePool(main, pegboard.PoolConfig{}), call("outer1", "Outer", `{}`), call("outer2", "Outer", `{}`))
				require.Len(t, inner, 4)
				for _, out := range append(outs, inner...) {
					require.NoError(t, out.Err)
				}
				require.Equal(t, 6*time.Second, time.Since(s.begun), "two inside each, one after the other")
			})
		})
	}
}

// TestGroupsThatWaitForEachOther fails one of two calls that would wait for ever.
func TestGroupsThatWaitForEachOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSchedule()
		var failed []pegboard.Outcome
		inside := func(name string) func(ctx, *pegboard.Call) {
			return func(ctx ctx, c *pegboard.Call) {
				if out := c.Run(ctx, call("in "+c.ID, name, `{}`))[0]; out.Err != nil {
					failed = append(failed, out)
				}
			}
		}
		reg := registryOf(t,
			s.takes(pegboard.Info{Name: "A", Group: "a"}, time.Second, inside("InB")), s.takes(pegboard.Info{Name: "InA", Group: "a"}, time.Second),
			s.takes(pegboard.Info{Name: "B", Group: "b"}, 2*time.Second, inside("InA")), s.takes(pegboard.Info{Name: "InB", Group: "b"}, time.Second))
		pool := reg.AssemblePool(session(t, limited(t, map[string]pegboard.GroupLimit{"a": {Parallel: 1}, "b": {Parallel: 1}})), pegboard.PoolConfig{})
		ex := executor(pegboard.Executor{})
		for _, out := range ex.Run(t.Context(), pool, call("1", "A", `{}`), call("2", "B", `{}`)) {
			require.NoError(t, out.Err)
		}
		require.Equal(t, []string{"0 1", "0 2", "2 in 1"}, s.sorted())
		require.Len(t, failed, 1)
		require.ErrorIs(t, failed[0].Err, pegboard.ErrDeadlock)
		require.Equal(t, "InA was not run: it would wait for a call that waits for it. Call it again later, when nothing else runs beside it.", failed[0].Result.Text())
	})
}

// TestGroupOfAnAbandonedCall keeps its place until the tool returns. Others do not wait
// for that.
func TestGroupOfAnAbandonedCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		deaf := slow(pegboard.Info{Name: "Deaf", Timeout: time.Second, Group: "g"}, true)
		s := newSchedule()
		reg := registryOf(t, deaf, s.takes(pegboard.Info{Name: "T", Group: "g"}, time.Second))
		pool := reg.AssemblePool(session(t, limited(t, map[string]pegboard.GroupLimit{"g": {Parallel: 1}})), pegboard.PoolConfig{})
		ex := executor(pegboard.Executor{Grace: time.Second})
		outs := ex.Run(t.Context(), pool, call("deaf", "Deaf", `{"ms":60000}`))
		require.ErrorIs(t, outs[0].Err, pegboard.ErrDetached)

		out := ex.Run(t.Context(), pool, call("early", "T", `{}`))[0]
		require.ErrorIs(t, out.Err, pegboard.ErrDetached)
		require.Contains(t, out.Result.Text(), "T was not run: as many calls as may run at once were given up and have not returned (Deaf). ")
		require.Equal(t, 2*time.Second, time.Since(s.begun))
		time.Sleep(time.Minute)
		out = ex.Run(t.Context(), pool, call("late", "T", `{}`))[0]
		require.NoError(t, out.Err)
		require.Equal(t, []string{"62 late"}, s.lines)
	})
}

// TestGroupOfARetriedCall gives the place back in the pause, and each attempt counts for
// the rate.
func TestGroupOfARetriedCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := attempts{traits: looksOnly, takes: time.Second, ends: []error{pegboard.Transient(errReset, 2*time.Second), nil},
			info: pegboard.Info{Group: "net", Retry: pegboard.RetryPolicy{Attempts: 2}}}
		s := newSchedule()
		pool := registryOf(t, a.tool(), s.takes(pegboard.Info{Name: "T", Group: "net"}, time.Second)).AssemblePool(
			session(t, limited(t, map[string]pegboard.GroupLimit{"net": {Parallel: 1, PerSecond: 0.2, Burst: 2}})), pegboard.PoolConfig{})
		ex := executor(pegboard.Executor{})
		stream := ex.Stream(t.Context(), pool)
		stream.Submit(call("fetch", "Fetch", `{}`))
		synctest.Wait()
		stream.Submit(call("t", "T", `{}`))
		stream.Finish(pegboard.FinishStop)
		for out := range stream.Outcomes() {
			require.NoError(t, out.Err)
		}
		require.Equal(t, []string{"1 t"}, s.lines, "in the pause")
		require.Equal(t, 5*time.Second, a.begun[1].Sub(a.begun[0]), "the pause is over at 3, and the rate permits the third start at 5")
	})
}

// TestGroupsDoNotChangeOthers: a session with limits treats a call of none as any other.
func TestGroupsDoNotChangeOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSchedule()
		pool := registryOf(t, s.takes(pegboard.Info{Name: "T"}, time.Second)).AssemblePool(session(t, limited(t, map[string]pegboard.GroupLimit{"net": {Parallel: 1}})), pegboard.PoolConfig{})
		ex := executor(pegboard.Executor{MaxParallel: 2})
		outs := ex.Run(t.Context(), pool, append(callsOf("T", 4), call("no", "None", `{}`), call("T1", "T", `{}`))...)
		require.ErrorIs(t, outs[4].Err, pegboard.ErrUnknownTool)
		require.ErrorIs(t, outs[5].Err, pegboard.ErrDuplicate)
		require.Equal(t, 2*time.Second, time.Since(s.begun))
	})
}

// TestGroupOfCallsThatTheHostExecutes limits them, without a worker.
func TestGroupOfCallsThatTheHostExecutes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		_, pool := browsing(t, limited(t, map[string]pegboard.GroupLimit{"Open": {Parallel: 2}}))
		h := host{execute: func(a *pegboard.AwaitedCall) { time.AfterFunc(time.Second, func() { sayTitle(t, a, "x") }) }}
		ex := executor(pegboard.Executor{MaxParallel: 1, OnEvent: h.listen})
		for _, out := range ex.Run(t.Context(), pool, callsOf("Open", 4)...) {
			require.NoError(t, out.Err)
		}
		require.Equal(t, 2*time.Second, time.Since(begun))
	})
}
