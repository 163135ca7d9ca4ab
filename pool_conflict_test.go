package pegboard_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func TestConflictSaysWhy(t *testing.T) {
	t.Parallel()
	tool := func(name string, class pegboard.Concurrency, targets ...pegboard.Target) pegboard.Tool {
		a := actor{name: name, traits: pegboard.Traits{Concurrency: class, Targets: targets}}
		return a.tool()
	}
	shared := pegboard.Shared
	pool := registryOf(t,
		tool("Alone", pegboard.Exclusive), tool("Vague", pegboard.PerTarget), tool("Free", shared),
		tool("ReadA", shared, pathTo(pegboard.AccessRead, "src/a.go")), tool("WriteA", shared, pathTo(pegboard.AccessWrite, "src/a.go")),
		tool("ReadSrc", shared, pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: "src", Tree: true}),
		tool("Host", shared, pegboard.Target{Kind: pegboard.TargetHost, Value: "Example.com"}),
		tool("Odd", shared, pegboard.Target{Kind: pegboard.TargetResource, Value: "a\u202eb"}),
	).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	tests := []struct {
		a, b string
		why  string // empty if there is no conflict
	}{
		{a: "Alone", b: "Free", why: "Alone runs alone"},
		{a: "Free", b: "Alone", why: "Alone runs alone"},
		{a: "Alone", b: "Alone", why: "Alone runs alone"},
		{a: "Alone", b: "Vague", why: "Alone and Vague run alone"},
		{a: "ReadA", b: "ReadA"},
		{a: "Free", b: "WriteA"},
		{a: "WriteA", b: "WriteA", why: "both write src/a.go"},
		{a: "ReadA", b: "WriteA", why: "ReadA reads src/a.go, which WriteA writes"},
		{a: "WriteA", b: "ReadA", why: "WriteA writes src/a.go, which ReadA reads"},
		{a: "ReadSrc", b: "WriteA", why: "ReadSrc reads src, and WriteA writes src/a.go"},
		{a: "Host", b: "Host", why: "both write example.com"},
		{a: "Odd", b: "Odd", why: `both write "a\u202eb"`},
		{a: "Missing", b: "Alone"},
	}
	for _, tc := range tests {
		t.Run(tc.a+" "+tc.b, func(t *testing.T) {
			t.Parallel()
			why, ok := pool.Conflict(call("1", tc.a, `{}`), call("2", tc.b, `{}`))
			require.Equal(t, tc.why, why)
			require.Equal(t, tc.why != "", ok)
		})
	}
	_, ok := pool.Conflict(call("1", "Alone", `[`), call("2", "Alone", `{}`))
	require.False(t, ok, "an input that cannot be read")
}

func TestConflictOfANilPoolPanicsWithAReason(t *testing.T) {
	t.Parallel()
	require.PanicsWithValue(t, "pegboard: Conflict with a nil or zero Pool; make one with Registry.AssemblePool", func() {
		(*pegboard.Pool)(nil).Conflict(pegboard.Call{}, pegboard.Call{})
	})
}

// TestWaitingEventsAgreeWithConflict runs random batches: a call says that it waits only for
// one that is in its way, and calls that run at the same time have no conflict.
func TestWaitingEventsAgreeWithConflict(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { checkRandomBatch(t, rand.New(rand.NewPCG(seed, 1))) })
		})
	}
}

// randomJobs often touch the same things.
func randomJobs(random *rand.Rand) (jobs []job) {
	for range 1 + random.IntN(12) {
		jobs = append(jobs, job{
			Path:  []string{"", "a", "a/b", "a/c", "d"}[random.IntN(5)],
			Write: random.IntN(2) == 0,
			Class: []string{"shared", "shared", "target", "target", ""}[random.IntN(5)],
			Ms:    1 + random.IntN(9),
		})
	}
	return jobs
}

func working(t testing.TB, id string, j job) pegboard.Call {
	t.Helper()
	in, err := json.Marshal(j)
	require.NoError(t, err)
	return call(id, "Work", string(in))
}

func checkRandomBatch(t *testing.T, random *rand.Rand) {
	t.Helper()
	var mu sync.Mutex
	var running []job // as the tools see it: events of two calls may come later than they happened
	var pool *pegboard.Pool
	note := func(in job, begin bool) {
		mu.Lock()
		defer mu.Unlock()
		if !begin {
			running = slices.Delete(running, slices.Index(running, in), slices.Index(running, in)+1)
			return
		}
		for _, other := range running {
			why, ok := pool.Conflict(working(t, "", other), working(t, "", in))
			if ok {
				t.Errorf("%v runs beside %v: %s", in, other, why)
			}
		}
		running = append(running, in)
	}
	pool = registryOf(t, worker(note)).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	finished, waits := map[string]bool{}, map[string]int{}
	ex := executor(pegboard.Executor{MaxParallel: 1 + random.IntN(12), OnEvent: func(e pegboard.Event) {
		switch e.Kind {
		case pegboard.EventWaiting:
			waits[e.Call.ID]++
			if why, ok := pool.Conflict(*e.Call, *e.WaitsFor); !ok || why != e.Text || finished[e.WaitsFor.ID] {
				t.Errorf("%s waits for %s: %q; the pool says %q", e.Call.ID, e.WaitsFor.ID, e.Text, why)
			}
		case pegboard.EventFinished:
			finished[e.Call.ID] = true
		}
	}})
	var calls []pegboard.Call
	for i, j := range randomJobs(random) {
		calls = append(calls, working(t, fmt.Sprint(i), j))
	}
	ex.Run(t.Context(), pool, calls...)
	for i, c := range calls {
		conflicts := slices.ContainsFunc(calls[:i], func(earlier pegboard.Call) bool {
			_, ok := pool.Conflict(earlier, c)
			return ok
		})
		require.Equal(t, conflicts, waits[c.ID] == 1, "call %s: the earlier calls were admitted at the same moment, and take time", c.ID)
		require.LessOrEqual(t, waits[c.ID], 1)
	}
}

func TestWaitingIsToldOnceThoughTheInputIsReplaced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := bypass(t)
		cfg.Hooks.Pre = func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
			if h.Call.ID != "3" {
				return pegboard.Decision{}, nil
			}
			return pegboard.Decision{Behavior: pegboard.Allow, Input: json.RawMessage(`{"path":"b","class":"target","ms":5}`)}, nil
		}
		pool := registryOf(t, worker(func(job, bool) {})).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
		var told []string
		ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
			if e.Kind == pegboard.EventWaiting {
				told = append(told, e.Call.ID+" for "+e.WaitsFor.ID+": "+e.Text)
			}
		}})
		begin := time.Now()
		ex.Run(t.Context(), pool,
			call("1", "Work", `{"path":"a","write":true,"class":"target","ms":5}`),
			call("2", "Work", `{"path":"b","write":true,"class":"target","ms":20}`),
			call("3", "Work", `{"path":"a","class":"target","ms":5}`))
		require.Equal(t, 25*time.Millisecond, time.Since(begin), "the third waits for the first, then for the second")
		require.Equal(t, []string{"3 for 1: Work reads a, which Work writes"}, told)
	})
}

func TestNothingIsToldOfACallThatDoesNotWait(t *testing.T) {
	t.Parallel()
	var kinds []string
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) { kinds = append(kinds, e.Kind.String()) }})
	ex.Run(t.Context(), workers(t), call("1", "Work", `{"path":"a","write":true}`))
	require.Equal(t, []string{"admitted", "decided", "started", "finished"}, kinds)
}
