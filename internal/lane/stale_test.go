package lane_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/lane"
)

// TestRenewOfATicketThatIsDoneMeanwhile: who waits may give up just when the one
// before it ends and asks it for its names.
func TestRenewOfATicketThatIsDoneMeanwhile(t *testing.T) {
	t.Parallel()
	for range 200 {
		l := lane.New(2)
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
