package temporal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/temporal"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A step is a call of a random message: which names it reads and which it writes, how long it
// takes, and how it ends.
type step struct {
	Reads  []string `json:"reads,omitempty"`
	Writes []string `json:"writes,omitempty"`
	Ms     int      `json:"ms,omitempty"`
	Ends   string   `json:"ends,omitempty"` // error, panic or flagged
}

// A notebook is the memory that the calls of a message read and write.
type notebook struct {
	mu    sync.Mutex
	pages map[string]string
}

// stepTool reads and writes a notebook: what it returns tells the order of all calls before it
// that it conflicts with.
func stepTool(n *notebook) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[step, *pegboard.Result]{
		Info: pegboard.Info{Name: "Step"}, Description: "For a test.",
		Inspect: func(s step, _ *pegboard.Call) pegboard.Traits {
			tr := pegboard.Traits{Concurrency: pegboard.PerTarget, ReadOnly: len(s.Writes) == 0}
			for _, name := range s.Reads {
				tr.Targets = append(tr.Targets, policy.Target{Kind: policy.Resource, Access: policy.Read, Value: name})
			}
			for _, name := range s.Writes {
				tr.Targets = append(tr.Targets, policy.Target{Kind: policy.Resource, Access: policy.Write, Value: name})
			}
			return tr
		},
		Call: func(_ context.Context, s step, c *pegboard.Call) (*pegboard.Result, error) {
			read := n.turn(s, c.ID)
			switch s.Ends {
			case "error":
				return pegboard.TextResult(read), errors.New("the tool fails")
			case "panic":
				panic("the tool panics")
			case "flagged":
				return &pegboard.Result{IsError: true, Parts: []pegboard.Part{{Text: read}}}, nil
			}
			return pegboard.TextResult(read), nil
		},
	})
}

// turn reads what s reads, waits, and writes.
func (n *notebook) turn(s step, id string) string {
	n.mu.Lock()
	read := ""
	for _, name := range append(slices.Clone(s.Reads), s.Writes...) {
		read += name + "=" + n.pages[name] + " "
	}
	n.mu.Unlock()
	time.Sleep(time.Duration(s.Ms) * time.Millisecond)
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, name := range s.Writes {
		n.pages[name] += id + ","
	}
	return read
}

func drawSteps(rnd *rand.Rand) (calls []pegboard.Call) {
	pick := func() (names []string) {
		for _, name := range []string{"a", "b", "c", "d"} {
			if rnd.IntN(4) == 0 {
				names = append(names, name)
			}
		}
		return names
	}
	for i := range 4 + rnd.IntN(12) {
		s := step{Reads: pick(), Writes: pick(), Ms: rnd.IntN(8)}
		if rnd.IntN(5) == 0 {
			s.Ends = []string{"error", "panic", "flagged"}[rnd.IntN(3)]
		}
		input, err := json.Marshal(s)
		if err != nil {
			panic(err)
		}
		calls = append(calls, pegboard.Call{ID: fmt.Sprint(i), Name: "Step", Input: input})
	}
	return calls
}

// TestPlansEndAsOneByOne runs random messages on workers. Each call ends as if all ran one after
// the other in this process.
func TestPlansEndAsOneByOne(t *testing.T) {
	t.Parallel()
	queue := newQueue()
	var mu sync.Mutex
	books := map[string]*notebook{} // by the session
	for range 3 {
		w, err := temporal.NewWorker(server.GetDefaultClient(), queue, temporal.WorkerOptions{Logger: quiet,
			Pool: func(ctx context.Context, d temporal.Description) (*pegboard.Pool, error) {
				mu.Lock()
				defer mu.Unlock()
				return poolOf(nil, stepTool(books[d.Session]))(ctx, d)
			}})
		require.NoError(t, err)
		require.NoError(t, w.Start())
		t.Cleanup(w.Stop)
	}
	for seed := range effort.Of(t, uint64(60)) {
		calls := drawSteps(rand.New(rand.NewPCG(seed, 3))) //nolint:gosec // of a test
		id := fmt.Sprint("plan ", seed)
		mu.Lock()
		books[id] = &notebook{pages: map[string]string{}}
		mu.Unlock()
		there := newHost(t, temporal.Options{Route: to(queue)}, pegboard.SessionConfig{ID: id}, stepTool(nil))
		alone := newHost(t, temporal.Options{}, pegboard.SessionConfig{}, stepTool(&notebook{pages: map[string]string{}}))
		alone.exec.Invoke = nil
		got := there.run(t.Context(), calls...)
		for i, c := range calls {
			want := alone.run(t.Context(), c)[0]
			require.Equal(t, want.Result.Parts, got[i].Result.Parts, "seed %d, call %d of %s", seed, i, calls)
			require.Equal(t, want.Result.IsError, got[i].Result.IsError)
			var was, is *pegboard.CallError
			require.Equal(t, errors.As(want.Err, &was), errors.As(got[i].Err, &is))
			if was != nil {
				require.Equal(t, was.Sentinel(), is.Sentinel(), "seed %d, call %d", seed, i)
			}
		}
	}
}
