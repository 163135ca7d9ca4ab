package throttle_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/throttle"
)

// A plan is what one job does, by the fake clock.
type plan struct {
	groups  []int
	delay   time.Duration // before it joins
	run     time.Duration
	cancel  time.Duration // 0 means never
	abandon bool          // marked as abandoned while it runs; it leaves all the same
	inside  []plan        // run at once, on a lane of their own
	slots   int           // of that lane
}

// A world is the groups and the lanes of one run.
type world struct {
	limits  []throttle.Limit
	ordered bool // jobs inside are in groups that come later, so that there is no cycle
	lanes   []plan
}

func randomWorld(random *rand.Rand) world {
	w := world{ordered: random.IntN(2) == 0}
	for range 1 + random.IntN(4) {
		l := throttle.Limit{Parallel: random.IntN(4)}
		if random.IntN(2) == 0 {
			l.Interval, l.Burst = time.Duration(1+random.IntN(5))*time.Millisecond, random.IntN(4)
		}
		w.limits = append(w.limits, l)
	}
	for range 1 + random.IntN(4) {
		w.lanes = append(w.lanes, w.randomPlan(random, 0, 1+random.IntN(3)))
	}
	return w
}

// randomPlan returns a job with jobs inside. Of the outermost job only these count.
func (w *world) randomPlan(random *rand.Rand, from, depth int) plan {
	some := func() time.Duration { return time.Duration(random.IntN(8)) * time.Millisecond }
	p := plan{delay: some(), run: some(), abandon: random.IntN(12) == 0, slots: 1 + random.IntN(3)}
	if random.IntN(6) == 0 {
		p.cancel = 1 + some()*2
	}
	last := from
	for i := from; i < len(w.limits); i++ {
		if random.IntN(2) == 0 {
			p.groups = append(p.groups, i)
			last = i + 1
		}
	}
	if !w.ordered {
		last = 0
	}
	if depth > 0 {
		for range random.IntN(6) {
			p.inside = append(p.inside, w.randomPlan(random, last, depth-1))
		}
	}
	return p
}

// A runner is one job that runs.
type runner struct {
	plan  plan
	outer *runner
	entry throttle.Entry
}

// A witness sees every job from outside.
type witness struct {
	world  world
	groups []*throttle.Group

	mu      sync.Mutex
	running []*runner
	starts  [][]time.Time // of each group
	begun   int
	ended   map[error]int
	faults  []string
}

func (w *witness) isIn(r *runner, g int) bool { return slices.Contains(r.plan.groups, g) }

// using counts the running jobs of a group without those that wait for one inside them.
func (w *witness) using(g int) (n int) {
	for _, r := range w.running {
		waits := slices.ContainsFunc(w.running, func(in *runner) bool {
			for o := in.outer; o != nil; o = o.outer {
				if o == r {
					return w.isIn(in, g)
				}
			}
			return false
		})
		if w.isIn(r, g) && !waits {
			n++
		}
	}
	return n
}

func (w *witness) begins(r *runner) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = append(w.running, r)
	w.begun++
	for _, g := range r.plan.groups {
		w.starts[g] = append(w.starts[g], time.Now())
		if n, limit := w.using(g), w.world.limits[g].Parallel; limit > 0 && n > limit {
			w.faults = append(w.faults, fmt.Sprintf("%d of %d run in group %d", n, limit, g))
		}
	}
}

func (w *witness) ends(r *runner, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = slices.DeleteFunc(w.running, func(other *runner) bool { return other == r })
	w.ended[err]++
	if errors.Is(err, throttle.ErrDeadlock) && (w.world.ordered || r.outer == nil) {
		w.faults = append(w.faults, "a deadlock where there is none")
	}
}

// checkRates holds every window that begins and ends with a start against the rate.
func (w *witness) checkRates() {
	for g, starts := range w.starts {
		l := w.world.limits[g]
		for i := range starts {
			for k := i; k < len(starts) && l.Interval > 0; k++ {
				if most := max(1, l.Burst) + int(starts[k].Sub(starts[i])/l.Interval); k-i+1 > most {
					w.faults = append(w.faults, fmt.Sprintf("%d starts of group %d in %v, more than %d", k-i+1, g, starts[k].Sub(starts[i]), most))
				}
			}
		}
	}
}

func (w *witness) run(ctx context.Context, r *runner, slots throttle.Slots) {
	if r.plan.cancel > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.plan.delay+r.plan.cancel)
		defer cancel()
	}
	time.Sleep(r.plan.delay)
	if len(r.plan.groups) == 0 {
		if err := slots.AcquireSlot(ctx); err != nil {
			w.ends(r, err)
			return
		}
		w.begins(r)
		w.runInside(ctx, r)
		w.ends(r, nil)
		slots.ReleaseSlot()
		return
	}
	var groups []*throttle.Group
	for _, g := range r.plan.groups {
		groups = append(groups, w.groups[g])
	}
	var outer *throttle.Entry
	for o := r.outer; o != nil && outer == nil; o = o.outer {
		if len(o.plan.groups) > 0 {
			outer = &o.entry
		}
	}
	r.entry.Init(outer, slots, groups...)
	if r.entry.Join() != nil {
		if err := r.entry.Wait(ctx); err != nil {
			w.ends(r, err)
			return
		}
	}
	w.begins(r)
	if r.plan.abandon {
		r.entry.Abandon(errGone)
	}
	w.runInside(ctx, r)
	w.ends(r, nil)
	slots.ReleaseSlot()
	r.entry.Leave()
}

func (w *witness) runInside(ctx context.Context, r *runner) {
	time.Sleep(r.plan.run)
	w.runLane(ctx, r, r.plan)
}

func (w *witness) runLane(ctx context.Context, outer *runner, p plan) {
	l := laneOf(p.slots)
	var all sync.WaitGroup
	for _, inside := range p.inside {
		slots := l.Admit()
		all.Go(func() { w.run(ctx, &runner{plan: inside, outer: outer}, slots) })
	}
	all.Wait()
}

func (p *plan) jobs() (n int) {
	for _, in := range p.inside {
		n += 1 + in.jobs()
	}
	return n
}

// TestRandomJobs plays jobs of several lanes with jobs inside them. Never more than
// the limit of a group run at once, its rate holds over every window, every job is
// served, and a job ends without being served only for one of the reasons there are.
func TestRandomJobs(t *testing.T) {
	t.Parallel()
	reasons := map[error]int{}
	for seed := range effort.Of(t, uint64(4000)) {
		world := randomWorld(rand.New(rand.NewPCG(seed, 38)))
		synctest.Test(t, func(t *testing.T) {
			var set throttle.Set
			w := &witness{world: world, starts: make([][]time.Time, len(world.limits)), ended: map[error]int{}}
			for i, l := range world.limits {
				w.groups = append(w.groups, set.Group(fmt.Sprint(i), l))
			}
			started, jobs := time.Now(), 0
			var all sync.WaitGroup
			for _, p := range world.lanes {
				jobs += p.jobs()
				all.Go(func() { w.runLane(t.Context(), nil, p) })
			}
			all.Wait()
			w.checkRates()
			require.Empty(t, w.faults, "seed %d", seed)
			require.Empty(t, w.running)
			ended := 0
			for err, n := range w.ended {
				reasons[err] += n
				ended += n
			}
			require.LessOrEqual(t, ended, jobs)
			require.Equal(t, w.begun, w.ended[nil], "seed %d: those that began ended", seed)
			require.Less(t, time.Since(started), time.Minute)
			for i := range world.limits { // nothing is taken any more
				e, _ := entry(nil, w.groups[i])
				if e.Join() != nil {
					require.NoError(t, e.Wait(t.Context()))
				}
				e.Leave()
			}
		})
	}
	for err, n := range reasons {
		t.Log(n, err)
	}
	require.Subset(t, []error{nil, context.DeadlineExceeded, errGone, throttle.ErrDeadlock}, keys(reasons))
	if effort.Full(t) {
		require.Len(t, reasons, 4)
	}
}

func keys(m map[error]int) (all []error) {
	for err := range m {
		all = append(all, err)
	}
	return all
}
