package shell_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/internal/writes"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// TestLineWaitsForItsTurn holds the file that a line writes, as an edit of another agent does.
func TestLineWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, input string
		waits       bool
	}{
		{name: "it appends to the file", input: `{"command": "echo x >> log"}`, waits: true},
		{name: "it copies over the file", input: `{"command": "cp other log"}`, waits: true},
		{name: "it writes another file", input: `{"command": "echo x >> other"}`},
		{name: "it reads the file", input: `{"command": "cat log"}`},
		{name: "it goes to the background", input: `{"command": "echo x >> log", "run_in_background": true}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			for _, name := range []string{"log", "other"} {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600))
			}
			s := session(t, dir, "Bash")
			unlock, err := writes.Of(s).Lock(t.Context(), filepath.Join(dir, "log"))
			require.NoError(t, err)
			fork, err := s.Fork(pegboard.SessionConfig{})
			require.NoError(t, err)

			ctx, cancel := context.WithCancel(t.Context())
			ended := starting(ctx, poolOf(t, fork, shell.Bash(shell.Options{})), "Bash", tt.input)
			if !tt.waits {
				require.NoError(t, (<-ended).Err)
				unlock()
				cancel()
				return
			}
			select {
			case <-ended:
				require.Fail(t, "it did not wait")
			case <-time.After(100 * time.Millisecond): // it waits for ever
			}
			cancel()
			require.ErrorIs(t, (<-ended).Err, pegboard.ErrCancelled)
			content, err := os.ReadFile(filepath.Join(dir, "log"))
			require.NoError(t, err)
			require.Equal(t, "log", string(content), "it did not run")

			ended = starting(t.Context(), poolOf(t, fork, shell.Bash(shell.Options{})), "Bash", tt.input)
			unlock()
			require.NoError(t, (<-ended).Err)
			content, err = os.ReadFile(filepath.Join(dir, "log"))
			require.NoError(t, err)
			require.NotEqual(t, "log", string(content))
		})
	}
}
