package pegboard_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func TestTransient(t *testing.T) {
	t.Parallel()
	require.NoError(t, pegboard.Transient(nil, time.Second))
	err := pegboard.Transient(errReset, -time.Second)
	require.ErrorIs(t, err, pegboard.ErrTransient)
	require.ErrorIs(t, err, errReset)
	var transient *pegboard.TransientError
	require.ErrorAs(t, err, &transient)
	require.Equal(t, pegboard.TransientError{Err: errReset}, *transient)
	require.EqualError(t, err, "connection reset")
	require.EqualError(t, pegboard.Transient(errReset, 90*time.Second), "connection reset (try again after 1m30s)")
}

func TestRetryPolicyIsChecked(t *testing.T) {
	t.Parallel()
	for _, policy := range []pegboard.RetryPolicy{{Attempts: -1}, {Delay: -1}, {MaxDelay: -1}} {
		_, err := pegboard.TryBuild(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "T", Retry: policy}, Description: "For a test.", Call: says(""),
		})
		var wrong *pegboard.BuildError
		require.ErrorAs(t, err, &wrong)
		require.Equal(t, "Info.Retry", wrong.Field)
	}
}
