package lane_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/lane"
)

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
