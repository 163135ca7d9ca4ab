package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// planned is one call of a random plan: what it touches, how long it takes, and how
// it ends.
type planned struct {
	Reads  []string `json:"reads,omitempty"`
	Writes []string `json:"writes,omitempty"`
	Tree   bool     `json:"tree,omitempty"`
	Class  int      `json:"class,omitempty"`
	Ms     int      `json:"ms,omitempty"`
	Ends   string   `json:"ends,omitempty"`
}

// world is what the calls of a plan act on. It notices when two that conflict
// touch it at once.
type world struct {
	mu       sync.Mutex
	files    map[string]string
	running  map[string]planned
	overlaps []string
}

func (p planned) conflicts(q planned) bool {
	if p.Class == 0 || q.Class == 0 {
		return true
	}
	touches := func(a, b string) bool {
		return a == b || (p.Tree && strings.HasPrefix(b, a+"/")) || (q.Tree && strings.HasPrefix(a, b+"/"))
	}
	for _, w := range p.Writes {
		if slices.ContainsFunc(append(slices.Clone(q.Reads), q.Writes...), func(x string) bool { return touches(w, x) }) {
			return true
		}
	}
	for _, r := range p.Reads {
		if slices.ContainsFunc(q.Writes, func(x string) bool { return touches(r, x) }) {
			return true
		}
	}
	return false
}

// tool returns the tool whose calls make up a plan.
func (w *world) tool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[planned, string]{
		Info: pegboard.Info{Name: "Do", Timeout: 200 * time.Millisecond}, Description: "Does one step of a plan.",
		Inspect: func(p planned, _ *pegboard.Call) pegboard.Traits {
			tr := pegboard.Traits{Concurrency: pegboard.Concurrency(p.Class)}
			for _, r := range p.Reads {
				tr.Targets = append(tr.Targets, pegboard.Target{Kind: pegboard.Resource, Access: pegboard.Read, Value: r, Tree: p.Tree})
			}
			for _, x := range p.Writes {
				tr.Targets = append(tr.Targets, pegboard.Target{Kind: pegboard.Resource, Value: x, Tree: p.Tree})
			}
			return tr
		},
		Call: w.call,
	})
}

func (w *world) call(ctx context.Context, p planned, c *pegboard.Call) (string, error) {
	w.mu.Lock()
	for id, q := range w.running {
		if p.conflicts(q) {
			w.overlaps = append(w.overlaps, id+" and "+c.ID)
		}
	}
	w.running[c.ID] = p
	saw := ""
	for _, r := range p.Reads {
		saw += w.files[r] + ";"
	}
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.running, c.ID)
		for _, x := range p.Writes {
			w.files[x] += c.ID
		}
	}()
	patience := ctx.Done()
	if p.Ends == "deaf" {
		patience, p.Ms = nil, 60_000
	}
	select {
	case <-time.After(time.Duration(p.Ms) * time.Millisecond):
	case <-patience:
		return saw, context.Cause(ctx)
	}
	switch p.Ends {
	case "error":
		return "", errors.New("as planned")
	case "panic":
		panic("as planned")
	case "goexit":
		runtime.Goexit()
	}
	return saw, nil
}

// draw makes a random plan.
func draw(rnd *rand.Rand) []pegboard.Call {
	places := []string{"a", "a/b", "a/b/c", "d", "e"}
	pick := func() []string {
		var ps []string
		for range rnd.IntN(3) {
			ps = append(ps, places[rnd.IntN(len(places))])
		}
		return ps
	}
	ends := []string{"", "", "", "", "", "error", "panic", "goexit", "deaf"}
	var calls []pegboard.Call
	for i := range 2 + rnd.IntN(7) {
		p := planned{
			Reads: pick(), Writes: pick(), Tree: rnd.IntN(4) == 0, Class: rnd.IntN(3), Ms: rnd.IntN(30),
			Ends: ends[rnd.IntN(len(ends))],
		}
		if p.Class == int(pegboard.ByTarget) && len(p.Reads)+len(p.Writes) == 0 {
			p.Class = int(pegboard.Exclusive) // which is what it means
		}
		in, err := json.Marshal(p)
		if err != nil {
			panic(err)
		}
		calls = append(calls, pegboard.Call{ID: fmt.Sprint(i), Name: "Do", Input: in})
	}
	return calls
}

// manner is how a plan is played.
type manner int

const (
	together  manner = iota
	serially         // one call after the other
	elsewhere        // each call is sent away as id, name and bytes
)

// holder is which of several calls that were left behind is named: when they were
// given up at the same moment, either may be.
var holder = regexp.MustCompile(`\(did not return: [^)]*\)`)

// play runs a plan on a fresh world and returns what the calls said. It cancels
// after the given number of events, if that is not negative.
func play(t *testing.T, calls []pegboard.Call, limit, cancelAfter int, how manner) (said []string, events int) {
	t.Helper()
	w := &world{files: map[string]string{}, running: map[string]planned{}}
	s, err := pegboard.NewSession(pegboard.SessionConfig{
		Permissions: rules(t, pegboard.ModeBypass, pegboard.RuleSet{}),
		Breaker:     pegboard.BreakerLimits{Errors: -1, Repeats: -1, Denials: -1},
	})
	require.NoError(t, err)
	pool := registryOf(t, w.tool()).AssemblePool(s)
	turn, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	ex := executor(pegboard.Executor{Limit: limit, OnEvent: func(pegboard.Event) {
		if events++; events == cancelAfter {
			cancel(pegboard.ErrUserInterrupt)
		}
	}})
	if how == elsewhere {
		ex.Invoke = farInvoke(pool)
	}
	var outs []pegboard.Outcome
	if how == serially {
		for _, c := range calls {
			outs = append(outs, ex.Run(turn, pool, c)...)
		}
	} else {
		outs = ex.Run(turn, pool, calls...)
	}
	require.Len(t, outs, len(calls))
	for i, o := range outs {
		require.Equal(t, calls[i].ID, o.Call.ID, "outcomes stand in the order of the calls")
		said = append(said, holder.ReplaceAllString(o.Result.Text(), "(a holder)"))
	}
	time.Sleep(2 * time.Minute) // what was left behind ends, or the bubble reports it
	w.mu.Lock()
	defer w.mu.Unlock()
	require.Empty(t, w.overlaps, "calls that conflict ran at once")
	require.Empty(t, s.Detached())
	return said, events
}

// TestInvariant9ScheduleEqualsSerialRun plays random plans side by side, one call
// after the other, and with every call sent elsewhere: the calls see and say the
// same.
func TestInvariant9ScheduleEqualsSerialRun(t *testing.T) {
	t.Parallel()
	for seed := range uint64(120) {
		calls := draw(rand.New(rand.NewPCG(seed, 9)))
		var want []string
		synctest.Test(t, func(t *testing.T) { want, _ = play(t, calls, 0, -1, serially) })
		for _, how := range []manner{together, elsewhere} {
			var got []string
			synctest.Test(t, func(t *testing.T) { got, _ = play(t, calls, 1+int(seed%5), -1, how) })
			require.Equal(t, want, got, "seed %d: %s", seed, calls)
		}
	}
}

// TestInvariant1EveryCallHasOneOutcome plays random plans and cancels after the
// first event, the second, and so on to the last.
func TestInvariant1EveryCallHasOneOutcome(t *testing.T) {
	t.Parallel()
	for seed := range uint64(25) {
		calls := draw(rand.New(rand.NewPCG(seed, 1)))
		events := 0
		synctest.Test(t, func(t *testing.T) { _, events = play(t, calls, 2, -1, together) })
		for k := range events {
			synctest.Test(t, func(t *testing.T) { play(t, calls, 2, k, together) })
		}
	}
}

// TestFiftyReadModifyWriteCallsOnOneFile are all present in the end.
func TestFiftyReadModifyWriteCallsOnOneFile(t *testing.T) {
	t.Parallel()
	content := ""
	tool := pegboard.Build(pegboard.Definition[job, string]{
		Info: pegboard.Info{Name: "Append"}, Description: "Reads, thinks, writes.",
		Inspect: func(in job, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Concurrency: pegboard.ByTarget, Targets: []pegboard.Target{{Kind: pegboard.Path, Value: in.Path}}}
		},
		Call: func(_ ctx, in job, c *pegboard.Call) (string, error) {
			before := content
			runtime.Gosched()
			content = before + c.ID + " "
			return "", nil
		},
	})
	var calls []pegboard.Call
	want := ""
	for i := range 50 {
		path := []string{"f", "./f", "x/../f"}[i%3]
		calls = append(calls, call(fmt.Sprint(i), "Append", fmt.Sprintf(`{"path":%q}`, path)))
		want += fmt.Sprint(i, " ")
	}
	ex := executor(pegboard.Executor{Limit: 50})
	for _, o := range ex.Run(t.Context(), registryOf(t, tool).AssemblePool(session(t, bypass(t))), calls...) {
		require.NoError(t, o.Err)
	}
	require.Equal(t, want, content)
}
