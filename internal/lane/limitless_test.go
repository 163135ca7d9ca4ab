package lane_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/lane"
)

// TestZeroLaneHasNoLimit of slots; all else is as in any other.
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
