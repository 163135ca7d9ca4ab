package pegboard_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestSuspendingMustBeWhole: a session that could not keep its word is not made.
func TestSuspendingMustBeWhole(t *testing.T) {
	t.Parallel()
	whole := suspending(&memoryJournal{}, pegboard.SessionConfig{})
	tests := []struct {
		name string
		id   string
		cfg  pegboard.Suspending
		says string
	}{
		{name: "a short key", id: "1", cfg: pegboard.Suspending{Key: durableKey[:31], Journal: whole.Suspend.Journal}, says: "31 bytes"},
		{name: "no journal", id: "1", cfg: pegboard.Suspending{Key: durableKey}, says: "NewFileJournal"},
		{name: "no id", cfg: *whole.Suspend, says: "needs an ID"},
		{name: "no time", id: "1", cfg: pegboard.Suspending{Key: durableKey, Journal: whole.Suspend.Journal, Expiry: -time.Second}, says: "-1s"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := pegboard.NewSession(pegboard.SessionConfig{ID: tc.id, Suspend: &tc.cfg})
			require.ErrorContains(t, err, tc.says)
		})
	}
}
