package lane_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

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
