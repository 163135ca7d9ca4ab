package lane_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lane"
)

// log collects what happens in a bubble.
type log chan string

func (l log) add(entry string) { l <- entry }

// all returns the entries once every goroutine of the bubble blocks.
func (l log) all() []string {
	synctest.Wait()
	entries := []string{}
	for len(l) > 0 {
		entries = append(entries, <-l)
	}
	return entries
}

// admit claims for a new ticket and logs its name when it holds its keys.
func admit(t *testing.T, l *lane.Lane, got log, name string, c lane.Claim) *lane.Ticket {
	t.Helper()
	ticket := l.Admit()
	ticket.Claim(c)
	await(t, ticket, got, name)
	return ticket
}

func await(t *testing.T, ticket *lane.Ticket, got log, name string) {
	t.Helper()
	ctx := t.Context()
	goroutine.Go(func() {
		if err := ticket.Wait(ctx); err != nil {
			name += ": " + err.Error()
		}
		got.add(name)
	})
}

func TestNothingOvertakesAConflictingJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, got := newLane(2), make(log, 100)
		a := admit(t, l, got, "a", claim(read("x")))
		require.Equal(t, []string{"a"}, got.all())
		b := admit(t, l, got, "b", claim(write("x")))
		c := admit(t, l, got, "c", claim(read("x")))
		require.Empty(t, got.all(), "c could share with a, but b comes first")
		d := admit(t, l, got, "d", claim(write("y")))
		require.Equal(t, []string{"d"}, got.all(), "d has nothing to do with those that wait")
		a.Done()
		require.Equal(t, []string{"b"}, got.all())
		b.Done()
		require.Equal(t, []string{"c"}, got.all())
		c.Done()
		d.Done()
	})
}

func TestExclusiveIsABarrier(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, got := newLane(2), make(log, 100)
		a := admit(t, l, got, "a", claim())
		b := admit(t, l, got, "b", claim())
		require.ElementsMatch(t, []string{"a", "b"}, got.all())
		c := admit(t, l, got, "c", exclusive())
		d := admit(t, l, got, "d", claim())
		e := admit(t, l, got, "e", claim())
		b.Done()
		require.Empty(t, got.all())
		a.Done()
		require.Equal(t, []string{"c"}, got.all())
		c.Done()
		require.ElementsMatch(t, []string{"d", "e"}, got.all())
		d.Done()
		e.Done()
	})
}

func TestUnclaimedTicketHoldsUpLaterOnes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, got := newLane(2), make(log, 100)
		a, b := l.Admit(), l.Admit()
		c := admit(t, l, got, "c", claim())
		await(t, a, got, "a")
		b.Claim(claim())
		require.Empty(t, got.all(), "a may still claim anything")
		a.Claim(claim(write("x")))
		require.ElementsMatch(t, []string{"a", "c"}, got.all())
		require.NoError(t, b.Wait(t.Context()))
		a.Done()
		b.Done()
		c.Done()
	})
}

func TestDoneWithoutClaimFreesLaterOnes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, got := newLane(2), make(log, 100)
		a := l.Admit()
		b := admit(t, l, got, "b", claim())
		require.Empty(t, got.all())
		a.Done()
		require.Equal(t, []string{"b"}, got.all())
		b.Done()
	})
}

func TestReclaimKeepsItsPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, got := newLane(2), make(log, 100)
		a := admit(t, l, got, "a", claim(write("x")))
		b := admit(t, l, got, "b", claim(write("y")))
		c := admit(t, l, got, "c", claim(write("y")))
		d := admit(t, l, got, "d", claim(write("x")))
		require.ElementsMatch(t, []string{"a", "b"}, got.all())
		a.Claim(claim(write("y")))
		await(t, a, got, "a again")
		require.Equal(t, []string{"d"}, got.all(), "x is free, and b runs with y")
		b.Done()
		require.Equal(t, []string{"a again"}, got.all(), "a is before c in line")
		a.Done()
		require.Equal(t, []string{"c"}, got.all())
		c.Done()
		d.Done()
	})
}

func TestTwoReclaimsGoByPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, got := newLane(2), make(log, 100)
		a := admit(t, l, got, "a", claim(write("x")))
		b := admit(t, l, got, "b", claim(write("y")))
		require.ElementsMatch(t, []string{"a", "b"}, got.all())
		a.Claim(claim(write("x"), write("y")))
		await(t, a, got, "a again")
		require.Empty(t, got.all(), "b runs with y")
		b.Claim(claim(write("x"), write("y")))
		await(t, b, got, "b again")
		require.Equal(t, []string{"a again"}, got.all())
		a.Done()
		require.Equal(t, []string{"b again"}, got.all())
		b.Done()
	})
}

// The holder of an exclusive claim may resolve the claims of those that wait
// behind it again: none of them runs before it is done.
func TestClaimForATicketInsideWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, got := newLane(2), make(log, 100)
		a := admit(t, l, got, "a", exclusive())
		b := admit(t, l, got, "b", claim(write("x")))
		c := admit(t, l, got, "c", claim(write("y")))
		require.Equal(t, []string{"a"}, got.all())
		c.Claim(claim(write("z")))
		b.Claim(claim(write("z")))
		require.Empty(t, got.all())
		a.Done()
		require.Equal(t, []string{"b"}, got.all())
		b.Done()
		require.Equal(t, []string{"c"}, got.all())
		c.Done()
	})
}

func TestCancelledWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, got := newLane(2), make(log, 100)
		cause := errors.New("cause")
		ctx, cancel := context.WithCancelCause(t.Context())
		a := admit(t, l, got, "a", exclusive())
		b := l.Admit()
		b.Claim(exclusive())
		c := admit(t, l, got, "c", claim())
		goroutine.Go(func() { got.add(b.Wait(ctx).Error()) })
		require.Equal(t, []string{"a"}, got.all())
		cancel(cause)
		require.Equal(t, []string{"cause"}, got.all())
		a.Done()
		require.Empty(t, got.all(), "b is in line until it is done")
		require.Equal(t, cause, b.Wait(ctx), "an ended context wins over keys that are held")
		require.NoError(t, b.Wait(t.Context()))
		b.Done()
		require.Equal(t, []string{"c"}, got.all())
		c.Done()
	})
}

func TestWaitTimesOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLane(2)
		a := l.Admit()
		defer a.Done()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		started := time.Now()
		require.Equal(t, context.DeadlineExceeded, a.Wait(ctx))
		require.Equal(t, time.Minute, time.Since(started))
	})
}

func TestDoneIsFinal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, got := newLane(2), make(log, 100)
		a := l.Admit()
		await(t, a, got, "a")
		require.Empty(t, got.all())
		a.Done()
		require.Equal(t, []string{"a: " + lane.ErrDone.Error()}, got.all())
		b := admit(t, l, got, "b", claim())
		a.Done()
		a.Claim(exclusive())
		a.Abandon(errAbandoned)
		require.Equal(t, []string{"b"}, got.all())
		c := admit(t, l, got, "c", exclusive())
		require.Empty(t, got.all(), "c waits for b and knows nothing of a")
		require.Equal(t, lane.ErrDone, a.Wait(t.Context()))
		b.Done()
		c.Done()
	})
}

func TestAbandon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, got := newLane(2), make(log, 100)
		a := admit(t, l, got, "a", claim(write("x")))
		b := admit(t, l, got, "b", claim(write("y")))
		c := admit(t, l, got, "c", claim(write("x"), write("y")))
		d := admit(t, l, got, "d", claim(write("x")))
		require.ElementsMatch(t, []string{"a", "b"}, got.all())
		a.Abandon(errors.New("a hangs"))
		require.ElementsMatch(t, []string{"c: a hangs", "d: a hangs"}, got.all(), "at once, although b runs")
		e := admit(t, l, got, "e", claim(read("x")))
		f := admit(t, l, got, "f", claim(write("z")))
		require.ElementsMatch(t, []string{"e: a hangs", "f"}, got.all())
		c.Done()
		d.Done()
		a.Done()
		require.NoError(t, e.Wait(t.Context()), "a ended after all")
		for _, ticket := range []*lane.Ticket{b, e, f} {
			ticket.Done()
		}
	})
}

func TestAbandonAgainReplacesTheReason(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, got := newLane(2), make(log, 100)
		a := admit(t, l, got, "a", exclusive())
		a.Abandon(errors.New("one"))
		a.Abandon(errors.New("two"))
		b := admit(t, l, got, "b", claim())
		require.ElementsMatch(t, []string{"a", "b: two"}, got.all())
		a.Done()
		require.NoError(t, b.Wait(t.Context()))
		b.Done()
	})
}

func TestSlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, got := newLane(2), make(log, 100)
		first, second, third := l.Admit(), l.Admit(), l.Admit()
		require.NoError(t, first.AcquireSlot(t.Context()))
		require.NoError(t, second.AcquireSlot(t.Context()))

		ctx := t.Context()
		goroutine.Go(func() {
			_ = third.AcquireSlot(ctx)
			got.add("third")
		})
		require.Empty(t, got.all(), "the limit is two")
		first.ReleaseSlot()
		require.Equal(t, []string{"third"}, got.all())
		first.ReleaseSlot()
		short, cancel := context.WithTimeoutCause(t.Context(), time.Second, errCancelled)
		defer cancel()
		require.Equal(t, errCancelled, first.AcquireSlot(short), "a second Free frees nothing")
		second.ReleaseSlot()
		require.Equal(t, errCancelled, first.AcquireSlot(short), "an ended context wins over a free slot")
		third.ReleaseSlot()
		require.NoError(t, first.AcquireSlot(t.Context()))
	})
}

func TestBlockerIsTheNearestClaimedTicketInTheWay(t *testing.T) {
	t.Parallel()
	a, b := lane.Key{Name: "a", Write: true}, lane.Key{Name: "b"}
	tests := []struct {
		name    string
		earlier []*lane.Claim // nil for one that has not claimed
		claim   lane.Claim
		want    int // index in earlier, or -1
		why     lane.Conflict
	}{
		{name: "nothing in the way", earlier: []*lane.Claim{{Keys: []lane.Key{b}}}, claim: claim(b), want: -1},
		{name: "both write", earlier: []*lane.Claim{{Keys: []lane.Key{a}}}, claim: claim(b, a), want: 0, why: lane.Conflict{First: a, Second: a}},
		{name: "the nearest of two", earlier: []*lane.Claim{{Keys: []lane.Key{a}}, {Keys: []lane.Key{a}}}, claim: claim(a), want: 1, why: lane.Conflict{First: a, Second: a}},
		{name: "one before an unclaimed one", earlier: []*lane.Claim{{Keys: []lane.Key{a}}, nil}, claim: claim(a), want: 0, why: lane.Conflict{First: a, Second: a}},
		{name: "it is exclusive", earlier: []*lane.Claim{{Keys: []lane.Key{b}}}, claim: exclusive(), want: 0, why: lane.Conflict{FirstExclusive: true}},
		{name: "the other is exclusive", earlier: []*lane.Claim{{Exclusive: true}}, claim: claim(b), want: 0, why: lane.Conflict{SecondExclusive: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLane(1)
			tickets := make([]*lane.Ticket, len(tt.earlier))
			for i, c := range tt.earlier {
				if tickets[i] = l.Admit(); c != nil {
					tickets[i].Claim(*c)
				}
			}
			ticket := l.Admit()
			ticket.Claim(tt.claim)
			by, why, ok := ticket.Blocker(t.Context())
			require.Equal(t, tt.want >= 0, ok)
			require.Equal(t, tt.why, why)
			if ok {
				require.Same(t, tickets[tt.want], by)
			}
		})
	}
}

func TestBlockerWaitsForClaims(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(first *lane.Ticket, cancel context.CancelFunc)
		want   bool
	}{
		{name: "a claim that conflicts", change: func(first *lane.Ticket, _ context.CancelFunc) { first.Claim(claim(write("a"))) }, want: true},
		{name: "a claim that does not", change: func(first *lane.Ticket, _ context.CancelFunc) { first.Claim(claim(write("b"))) }},
		{name: "the end of the job", change: func(first *lane.Ticket, _ context.CancelFunc) { first.Done() }},
		{name: "the end of the context", change: func(_ *lane.Ticket, cancel context.CancelFunc) { cancel() }},
		{name: "a job that is abandoned", change: func(first *lane.Ticket, _ context.CancelFunc) { first.Abandon(errAbandoned) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := newLane(1)
				first, second := l.Admit(), l.Admit()
				second.Claim(claim(write("a")))
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				result := make(chan bool, 1)
				go func() {
					by, _, ok := second.Blocker(ctx)
					result <- ok && by == first
				}()
				synctest.Wait()
				require.Empty(t, result, "the first has not said what it touches")
				tt.change(first, cancel)
				synctest.Wait()
				require.Equal(t, tt.want, <-result)
			})
		})
	}
}

func TestClaimIfNoneEnded(t *testing.T) {
	t.Parallel()
	l := newLane(1)
	a, b, free := l.Admit(), l.Admit(), l.Admit()
	require.True(t, a.ClaimIfNoneEnded(a.EndedJobs(), claim(write("x"))))
	require.NoError(t, a.Wait(t.Context()), "it holds what it claimed")
	require.False(t, a.Waits())

	before := b.EndedJobs()
	require.Zero(t, before)
	require.True(t, b.ClaimIfNoneEnded(before, claim(read("x"))))
	require.True(t, b.Waits())
	a.Done()
	require.False(t, b.Waits())
	require.EqualValues(t, 1, free.EndedJobs())
	require.False(t, free.ClaimIfNoneEnded(before, claim(write("y"))))
	late := l.Admit()
	late.Claim(claim(write("z")))
	require.True(t, late.Waits(), "the ticket before it has claimed nothing yet")
	require.True(t, free.ClaimIfNoneEnded(1, claim(write("y"))))
	require.False(t, late.Waits())
}

func TestWaits(t *testing.T) {
	t.Parallel()
	l := newLane(1)
	a, b := l.Admit(), l.Admit()
	require.False(t, a.Waits(), "it has not claimed")
	a.Claim(claim(write("x")))
	b.Claim(claim(write("x")))
	require.False(t, a.Waits())
	require.True(t, b.Waits())
	a.Done()
	require.False(t, b.Waits())
}

// TestReclaimOfEverything has a ticket claim everything whose keys stay the same: none.
func TestReclaimOfEverything(t *testing.T) {
	t.Parallel()
	l := newLane(1)
	a, b := l.Admit(), l.Admit()
	a.Claim(claim())
	b.Claim(claim(write("x")))
	require.NoError(t, b.Wait(t.Context()))
	a.Claim(exclusive())
	require.True(t, a.Waits(), "the later ticket holds keys")
	by, why, ok := a.Blocker(t.Context())
	require.True(t, ok)
	require.Same(t, b, by)
	require.Equal(t, lane.Conflict{FirstExclusive: true}, why)
	b.Done()
	require.NoError(t, a.Wait(t.Context()))
}

func TestTryAcquireSlot(t *testing.T) {
	t.Parallel()
	var unlimited lane.Lane
	for range 3 {
		require.True(t, unlimited.Admit().TryAcquireSlot())
	}
	l := newLane(1)
	a, b := l.Admit(), l.Admit()
	require.True(t, a.TryAcquireSlot())
	require.False(t, b.TryAcquireSlot())
	b.ReleaseSlot()
	require.False(t, b.TryAcquireSlot(), "it held none")
	a.ReleaseSlot()
	require.True(t, b.TryAcquireSlot())
}

// endsAfter is a context that ends when its error has been asked for once.
type endsAfter struct {
	context.Context //nolint:containedctx // it is one

	asked int
}

func (e *endsAfter) Err() error {
	if e.asked++; e.asked > 1 {
		return errCancelled
	}
	return nil
}

// TestSlotOfAContextThatEndsMeanwhile acquires a free slot in the moment in which the context ends.
func TestSlotOfAContextThatEndsMeanwhile(t *testing.T) {
	t.Parallel()
	l := newLane(1)
	a, b := l.Admit(), l.Admit()
	require.ErrorIs(t, a.AcquireSlot(&endsAfter{Context: t.Context()}), errCancelled)
	require.True(t, b.TryAcquireSlot(), "the slot is free again")
}

// TestReasonOfTheEarliestAbandonedTicket does not depend on the order in which they were abandoned.
func TestReasonOfTheEarliestAbandonedTicket(t *testing.T) {
	t.Parallel()
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}} {
		l := newLane(1)
		reasons := []error{errors.New("another thing"), errors.New("first"), errors.New("second")}
		claims := []lane.Claim{claim(write("y")), claim(read("x")), claim(read("x"))}
		var tickets []*lane.Ticket
		for _, c := range claims {
			tickets = append(tickets, l.Admit())
			tickets[len(tickets)-1].Claim(c)
		}
		late := l.Admit()
		late.Claim(claim(write("x")))
		for _, i := range order {
			tickets[i].Abandon(reasons[i])
		}
		require.Equal(t, reasons[1], late.Wait(t.Context()))
		tickets[1].Done()
		require.Equal(t, reasons[2], late.Wait(t.Context()))
		tickets[2].Done()
		require.NoError(t, late.Wait(t.Context()), "another thing is not in the way")
	}
}

// TestBlockerOfATicketThatIsDone returns at once.
func TestBlockerOfATicketThatIsDone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLane(1)
		a, b := l.Admit(), l.Admit()
		a.Claim(claim(write("x")))
		b.Claim(claim(write("x")))
		b.Done()
		_, _, ok := b.Blocker(context.Background())
		require.False(t, ok)
	})
}

// Two jobs wait for a third, whose end shows that they want the same thing: the
// earlier has it first.
func TestRecomputeKeepsTheOrderOfTheLine(t *testing.T) {
	t.Parallel()
	key := func(name string, write bool) lane.Claim {
		return lane.Claim{Keys: []lane.Key{{Name: name, Write: write}}}
	}
	tests := []struct {
		name  string
		first lane.Claim
		after bool // the later waits for the earlier
	}{
		{name: "behind an exclusive job", first: exclusive(), after: true},
		{name: "behind the keys of a job", first: lane.Claim{Keys: []lane.Key{{Name: "link", Write: true}, {Name: "place", Write: true}}}, after: true},
		{name: "behind nobody", first: lane.Claim{}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l, got := newLane(3), make(log, 10)
				first, second, third := l.Admit(), l.Admit(), l.Admit()
				first.Claim(tc.first)
				second.SetRecompute(func() lane.Claim { return key("place", false) })
				second.Claim(key("link", false))
				third.Claim(key("place", true))
				ctx := t.Context()
				for name, ticket := range map[string]*lane.Ticket{"second": second, "third": third} {
					goroutine.Go(func() {
						if ticket.Wait(ctx) == nil {
							got.add(name)
						}
					})
				}
				synctest.Wait()
				first.Done()
				if !tc.after {
					require.ElementsMatch(t, []string{"second", "third"}, got.all())
					return
				}
				require.Equal(t, []string{"second"}, got.all())
				second.Claim(key("place", false)) // the line has computed it already
				require.Empty(t, got.all())
				second.Done()
				require.Equal(t, []string{"third"}, got.all())
			})
		})
	}
}

// TestRecomputeOfATicketThatIsDoneMeanwhile ends a waiting ticket just when the one
// before it ends and has its claim computed again.
func TestRecomputeOfATicketThatIsDoneMeanwhile(t *testing.T) {
	t.Parallel()
	for range effort.Of(t, 200) {
		l := newLane(2)
		first, second := l.Admit(), l.Admit()
		first.Claim(exclusive())
		require.NoError(t, first.Wait(t.Context()))
		second.SetRecompute(func() lane.Claim { return claim(write("a")) })
		second.Claim(claim(write("a")))
		var all sync.WaitGroup
		all.Go(first.Done)
		all.Go(second.Done)
		all.Wait()
		requireIdle(t, l, 2)
	}
}
