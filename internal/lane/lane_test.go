package lane_test

import (
	"context"
	"errors"
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

// newLane returns a lane with limit worker slots.
func newLane(limit int) *lane.Lane {
	l := new(lane.Lane)
	l.SetLimit(limit)
	return l
}

// Without SetLimit a lane has no limit of worker slots.
func TestZeroLaneHasNoLimit(t *testing.T) {
	t.Parallel()
	var l lane.Lane
	for range 100 {
		ticket := l.Admit()
		ticket.Claim(lane.Claim{})
		require.NoError(t, ticket.Wait(t.Context()))
		require.NoError(t, ticket.AcquireSlot(t.Context()))
		defer ticket.Done()
		defer ticket.ReleaseSlot()
	}
	ended, end := context.WithCancelCause(t.Context())
	end(errCancelled)
	require.ErrorIs(t, l.Admit().AcquireSlot(ended), errCancelled)
}

func TestSetLimitPanicsWithoutSlots(t *testing.T) {
	t.Parallel()
	require.Panics(t, func() { newLane(0) })
	require.Panics(t, func() { newLane(-1) })
}

var (
	errCancelled = errors.New("cancelled")
	errAbandoned = errors.New("abandoned")
)

// place is a ticket as the reference sees it.
type place struct {
	claim                             lane.Claim
	claimed, holding, gone, abandoned bool
}

// reference is the line as a plain list that is searched from the start after
// every change.
type reference []*place

// inTheWay reports whether place i keeps place j from its keys.
func (r reference) inTheWay(i, j int) bool {
	a, b := r[i], r[j]
	switch {
	case i == j || a.gone:
		return false
	case i > j && !a.holding:
		return false
	}
	return !a.claimed || !b.claimed || slowConflicts(a.claim, b.claim)
}

func (r reference) settle() {
	for j, p := range r {
		if !p.claimed || p.gone || p.holding {
			continue
		}
		free := true
		for i := range r {
			free = free && !r.inTheWay(i, j)
		}
		p.holding = free
	}
}

// answer returns what Wait of place j should return, or pending.
func (r reference) answer(j int) error {
	p := r[j]
	if p.gone {
		return lane.ErrDone
	}
	if p.holding {
		return nil
	}
	for i, q := range r {
		if q.abandoned && r.inTheWay(i, j) {
			return errAbandoned
		}
	}
	return errPending
}

var errPending = errors.New("pending")

// script drives a Lane and the reference through the same steps.
type script struct {
	t       *testing.T
	bytes   []byte
	lane    *lane.Lane
	model   reference
	tickets []*lane.Ticket
	waits   []*wait // nil if no goroutine is in Wait
}

type wait struct {
	cancel context.CancelCauseFunc
	result chan error
}

func (s *script) next() int {
	if len(s.bytes) == 0 {
		return 0
	}
	b := s.bytes[0]
	s.bytes = s.bytes[1:]
	return int(b)
}

var names = []string{"a", "a/b", "a/b/c", "a/bc", "d", "/"}

func (s *script) claim() lane.Claim {
	b := s.next()
	if b%8 == 0 {
		return exclusive()
	}
	var c lane.Claim
	for range b % 4 {
		b := s.next()
		c.Keys = append(c.Keys, lane.Key{Name: names[b>>2%len(names)], Write: b&1 != 0, Tree: b&2 != 0})
	}
	return c
}

const maxPlaces = 24

func (s *script) step() {
	op := s.next()
	if len(s.tickets) == 0 || op%8 < 2 && len(s.tickets) < maxPlaces {
		s.tickets = append(s.tickets, s.lane.Admit())
		s.model = append(s.model, &place{})
		s.waits = append(s.waits, nil)
		if op&16 != 0 {
			s.wait(len(s.tickets) - 1)
		}
		return
	}
	i := s.next() % len(s.tickets)
	p := s.model[i]
	switch op % 8 {
	default:
		if p.abandoned { // it runs, so it must not claim again
			return
		}
		c := s.claim()
		s.tickets[i].Claim(c)
		p.claim, p.claimed, p.holding = c, true, false
		s.wait(i) // after Done as well: it must not hang
	case 5:
		s.done(i)
	case 6:
		if w := s.waits[i]; w != nil {
			w.cancel(errCancelled)
			synctest.Wait()
			require.Equal(s.t, errCancelled, <-w.result)
			s.waits[i] = nil
		}
	case 7:
		if p.holding && op&16 != 0 {
			s.tickets[i].Abandon(errAbandoned)
			p.abandoned = !p.gone
		}
	}
}

// wait has a goroutine in Wait of ticket i.
func (s *script) wait(i int) {
	if s.waits[i] != nil {
		return
	}
	ctx, cancel := context.WithCancelCause(s.t.Context())
	w := &wait{cancel: cancel, result: make(chan error, 1)}
	s.waits[i] = w
	ticket := s.tickets[i]
	go func() { w.result <- ticket.Wait(ctx) }()
}

func (s *script) done(i int) {
	s.tickets[i].Done()
	s.model[i].gone, s.model[i].holding, s.model[i].abandoned = true, false, false
}

// compare requires that exactly those are let through that the reference lets
// through. It takes those that are refused out of the line, and compares again.
func (s *script) compare(step int) {
	for again := true; again; {
		again = false
		s.model.settle()
		synctest.Wait()
		for i, w := range s.waits {
			if w == nil {
				continue
			}
			got := errPending
			select {
			case got = <-w.result:
				w.cancel(nil)
				s.waits[i] = nil
			default:
			}
			require.Equal(s.t, s.model.answer(i), got, "step %d, ticket %d", step, i)
			if errors.Is(got, errAbandoned) {
				s.done(i)
				again = true
				break
			}
		}
	}
}

// compareBlockers requires that every ticket that waits for a claimed one says so, and names
// one that is in the way.
func (s *script) compareBlockers(step int) {
	ended, cancel := context.WithCancel(s.t.Context())
	cancel()
	for j, p := range s.model {
		by, why, ok := s.tickets[j].Blocker(ended)
		claimed, refused := false, false
		for i, q := range s.model {
			inTheWay := p.claimed && !p.holding && !p.gone && s.model.inTheWay(i, j)
			claimed = claimed || inTheWay && q.claimed
			refused = refused || inTheWay && q.abandoned
			if ok && s.tickets[i] == by {
				require.True(s.t, inTheWay && q.claimed, "step %d: ticket %d does not wait for %d", step, j, i)
				want, conflicts := p.claim.Conflict(q.claim)
				require.True(s.t, conflicts)
				require.Equal(s.t, want, why)
			}
		}
		require.Equal(s.t, claimed && !refused, ok, "step %d, ticket %d", step, j)
	}
}

func runScript(t *testing.T, bytes []byte) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &script{t: t, bytes: bytes, lane: newLane(1)}
		for step := 0; len(s.bytes) > 0; step++ {
			s.step()
			s.compare(step)
			s.compareBlockers(step)
		}
		for i := range s.tickets {
			s.done(i)
			s.compare(-1)
		}
	})
}

func TestLaneLikeReference(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(40)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 1))
			bytes := make([]byte, 400)
			for i := range bytes {
				bytes[i] = byte(random.Uint32())
			}
			runScript(t, bytes)
		})
	}
}

func FuzzLane(f *testing.F) {
	f.Add([]byte{0, 16, 2, 0, 1, 5, 2, 1, 1, 5, 5, 0})
	f.Add([]byte{0, 0, 0, 2, 2, 0, 2, 1, 0, 2, 0, 1, 1, 2, 1, 1, 1, 5, 0, 6, 1, 23, 2})
	f.Fuzz(func(t *testing.T, bytes []byte) {
		runScript(t, bytes[:min(len(bytes), 600)])
	})
}

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
