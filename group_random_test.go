package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// task is what one call of the random test does. It stands in the call's input.
type task struct {
	Tool  int    `json:"tool"`
	Ms    int    `json:"ms,omitempty"`
	Class int    `json:"class,omitempty"`
	Path  string `json:"path,omitempty"`
	Fails int    `json:"fails,omitempty"` // attempts that end with a failure of the transport
	Deaf  bool   `json:"deaf,omitempty"`
	Agent bool   `json:"agent,omitempty"` // the calls inside are those of an agent
	Inner []task `json:"inner,omitempty"`
}

// crowd is a conversation whose agents send messages at the same time.
type crowd struct {
	limits   map[string]pegboard.GroupLimit
	messages [][]task // one for each agent
	workers  int
	cancel   time.Duration // of the first agent; 0 means never
}

const crowdTools = 6 // of which two are in each group; every third is limited by its own name, too

func groupsOfTool(tool int) []string {
	groups := []string{fmt.Sprint("g", tool%3)}
	if tool%3 == 0 {
		groups = append(groups, fmt.Sprint("T", tool))
	}
	return groups
}

func randomCrowd(random *rand.Rand) crowd {
	c := crowd{limits: map[string]pegboard.GroupLimit{}, workers: random.IntN(4)}
	for tool := range crowdTools {
		for _, g := range groupsOfTool(tool) {
			l := pegboard.GroupLimit{Parallel: random.IntN(4)}
			if random.IntN(3) == 0 {
				l.PerSecond, l.Burst = float64(20*(1+random.IntN(20))), random.IntN(4)
			}
			c.limits[g] = l
		}
	}
	for range 1 + random.IntN(4) {
		c.messages = append(c.messages, randomTasks(random, 2))
	}
	if random.IntN(4) == 0 {
		c.cancel = time.Duration(random.IntN(60)) * time.Millisecond
	}
	return c
}

func randomTasks(random *rand.Rand, depth int) (tasks []task) {
	for range 1 + random.IntN(5) {
		t := task{Tool: random.IntN(crowdTools), Ms: random.IntN(30), Class: random.IntN(3), Path: string(rune('a' + random.IntN(3)))}
		switch random.IntN(12) {
		case 0:
			t.Fails = 1 + random.IntN(3)
		case 1:
			t.Deaf = true
		case 2, 3, 4:
			if depth > 0 {
				t.Inner, t.Agent = randomTasks(random, depth-1), random.IntN(2) == 0
			}
		}
		tasks = append(tasks, t)
	}
	return tasks
}

// calls returns the calls of some tasks. The id of a call begins with that of the call
// around it.
func tasksAsCalls(id string, tasks []task) (calls []pegboard.Call) {
	for i, t := range tasks {
		input, err := json.Marshal(t)
		if err != nil {
			panic(err)
		}
		calls = append(calls, pegboard.Call{ID: fmt.Sprint(id, ".", i), Name: fmt.Sprint("T", t.Tool), Input: input})
	}
	return calls
}

// crowdWitness sees which tools run.
type crowdWitness struct {
	crowd   crowd
	reg     *pegboard.Registry
	mu      sync.Mutex
	running map[string]int // the tool, by the call's id
	tried   map[string]int
	starts  map[string][]time.Time
	ended   map[string]int // outcomes, by the reason
	faults  []string
}

// using counts the running calls of a group without those that wait for one inside them.
func (w *crowdWitness) using(group string) (n int) {
	for id, tool := range w.running {
		waits := false
		for in, other := range w.running {
			waits = waits || strings.HasPrefix(in, id+".") && slices.Contains(groupsOfTool(other), group)
		}
		if slices.Contains(groupsOfTool(tool), group) && !waits {
			n++
		}
	}
	return n
}

func (w *crowdWitness) begins(c *pegboard.Call, t task) (attempt int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running[c.ID] = t.Tool
	for _, g := range groupsOfTool(t.Tool) {
		w.starts[g] = append(w.starts[g], time.Now())
		if n, most := w.using(g), w.crowd.limits[g].Parallel; most > 0 && n > most {
			w.faults = append(w.faults, fmt.Sprintf("%s: %d of %d run in %s", c.ID, n, most, g))
		}
	}
	w.tried[c.ID]++
	return w.tried[c.ID]
}

func (w *crowdWitness) ends(c *pegboard.Call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.running, c.ID)
}

func (w *crowdWitness) checkRates() {
	for g, starts := range w.starts {
		l := w.crowd.limits[g]
		for i := range starts {
			for k := i; k < len(starts) && l.PerSecond > 0; k++ {
				period := starts[k].Sub(starts[i])
				if most := float64(max(1, l.Burst)) + l.PerSecond*period.Seconds() + 1e-6; float64(k-i+1) > most {
					w.faults = append(w.faults, fmt.Sprintf("%d starts of %s in %v, more than %g", k-i+1, g, period, most))
				}
			}
		}
	}
}

func (w *crowdWitness) tool(n int) pegboard.Tool {
	info := pegboard.Info{Name: fmt.Sprint("T", n), Group: fmt.Sprint("g", n%3), Timeout: time.Minute, Retry: pegboard.RetryPolicy{Attempts: 3, Delay: 10 * time.Millisecond}}
	return pegboard.Build(pegboard.Definition[task, string]{
		Info: info, Description: "Does as it is told.",
		Inspect: func(in task, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Concurrency: pegboard.Concurrency(in.Class), Idempotent: true, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: in.Path}}}
		},
		Call: w.perform,
	})
}

func (w *crowdWitness) perform(ctx ctx, in task, c *pegboard.Call) (string, error) {
	attempt := w.begins(c, in)
	defer w.ends(c)
	heard := ctx.Done()
	if in.Deaf {
		heard = nil
	}
	select {
	case <-time.After(time.Duration(in.Ms) * time.Millisecond):
	case <-heard:
		return "", context.Cause(ctx)
	}
	if attempt <= in.Fails {
		return "", pegboard.Transient(errReset, 0)
	}
	calls := tasksAsCalls(c.ID, in.Inner)
	if in.Agent {
		agent, err := c.Session().Fork(pegboard.SessionConfig{AgentID: c.ID})
		if err != nil {
			return "", err
		}
		defer agent.Close(context.WithoutCancel(ctx)) //nolint:errcheck // its calls have ended
		ex := executor(pegboard.Executor{MaxParallel: 1, Grace: time.Millisecond})
		w.count(calls, ex.Run(ctx, w.reg.AssemblePool(agent, pegboard.PoolConfig{}), calls...))
	} else if len(calls) > 0 {
		w.count(calls, c.Run(ctx, calls...))
	}
	return "done", nil
}

func (w *crowdWitness) count(calls []pegboard.Call, outs []pegboard.Outcome) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, out := range outs {
		if out.Call.ID != calls[i].ID {
			w.faults = append(w.faults, "outcomes are out of order")
		}
		why := ""
		for _, e := range []error{errReset, pegboard.ErrDetached, pegboard.ErrCancelled, pegboard.ErrDeadlock, pegboard.ErrUnknownTool} {
			if errors.Is(out.Err, e) {
				why = e.Error()
				break
			}
		}
		if (out.Err != nil) != (why != "") || (why == "") != (out.Result.Text() == "done") {
			w.faults = append(w.faults, fmt.Sprintf("%s: %v %s", out.Call.ID, out.Err, out.Result.Text()))
		}
		w.ended[why]++
	}
}

// TestGroupsOfACrowd plays agents whose messages are full of scripts, agents, retries and
// calls that do not return. Never more calls of a group run than its limit says, its rate
// holds over every period, and every call that nobody stops is served.
func TestGroupsOfACrowd(t *testing.T) {
	t.Parallel()
	reasons := map[string]int{}
	for seed := range effort.Of(t, uint64(400)) {
		c := randomCrowd(rand.New(rand.NewPCG(seed, 39)))
		bubble(t, func() string { return fmt.Sprintf("seed %d: %+v", seed, c) }, func(t *testing.T) {
			t.Helper()
			w := &crowdWitness{crowd: c, reg: new(pegboard.Registry), running: map[string]int{}, tried: map[string]int{}, starts: map[string][]time.Time{}, ended: map[string]int{}}
			for n := range crowdTools {
				require.NoError(t, w.reg.Add(w.tool(n)))
			}
			cfg := limited(t, c.limits)
			main := session(t, cfg)
			begun := time.Now()
			var all sync.WaitGroup
			for i, message := range c.messages {
				agent, ctx := forked(t, main, pegboard.SessionConfig{}), t.Context()
				if i == 0 && c.cancel > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, c.cancel)
					defer cancel()
				}
				calls, ex := tasksAsCalls(fmt.Sprint(i), message), executor(pegboard.Executor{MaxParallel: c.workers, Grace: time.Millisecond})
				all.Go(func() { w.count(calls, ex.Run(ctx, w.reg.AssemblePool(agent, pegboard.PoolConfig{}), calls...)) })
			}
			all.Wait()
			require.Less(t, time.Since(begun), time.Minute)
			time.Sleep(time.Minute) // for those that do not return when they are told
			synctest.Wait()
			require.Empty(t, main.Detached())
			w.mu.Lock()
			defer w.mu.Unlock()
			w.checkRates()
			require.Empty(t, w.faults)
			require.Empty(t, w.running)
			for why, n := range w.ended {
				reasons[why] += n
			}
			if c.cancel == 0 {
				require.Zero(t, w.ended[pegboard.ErrCancelled.Error()])
				require.Zero(t, w.ended[pegboard.ErrDetached.Error()])
			}
		})
	}
	t.Log(reasons)
	for _, why := range []string{"", errReset.Error(), pegboard.ErrCancelled.Error(), pegboard.ErrDeadlock.Error(), pegboard.ErrDetached.Error()} {
		if effort.Full(t) {
			require.NotZero(t, reasons[why], why)
		}
	}
}
