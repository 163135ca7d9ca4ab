package lane_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/lane"
)

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
