package lane_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lane"
)

// job is what one goroutine of a plan does, by the fake clock.
type job struct {
	first, second lane.Claim
	again         bool          // claims second after it was granted first
	resolve       time.Duration // before the first claim
	decide        time.Duration // with keys, before the slot or the second claim
	run           time.Duration // with a slot
	cancel        time.Duration // 0 means never
}

func randomJob(random *rand.Rand) job {
	some := func() time.Duration { return time.Duration(random.IntN(5)) * time.Millisecond }
	j := job{
		first: randomClaim(random), second: randomClaim(random), again: random.IntN(4) == 0,
		resolve: some(), decide: some(), run: some(),
	}
	if random.IntN(4) == 0 {
		j.cancel = some() * 4
	}
	return j
}

func randomClaim(random *rand.Rand) lane.Claim {
	if random.IntN(8) == 0 {
		return exclusive()
	}
	var c lane.Claim
	for range random.IntN(4) {
		c.Keys = append(c.Keys, lane.Key{
			Name:  names[random.IntN(len(names))],
			Write: random.IntN(2) == 0,
			Tree:  random.IntN(4) == 0,
		})
	}
	return c
}

// witness sees every job from outside the lane. It notes what a job gives up
// before the lane hears of it and what a job gets after the lane gave it, so
// what it sees overlap did overlap.
type witness struct {
	mu      sync.Mutex
	seen    []sight
	running int
	ended   int
	faults  []string
}

type sight struct {
	claim                         lane.Claim
	claimed, again, holding, done bool
}

func (w *witness) claims(i int, c lane.Claim) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := &w.seen[i]
	s.claim, s.again, s.claimed, s.holding = c, s.claimed, true, false
}

func (w *witness) gets(i int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[i].holding = true
	for k, other := range w.seen {
		if k == i || other.done || other.claimed && !slowConflicts(other.claim, w.seen[i].claim) {
			continue
		}
		switch {
		case other.holding:
			w.faults = append(w.faults, fmt.Sprintf("%d and %d overlap", i, k))
		case k < i && !other.again: // whoever claimed again may have wanted less before
			w.faults = append(w.faults, fmt.Sprintf("%d overtook %d", i, k))
		}
	}
}

func (w *witness) leaves(i int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[i].holding, w.seen[i].done = false, true
	w.ended++
}

func (w *witness) runs(change, limit int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running += change; w.running > limit {
		w.faults = append(w.faults, fmt.Sprintf("%d run with %d slots", w.running, limit))
	}
}

func (w *witness) follow(ctx context.Context, i int, j job, ticket *lane.Ticket, limit int) {
	defer ticket.Done()
	defer w.leaves(i)
	if j.cancel > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, j.cancel)
		defer cancel()
	}
	claims := []lane.Claim{j.first}
	if j.again {
		claims = append(claims, j.second)
	}
	time.Sleep(j.resolve)
	for _, c := range claims {
		w.claims(i, c)
		ticket.Claim(c)
		if ticket.Wait(ctx) != nil {
			return
		}
		w.gets(i)
		time.Sleep(j.decide)
	}
	if ticket.AcquireSlot(ctx) != nil {
		return
	}
	defer ticket.ReleaseSlot()
	w.runs(1, limit)
	defer w.runs(-1, limit)
	time.Sleep(j.run)
}

func TestRandomPlans(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(60)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 2))
			limit := 1 + random.IntN(8)
			jobs := make([]job, 2+random.IntN(60))
			for i := range jobs {
				jobs[i] = randomJob(random)
			}
			synctest.Test(t, func(t *testing.T) {
				l := newLane(limit)
				w := &witness{seen: make([]sight, len(jobs))}
				ends := make([]<-chan error, 0, len(jobs))
				for i, j := range jobs {
					ticket, ctx := l.Admit(), t.Context()
					ends = append(ends, goroutine.Go(func() { w.follow(ctx, i, j, ticket, limit) }))
				}
				for _, end := range ends {
					require.NoError(t, <-end)
				}
				require.Empty(t, w.faults)
				require.Equal(t, len(jobs), w.ended)
				require.Zero(t, w.running)
				requireIdle(t, l, limit)
			})
		})
	}
}

// requireIdle requires that no key and no slot is held any more.
func requireIdle(t *testing.T, l *lane.Lane, limit int) {
	t.Helper()
	ticket := l.Admit()
	defer ticket.Done()
	ticket.Claim(exclusive())
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	require.NoError(t, ticket.Wait(ctx))
	for range limit {
		other := l.Admit()
		defer other.Done()
		require.NoError(t, other.AcquireSlot(ctx))
		defer other.ReleaseSlot()
	}
}

// Jobs that conflict in pairs only take as long as the longest pair.
func TestJobsRunTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const pairs = 64
		l := newLane(pairs)
		started := time.Now()
		var ends []<-chan error
		for i := range 2 * pairs {
			j := job{first: claim(write(fmt.Sprint(i % pairs))), run: time.Second}
			w := &witness{seen: make([]sight, 1)}
			ticket, ctx := l.Admit(), t.Context()
			ends = append(ends, goroutine.Go(func() { w.follow(ctx, 0, j, ticket, pairs) }))
		}
		for _, end := range ends {
			require.NoError(t, <-end)
		}
		require.Equal(t, 2*time.Second, time.Since(started))
	})
}
