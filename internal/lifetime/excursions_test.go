package lifetime_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/lifetime"
)

func TestExcursions(t *testing.T) {
	t.Parallel()
	const grace = time.Second
	tests := []struct {
		name      string
		stopAfter time.Duration // of the beginning; negative: before it
		takes     time.Duration
		graces    int
		replaced  bool
	}{
		{name: "no stop", stopAfter: time.Hour, takes: time.Minute, graces: 1},
		{name: "it heeds the stop", stopAfter: time.Minute, takes: time.Minute + grace - 1, graces: 1},
		{name: "it does not", stopAfter: time.Minute, takes: time.Minute + grace + 1, graces: 1, replaced: true},
		{name: "stopped before, within the grace", stopAfter: -1, takes: grace - 1, graces: 1},
		{name: "stopped before, too late", stopAfter: -1, takes: grace + 1, graces: 1, replaced: true},
		{name: "stopped before, within two", stopAfter: -1, takes: 2*grace - 1, graces: 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var x lifetime.Excursions
				var replaced atomic.Bool
				stop := func() {
					x.Stop(grace, func(leave func() bool) { replaced.Store(leave()) })
					x.Stop(0, func(func() bool) { t.Error("only the first stop counts") })
				}
				if tt.stopAfter < 0 {
					stop()
				} else {
					time.AfterFunc(tt.stopAfter, stop)
				}
				number := x.Begin(tt.graces)
				time.Sleep(tt.takes)
				require.Equal(t, !tt.replaced, x.End(number))
				require.Equal(t, tt.replaced, replaced.Load())
				next := x.Begin(1)
				require.False(t, x.End(number), "that one is over")
				require.True(t, x.End(next))
				time.Sleep(2 * time.Hour)
			})
		})
	}
}

// TestExcursionHasOneOwner lets who returns and who takes over meet.
func TestExcursionHasOneOwner(t *testing.T) {
	t.Parallel()
	for range effort.Of(t, 200) {
		var x lifetime.Excursions
		over := make(chan bool, 1)
		number := x.Begin(1)
		x.Stop(0, func(leave func() bool) { over <- leave() })
		if x.End(number) {
			select {
			case taken := <-over:
				require.False(t, taken)
			default:
			}
		} else {
			require.True(t, <-over)
		}
	}
}
