//go:build unix

package proc_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// bomb prints a line for each of its 127 processes, which are seven generations.
const bomb = `
bomb() {
	if [ $1 -gt 0 ]; then bomb $(($1-1)) & bomb $(($1-1)) & fi
	trap '' TERM HUP INT
	echo up
	exec sleep 1000
}
bomb 6`

// A group that grows while it is killed leaves nobody behind.
func TestForkBomb(t *testing.T) {
	t.Parallel()
	for name, processes := range map[string]int{"at once": 0, "first": 1, "while it grows": 30, "all": 127} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			enough := errors.New("enough")
			c := sh(t, bomb)
			c.Grace, c.Drain = time.Nanosecond, never
			var printed strings.Builder
			c.Output = func(p []byte) {
				printed.Write(p)
				if strings.Count(printed.String(), "\n") >= processes {
					cancel(enough)
				}
			}
			if processes == 0 {
				c.MaxOutput = 1
				c.Output = nil
			}
			exit := run(ctx, t, c)
			cancel(nil)
			require.Error(t, exit.Err)
			require.False(t, exit.Lingering)
			// What c marks must be gone at the end of the test.
		})
	}
}
