package lane_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/lane"
)

func TestDetachedBlocksLaterLanes(t *testing.T) {
	t.Parallel()
	errA := errors.New("a never returned")
	tests := []struct {
		name  string
		claim lane.Claim
		want  error // nil if nothing is in the way
	}{
		{name: "another thing", claim: claim(write("b"))},
		{name: "nothing", claim: claim()},
		{name: "the same thing", claim: claim(read("a")), want: errA},
		{name: "everything", claim: exclusive(), want: errA},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var d lane.Abandoned
			held := d.Add("a", claim(write("a")), errA)
			for range 2 { // each later lane
				l := lane.New(1)
				d.Block(l)
				ticket := l.Admit()
				ticket.Claim(tt.claim)
				require.Equal(t, tt.want, ticket.Wait(t.Context()))
				ticket.Done()
			}
			held.Release()
			l := lane.New(1)
			d.Block(l)
			ticket := l.Admit()
			ticket.Claim(tt.claim)
			require.NoError(t, ticket.Wait(t.Context()))
		})
	}
}

// TestDetachedEndFreesLanes checks that the end of a job reaches the lanes that it
// was put in front of before, and only what it held.
func TestDetachedEndFreesLanes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		errA, errB := errors.New("a"), errors.New("b")
		var d lane.Abandoned
		a, b := d.Add("a", claim(write("a")), errA), d.Add("b", claim(write("b")), errB)
		lanes := []*lane.Lane{lane.New(1), lane.New(1)}
		for _, l := range lanes {
			d.Block(l)
		}
		a.Release()
		for _, l := range lanes {
			first, second := l.Admit(), l.Admit()
			first.Claim(claim(write("a")))
			second.Claim(claim(write("b")))
			require.NoError(t, first.Wait(t.Context()))
			require.Equal(t, errB, second.Wait(t.Context()))
			first.Done()
			second.Done()
		}
		b.Release()
		for _, l := range lanes {
			ticket := l.Admit()
			ticket.Claim(exclusive())
			require.NoError(t, ticket.Wait(t.Context()))
		}
	})
}

func TestDetachedNames(t *testing.T) {
	t.Parallel()
	var d lane.Abandoned
	require.Empty(t, d.Names())
	a := d.Add("a", claim(), nil)
	b := d.Add("same", claim(), nil)
	c := d.Add("same", claim(), nil)
	require.Equal(t, []string{"a", "same", "same"}, d.Names())
	b.Release()
	require.Equal(t, []string{"a", "same"}, d.Names())
	b.Release()
	require.Equal(t, []string{"a", "same"}, d.Names(), "it has ended already")
	a.Release()
	c.Release()
	require.Empty(t, d.Names())
}
