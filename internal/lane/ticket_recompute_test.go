package lane_test

import (
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lane"
)

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
