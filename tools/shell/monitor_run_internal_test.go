package shell

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

func TestMonitorEnd(t *testing.T) {
	t.Parallel()
	zero, three, full := 0, 3, errors.New("no space left")
	tests := []struct {
		name    string
		exit    proc.Exit
		fileErr error
		state   background.State
		code    *int
		err     string
	}{
		{name: "well", state: background.Completed, code: &zero},
		{name: "well, on a full disk", fileErr: full, state: background.Completed, code: &zero, err: "its output file lacks something: no space left"},
		{name: "an exit code", exit: proc.Exit{Code: 3}, state: background.Failed, code: &three},
		{name: "a signal", exit: proc.Exit{Code: -1, Signal: "killed"}, state: background.Failed, err: "ended by a signal: killed"},
		{name: "its time", exit: proc.Exit{Code: -1, Signal: "terminated", Err: errMonitorTime}, state: background.Killed, err: "its time of 1m0s is over; start it again if it is still needed"},
		{name: "too much", exit: proc.Exit{Err: errMonitorFlood}, state: background.Killed, err: errMonitorFlood.Error()},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			state, code, err := monitorEnd(tc.exit, time.Minute, tc.fileErr)
			require.Equal(t, tc.state, state)
			require.Equal(t, tc.code, code)
			if tc.err == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, tc.err)
			}
		})
	}
}
