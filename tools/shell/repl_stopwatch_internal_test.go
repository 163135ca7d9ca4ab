package shell

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestStopwatch: the time in which it is paused does not count.
func TestStopwatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                  string
		first, paused, second time.Duration
		rings                 int
	}{
		{name: "in time", first: 4 * time.Second, paused: time.Hour, second: 5 * time.Second},
		{name: "over before", first: 11 * time.Second, rings: 1},
		{name: "over after", first: 4 * time.Second, paused: time.Hour, second: 7 * time.Second, rings: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				rings := 0
				w := startStopwatch(10*time.Second, func() { rings++ })
				time.Sleep(tt.first)
				require.Equal(t, tt.first < 10*time.Second, w.pause())
				if tt.second > 0 {
					time.Sleep(tt.paused)
					w.resume()
					time.Sleep(tt.second)
					require.Equal(t, tt.rings == 0, w.pause())
				}
				synctest.Wait()
				require.Equal(t, tt.rings, rings)
			})
		})
	}
}
