package throttle_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/lane"
	"github.com/seed49eaa51d/pegboard/internal/throttle"
)

var errGone = errors.New("a job never returned")

// A diary notes what happens, with the seconds since it was opened.
type diary struct {
	mu     sync.Mutex
	opened time.Time
	lines  []string
}

func openDiary() *diary { return &diary{opened: time.Now()} }

func (d *diary) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf("%gs ", time.Since(d.opened).Seconds())+fmt.Sprintf(format, args...))
}

// lane of so many worker slots.
func laneOf(slots int) *lane.Lane {
	l := new(lane.Lane)
	l.SetLimit(slots)
	return l
}

// work runs a job that takes a time, or until its context ends.
func (d *diary) work(ctx context.Context, name string, e *throttle.Entry, slots throttle.Slots, takes time.Duration, inside ...func()) {
	if e.Join() != nil {
		if err := e.Wait(ctx); err != nil {
			d.note("%s: %v", name, err)
			return
		}
	}
	d.note("%s begins", name)
	time.Sleep(takes)
	for _, f := range inside {
		f()
	}
	d.note("%s ends", name)
	slots.ReleaseSlot()
	e.Leave()
}

// entry returns an entry with a worker slot that is always free.
func entry(outer *throttle.Entry, groups ...*throttle.Group) (*throttle.Entry, throttle.Slots) {
	e, slots := new(throttle.Entry), laneOf(1).Admit()
	e.Init(groups[0].Set(), outer, slots, nil, groups...)
	return e, slots
}

func TestLimits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		limit throttle.Limit
		takes time.Duration
		want  []string // when each of six jobs begins
	}{
		{name: "none", takes: time.Second, want: []string{"0s", "0s", "0s", "0s", "0s", "0s"}},
		{name: "one at once", limit: throttle.Limit{Parallel: 1}, takes: time.Second, want: []string{"0s", "1s", "2s", "3s", "4s", "5s"}},
		{name: "four at once", limit: throttle.Limit{Parallel: 4}, takes: time.Second, want: []string{"0s", "0s", "0s", "0s", "1s", "1s"}},
		{name: "a rate", limit: throttle.Limit{Interval: 2 * time.Second}, takes: time.Hour, want: []string{"0s", "2s", "4s", "6s", "8s", "10s"}},
		{name: "a rate with a burst", limit: throttle.Limit{Interval: 2 * time.Second, Burst: 3}, want: []string{"0s", "0s", "0s", "2s", "4s", "6s"}},
		{name: "both, the rate is slower", limit: throttle.Limit{Parallel: 1, Interval: 3 * time.Second, Burst: 2}, takes: time.Second, want: []string{"0s", "1s", "3s", "6s", "9s", "12s"}},
		{name: "both, the places are fewer", limit: throttle.Limit{Parallel: 1, Interval: time.Second}, takes: 5 * time.Second, want: []string{"0s", "5s", "10s", "15s", "20s", "25s"}},
		{name: "a burst that overflows", limit: throttle.Limit{Interval: math.MaxInt64 / 2, Burst: math.MaxInt}, want: []string{"0s", "0s", "", "", "", ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var set throttle.Set
				g, ctx, begun := set.Group("g", tt.limit), t.Context(), make([]string, len(tt.want))
				ctx, cancel := context.WithTimeout(ctx, 24*time.Hour)
				defer cancel()
				opened := time.Now()
				for i := range tt.want {
					e, slots := entry(nil, g)
					go func() {
						if e.Join() != nil && e.Wait(ctx) != nil {
							return
						}
						begun[i] = fmt.Sprint(time.Since(opened))
						time.Sleep(tt.takes)
						slots.ReleaseSlot()
						e.Leave()
					}()
					synctest.Wait() // so that they join in this order
				}
				time.Sleep(48 * time.Hour)
				synctest.Wait()
				require.Equal(t, tt.want, begun, "in the order in which they joined")
			})
		})
	}
}

// TestRateAfterAPause checks that a pause saves up no more than the burst.
func TestRateAfterAPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var set throttle.Set
		g, d := set.Group("g", throttle.Limit{Interval: time.Second, Burst: 2}), openDiary()
		time.Sleep(time.Hour)
		d.opened = time.Now()
		for i := range 4 {
			e, slots := entry(nil, g)
			d.work(t.Context(), fmt.Sprint(i), e, slots, 0)
		}
		require.Equal(t, []string{"0s 0 begins", "0s 0 ends", "0s 1 begins", "0s 1 ends", "1s 2 begins", "1s 2 ends", "2s 3 begins", "2s 3 ends"}, d.lines)
	})
}

func TestObstacle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var set throttle.Set
		places, rate := set.Group("places", throttle.Limit{Parallel: 1}), set.Group("rate", throttle.Limit{Interval: time.Minute})
		first, _ := entry(nil, places, rate)
		require.Nil(t, first.Join())
		expect := func(name string, isRate bool, groups ...*throttle.Group) {
			e, _ := entry(nil, groups...)
			o := e.Join()
			require.Equal(t, name, o.Group.Name())
			require.Equal(t, isRate, o.Rate)
			ended, cancel := context.WithCancelCause(t.Context())
			cancel(errGone)
			require.Equal(t, errGone, e.Wait(ended))
		}
		expect("places", false, places)
		expect("rate", true, rate)
		expect("places", false, rate, places)

		busy := laneOf(1).Admit()
		require.True(t, busy.TryAcquireSlot())
		var e throttle.Entry
		e.Init(&set, nil, busy, nil, set.Group("free", throttle.Limit{Parallel: 1}))
		require.Equal(t, &throttle.Obstacle{}, e.Join())
	})
}

// TestWaitEnds checks that an entry that stopped waiting holds nothing, neither what it
// had got in that moment.
func TestWaitEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var set throttle.Set
		g := set.Group("g", throttle.Limit{Parallel: 1})
		first, slots := entry(nil, g)
		require.Nil(t, first.Join())
		l := laneOf(1)
		second, ticket := new(throttle.Entry), l.Admit()
		second.Init(&set, nil, ticket, nil, g)
		require.NotNil(t, second.Join())
		slots.ReleaseSlot()
		first.Leave()
		first.Leave() // does nothing

		ended, cancel := context.WithCancelCause(t.Context())
		cancel(errGone)
		require.Equal(t, errGone, second.Wait(ended), "although it has started")
		require.True(t, l.Admit().TryAcquireSlot(), "it gave its worker slot back")
		third, _ := entry(nil, g)
		require.Nil(t, third.Join(), "and its place")
	})
}

// TestNoSlotNoPlace checks that a job without a worker slot holds back no other: neither
// with a place in its group nor, after it has got the slot, with the slot.
func TestNoSlotNoPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var set throttle.Set
		g, d, ctx := set.Group("g", throttle.Limit{Parallel: 1}), openDiary(), t.Context()
		busy, l := laneOf(1), laneOf(1)
		occupant, other := busy.Admit(), l.Admit()
		require.True(t, occupant.TryAcquireSlot())

		waits, ticket := new(throttle.Entry), busy.Admit()
		waits.Init(&set, nil, ticket, nil, g)
		go d.work(ctx, "first", waits, ticket, time.Second)
		synctest.Wait()
		overtakes := new(throttle.Entry)
		overtakes.Init(&set, nil, other, nil, g)
		go d.work(ctx, "second", overtakes, other, 5*time.Second)
		time.Sleep(2 * time.Second)
		occupant.ReleaseSlot()
		synctest.Wait()
		require.True(t, occupant.TryAcquireSlot(), "the first has the slot, but no place, and gives the slot back")
		time.Sleep(time.Second)
		occupant.ReleaseSlot()
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(t, []string{"0s second begins", "5s second ends", "5s first begins", "6s first ends"}, d.lines)
	})
}

func TestInside(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		parallel int
		want     []string
	}{
		{name: "one place", parallel: 1, want: []string{
			"0s outer begins", "1s a begins", "2s a ends", "2s b begins", "3s b ends", "3s other begins", "3s outer ends", "4s other ends",
		}},
		{name: "two places", parallel: 2, want: []string{
			"0s other begins", "0s outer begins", "1s a begins", "1s b begins", "1s other ends", "2s a ends", "2s b ends", "2s outer ends",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var set throttle.Set
				g, d, ctx := set.Group("g", throttle.Limit{Parallel: tt.parallel}), openDiary(), t.Context()
				outer, slots := entry(nil, g)
				go d.work(ctx, "outer", outer, slots, time.Second, func() {
					var all sync.WaitGroup
					for _, name := range []string{"a", "b"} {
						inner, slots := entry(outer, g)
						all.Go(func() { d.work(ctx, name, inner, slots, time.Second) })
						synctest.Wait()
					}
					all.Wait()
				})
				synctest.Wait()
				other, otherSlots := entry(nil, g)
				go d.work(ctx, "other", other, otherSlots, time.Second)
				time.Sleep(time.Minute)
				synctest.Wait()
				slices.Sort(d.lines)
				require.Equal(t, tt.want, d.lines)
			})
		})
	}
}

// TestInsideAnotherSet looks for the nearest job around that is of the same set.
func TestInsideAnotherSet(t *testing.T) {
	t.Parallel()
	var set, foreign throttle.Set
	g, h := set.Group("g", throttle.Limit{Parallel: 1}), foreign.Group("h", throttle.Limit{Parallel: 1})
	outer, _ := entry(nil, g)
	middle, _ := entry(outer, h)
	inner, _ := entry(middle, g)
	require.Nil(t, outer.Join())
	require.Nil(t, middle.Join())
	require.NotNil(t, inner.Join(), "the two sets know nothing of each other")
}

// TestOuterLeavesFirst keeps a place taken until the last job that uses it has left.
func TestOuterLeavesFirst(t *testing.T) {
	t.Parallel()
	var set throttle.Set
	g := set.Group("g", throttle.Limit{Parallel: 1})
	outer, outerSlots := entry(nil, g)
	require.Nil(t, outer.Join())
	inner, innerSlots := entry(outer, g)
	require.Nil(t, inner.Join())
	outerSlots.ReleaseSlot()
	outer.Leave()
	other, _ := entry(nil, g)
	require.NotNil(t, other.Join())
	innerSlots.ReleaseSlot()
	inner.Leave()
	require.NoError(t, other.Wait(t.Context()))
}

func TestDeadlock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var set throttle.Set
		a, b := set.Group("a", throttle.Limit{Parallel: 1}), set.Group("b", throttle.Limit{Parallel: 1})
		d, ctx := openDiary(), t.Context()
		one, oneSlots := entry(nil, a)
		two, twoSlots := entry(nil, b)
		go d.work(ctx, "one", one, oneSlots, time.Second, func() {
			inner, slots := entry(one, b)
			d.work(ctx, "b in one", inner, slots, time.Second)
		})
		go d.work(ctx, "two", two, twoSlots, 2*time.Second, func() {
			inner, slots := entry(two, a)
			d.work(ctx, "a in two", inner, slots, time.Second)
		})
		time.Sleep(1500 * time.Millisecond)
		last, lastSlots := entry(nil, a, b)
		go d.work(ctx, "both", last, lastSlots, time.Second)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.ElementsMatch(t, []string{
			"0s one begins", "0s two begins",
			"2s a in two: it would wait for a call that waits for it", "2s two ends",
			"2s b in one begins", "3s b in one ends", "3s one ends", "3s both begins", "4s both ends",
		}, d.lines)
	})
}

// TestNoDeadlock lets a job inside wait as long as one place is held by a job that waits
// for nothing.
func TestNoDeadlock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var set throttle.Set
		a, b := set.Group("a", throttle.Limit{Parallel: 1}), set.Group("b", throttle.Limit{Parallel: 2})
		d, ctx := openDiary(), t.Context()
		one, oneSlots := entry(nil, a)
		two, twoSlots := entry(nil, b)
		free, freeSlots := entry(nil, b)
		go d.work(ctx, "free", free, freeSlots, 10*time.Second)
		go d.work(ctx, "one", one, oneSlots, time.Second, func() {
			inner, slots := entry(one, b)
			d.work(ctx, "b in one", inner, slots, time.Second)
		})
		go d.work(ctx, "two", two, twoSlots, 2*time.Second, func() {
			inner, slots := entry(two, a)
			d.work(ctx, "a in two", inner, slots, time.Second)
		})
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(t, "12s two ends", d.lines[len(d.lines)-1])
		require.NotContains(t, fmt.Sprint(d.lines), "wait")
	})
}

func TestAbandoned(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var set throttle.Set
		g := set.Group("g", throttle.Limit{Parallel: 2})
		first, _ := entry(nil, g)
		second, secondSlots := entry(nil, g)
		require.Nil(t, first.Join())
		require.Nil(t, second.Join())
		var zero throttle.Entry
		zero.Abandon(errGone) // does nothing
		zero.Leave()
		first.Abandon(errGone)
		first.Abandon(errors.New("again"))

		patient, patientSlots := entry(nil, g)
		require.NotNil(t, patient.Join())
		time.AfterFunc(time.Minute, func() { secondSlots.ReleaseSlot(); second.Leave() })
		require.NoError(t, patient.Wait(t.Context()), "one place is left")

		third, _ := entry(nil, g)
		require.NotNil(t, third.Join())
		time.AfterFunc(time.Minute, func() { patient.Abandon(errGone) })
		require.Equal(t, errGone, third.Wait(t.Context()), "now none is left")
		fourth, _ := entry(nil, g)
		require.NotNil(t, fourth.Join())
		require.Equal(t, errGone, fourth.Wait(t.Context()))

		patientSlots.ReleaseSlot()
		patient.Leave()
		require.Nil(t, fourth.Join(), "it may join again")
		first.Leave()
		require.Nil(t, third.Join())
	})
}

// keyed returns an entry with keys alone, and a worker slot that is always free.
func keyed(set *throttle.Set, outer *throttle.Entry, keys ...lane.Key) *throttle.Entry {
	e := new(throttle.Entry)
	e.Owner = keys
	e.Init(set, outer, laneOf(1).Admit(), keys)
	return e
}

// TestKeys: a job waits for what others touch, until these give back their keys.
func TestKeys(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var set throttle.Set
		write, read := lane.Key{Name: "a", Write: true}, lane.Key{Name: "a"}
		first, other := keyed(&set, nil, write), keyed(&set, nil, lane.Key{Name: "b", Write: true})
		require.Nil(t, first.Join())
		require.Nil(t, other.Join(), "another name")
		second, third := keyed(&set, nil, read), keyed(&set, nil, read)
		o := second.Join()
		require.Equal(t, first.Owner, o.Holder)
		require.Equal(t, lane.Conflict{First: read, Second: write}, o.Keys)
		require.Equal(t, first.Owner, third.Join().Holder)
		writer := keyed(&set, nil, write)
		require.NotNil(t, writer.Join())
		late := keyed(&set, nil, read)
		require.NotNil(t, late.Join())
		inside := keyed(&set, first, write)
		require.Nil(t, inside.Join(), "it does not wait for the job around it, nor for those that wait")
		inside.Leave()
		inside.LeaveKeys()

		first.Leave()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, late.Wait(ctx), context.DeadlineExceeded, "the places are back, the keys are not")
		first.LeaveKeys()
		require.NoError(t, second.Wait(t.Context()))
		require.NoError(t, third.Wait(t.Context()), "two that read")
		second.LeaveKeys()
		require.Equal(t, writer.Owner, late.Join().Holder, "it does not overtake the one that waits")
		third.LeaveKeys()
		require.NoError(t, writer.Wait(t.Context()))
		writer.Abandon(errGone)
		held := (*throttle.KeysError)(nil)
		require.ErrorAs(t, late.Wait(t.Context()), &held)
		require.Equal(t, errGone, held.Reason)
		writer.LeaveKeys()
		require.Nil(t, late.Join())
	})
}

// TestKeysThatCross: two jobs hold what the jobs inside them need. The later one inside is told,
// and the other goes on, also if a group is a part of the cycle.
func TestKeysThatCross(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var set throttle.Set
		a, b := lane.Key{Name: "a", Write: true}, lane.Key{Name: "b", Write: true}
		first, second := keyed(&set, nil, a), keyed(&set, nil, b)
		require.Nil(t, first.Join())
		require.Nil(t, second.Join())
		in, late := keyed(&set, first, b), keyed(&set, second, a)
		require.NotNil(t, in.Join())
		require.NotNil(t, late.Join())
		require.ErrorIs(t, late.Wait(t.Context()), throttle.ErrDeadlock)
		second.LeaveKeys()
		require.NoError(t, in.Wait(t.Context()))
		in.LeaveKeys()
		first.LeaveKeys()

		g := set.Group("g", throttle.Limit{Parallel: 1})
		holder, _ := entry(nil, g)
		require.Nil(t, holder.Join())
		waits := new(throttle.Entry)
		waits.Init(&set, nil, laneOf(1).Admit(), []lane.Key{a}, g) // has neither
		require.NotNil(t, waits.Join())
		script := keyed(&set, nil, a)
		require.NotNil(t, script.Join(), "it stands behind the one that waits")
		inside := keyed(&set, holder, a)
		require.Nil(t, inside.Join(), "passes both")
		inside.LeaveKeys()
		holder.Leave()
		require.NoError(t, waits.Wait(t.Context()))
		waits.Leave()
		waits.LeaveKeys()
		require.NoError(t, script.Wait(t.Context()))
	})
}

// A plan is what one job does, by the fake clock.
type plan struct {
	keys    []lane.Key
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
	ordered bool // jobs inside are in groups that come later and have no keys, so that there is no cycle
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
	for range random.IntN(3) * random.IntN(2) {
		if !w.ordered {
			p.keys = append(p.keys, lane.Key{Name: []string{"a", "a/x", "b", "c"}[random.IntN(4)], Write: random.IntN(2) == 0, Tree: random.IntN(3) == 0})
		}
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
	for _, other := range w.running {
		if other != r && !r.isInside(other) && (lane.Claim{Keys: r.plan.keys}).Conflicts(lane.Claim{Keys: other.plan.keys}) {
			w.faults = append(w.faults, fmt.Sprintf("%v and %v run at once", r.plan.keys, other.plan.keys))
		}
	}
}

func (r *runner) isInside(other *runner) bool {
	for o := r.outer; o != nil; o = o.outer {
		if o == other {
			return true
		}
	}
	return false
}

func (w *witness) ends(r *runner, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = slices.DeleteFunc(w.running, func(other *runner) bool { return other == r })
	held := (*throttle.KeysError)(nil)
	if errors.As(err, &held) {
		err = held.Reason
	}
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
	if len(r.plan.groups)+len(r.plan.keys) == 0 {
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
		if len(o.plan.groups)+len(o.plan.keys) > 0 {
			outer = &o.entry
		}
	}
	r.entry.Inside = r.outer != nil
	r.entry.Init(w.groups[0].Set(), outer, slots, r.plan.keys, groups...)
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
	r.entry.LeaveKeys()
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
