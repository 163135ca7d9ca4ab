package lane_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/lane"
)

func TestAbandonedBlocksLaterLanes(t *testing.T) {
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
			var jobs lane.Abandoned
			held := jobs.Add("a", claim(write("a")), errA)
			for range 2 { // each later lane
				l := newLane(1)
				jobs.Block(l)
				ticket := l.Admit()
				ticket.Claim(tt.claim)
				require.Equal(t, tt.want, ticket.Wait(t.Context()))
				ticket.Done()
			}
			held.Release()
			l := newLane(1)
			jobs.Block(l)
			ticket := l.Admit()
			ticket.Claim(tt.claim)
			require.NoError(t, ticket.Wait(t.Context()))
		})
	}
}

// TestAbandonedReleaseUnblocksLanes checks that the end of a job reaches the lanes that it
// was put in front of before, and only what it held.
func TestAbandonedReleaseUnblocksLanes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		errA, errB := errors.New("a"), errors.New("b")
		var jobs lane.Abandoned
		a, b := jobs.Add("a", claim(write("a")), errA), jobs.Add("b", claim(write("b")), errB)
		lanes := []*lane.Lane{newLane(1), newLane(1)}
		for _, l := range lanes {
			jobs.Block(l)
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

func TestAbandonedNames(t *testing.T) {
	t.Parallel()
	var jobs lane.Abandoned
	require.Empty(t, jobs.Names())
	a := jobs.Add("a", claim(), nil)
	b := jobs.Add("same", claim(), nil)
	c := jobs.Add("same", claim(), nil)
	require.Equal(t, []string{"a", "same", "same"}, jobs.Names())
	b.Release()
	require.Equal(t, []string{"a", "same"}, jobs.Names())
	b.Release()
	require.Equal(t, []string{"a", "same"}, jobs.Names(), "it has ended already")
	a.Release()
	c.Release()
	require.Empty(t, jobs.Names())
}

func TestAbandonedFreeJobIsOnlyNamed(t *testing.T) {
	t.Parallel()
	var set lane.Abandoned
	j := set.AddFree("the loop of an agent")
	later := newLane(1)
	require.False(t, set.Block(later), "it holds no keys")
	require.Equal(t, []string{"the loop of an agent"}, set.Names())
	set.Add("a call", claim(write("a")), errors.New("a never returned"))
	require.True(t, set.Block(later))
	j.Release()
	j.Release()
	require.Equal(t, []string{"a call"}, set.Names())
}

// TestAbandonedBlockSaysWhetherThereAreJobs that block.
func TestAbandonedBlockSaysWhetherThereAreJobs(t *testing.T) {
	t.Parallel()
	var jobs lane.Abandoned
	require.False(t, jobs.Block(newLane(1)))
	jobs.AddFree("named")
	require.False(t, jobs.Block(newLane(1)))
	held := jobs.Add("a", claim(write("a")), errors.New("a never returned"))
	require.True(t, jobs.Block(newLane(1)))
	held.Release()
	require.False(t, jobs.Block(newLane(1)))
}

// TestAbandonedForget keeps what a job held in a lane whose own jobs are done.
func TestAbandonedForget(t *testing.T) {
	t.Parallel()
	var jobs lane.Abandoned
	reason := errors.New("a never returned")
	held := jobs.Add("a", claim(write("a")), reason)
	forgotten, kept := newLane(1), newLane(1)
	for _, l := range []*lane.Lane{forgotten, kept} {
		require.True(t, jobs.Block(l))
	}
	jobs.Forget(forgotten)
	held.Release()
	for l, want := range map[*lane.Lane]error{forgotten: reason, kept: nil} {
		ticket := l.Admit()
		ticket.Claim(claim(write("a")))
		require.Equal(t, want, ticket.Wait(t.Context()))
	}
}
