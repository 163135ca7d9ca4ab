package lane_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

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
