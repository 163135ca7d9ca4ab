//go:build unix

package schedule_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/schedule"
)

// TestKilledInMidWrite kills a program that writes the file, again and again: what it said that it
// had done is there, and nothing is half there.
func TestKilledInMidWrite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "jobs.json")
	state := map[string]string{} // the last word of the program about a job
	for range effort.Of(t, 40) {
		killWriter(t, path, state)
		jobs, err := schedule.Open(path, schedule.Options{})
		require.NoError(t, err)
		there := map[string]bool{}
		unknown := 0
		for _, j := range jobs.Jobs() {
			there[j.ID] = true
			if state[j.ID] == "" {
				unknown++ // it was killed before it could say so
				state[j.ID] = "made"
			}
		}
		require.LessOrEqual(t, unknown, 1)
		for id, word := range state {
			switch word {
			case "made":
				require.True(t, there[id], "%s is lost", id)
			case "deleted":
				require.False(t, there[id], "%s is there again", id)
			case "deleting":
				if there[id] {
					state[id] = "made"
				}
			}
		}
	}
}

// killWriter runs a program that writes the file, and kills it.
func killWriter(t *testing.T, path string, state map[string]string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), roleName+"="+writing, pathName+"="+path)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	var kill *time.Timer
	for lines.Scan() {
		if kill == nil {
			kill = time.AfterFunc(rand.N(30*time.Millisecond), func() { _ = cmd.Process.Kill() })
			defer kill.Stop()
		}
		var word, id string
		if n, err := fmt.Sscan(lines.Text(), &word, &id); n == 2 && err == nil && len(id) == 8 {
			state[id] = word
		}
		require.NotContains(t, lines.Text(), "error")
	}
	require.ErrorContains(t, cmd.Wait(), "killed")
}
