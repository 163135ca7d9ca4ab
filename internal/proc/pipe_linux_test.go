package proc_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A pipe that was enlarged holds more than this process reads while it is patient.
func TestWhatThePipeHoldsIsRead(t *testing.T) {
	t.Parallel()
	c := sh(t, "seq 1 200000 | tail -c 1000000")
	c.Drain, c.Grace = time.Millisecond, never
	c.Output = func([]byte) { time.Sleep(5 * time.Millisecond) } // slower than the patience
	exit := run(t.Context(), t, c)
	require.NoError(t, exit.Err)
	require.EqualValues(t, 1_000_000, exit.Output.Total)
}
