//go:build unix

package atomicfile_test

import (
	"bufio"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// killed runs a role until a random moment after its first write.
func killed(t *testing.T, role, path string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), roleName+"="+role, fileName+"="+path)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "ready\n", line)
	time.Sleep(rand.N(40 * time.Millisecond)) // any moment will do
	require.NoError(t, cmd.Process.Kill())
	require.ErrorContains(t, cmd.Wait(), "killed")
}

func isWhole(data string) bool {
	return len(data) == large && (strings.Trim(data, "a") == "" || strings.Trim(data, "b") == "")
}

// TestKilled kills a process that writes, again and again.
func TestKilled(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, role string
		link       bool
		rounds     int
	}{
		{name: "rename", role: "replace for ever", rounds: 32},
		{name: "in place", role: "replace for ever", link: true, rounds: 12},
		{name: "create", role: "create for ever", rounds: 12},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			left := 0
			// At full effort there are more rounds while none was killed in mid-write.
			for round := 0; round < effort.Of(t, tc.rounds) || effort.Full(t) && left == 0 && round < 20*tc.rounds; round++ {
				base := tempDir(t)
				dir := filepath.Join(base, "d")
				path := write(t, filepath.Join(dir, "f"), strings.Repeat("b", large))
				if tc.link {
					require.NoError(t, os.Link(path, filepath.Join(base, "f2")))
				}
				killed(t, tc.role, path)
				whole := 0
				for _, name := range names(t, dir) {
					data := read(t, filepath.Join(dir, name))
					switch {
					case !strings.HasPrefix(name, "."):
						require.True(t, isWhole(data) || tc.link, "%s has %d bytes", name, len(data))
					default:
						require.Regexp(t, `^\.f[0-9]*\.pegboard-[A-Z2-7]{26}\.(tmp|bak)$`, name)
						left++
					}
					if isWhole(data) {
						whole++
					}
				}
				require.Positive(t, whole, "the old or the new content is there")
				require.NoError(t, os.RemoveAll(dir))
			}
			if effort.Full(t) {
				require.Positive(t, left, "some were killed while they wrote")
			}
		})
	}
}
