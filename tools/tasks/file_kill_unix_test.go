//go:build unix

package tasks_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/tasks"
)

// TestKilled kills processes that change a list, again and again. The list is always one that
// there was: nothing that was done is lost, and at most the last change is not known to be done.
func TestKilled(t *testing.T) {
	t.Parallel()
	path := filePath(t)
	create(t, open(t, path, tasks.Hooks{}), "count")
	count, newest, ids := 0, 1, map[int]bool{1: true}
	for range effort.Of(t, 150) {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), roleName+"="+killed, fileName+"="+path)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines := bufio.NewScanner(out)
		require.True(t, lines.Scan())
		require.Equal(t, "ready", lines.Text())
		kill := time.AfterFunc(rand.N(60*time.Millisecond), func() { _ = cmd.Process.Kill() })
		doing, deleted := "", 0
		for lines.Scan() {
			var n int
			if _, err := fmt.Sscan(lines.Text(), &doing, &n); err != nil {
				require.NotContains(t, lines.Text(), "error")
				continue // cut by the kill
			}
			switch doing {
			case "count":
				require.LessOrEqual(t, count+1, n)
				require.LessOrEqual(t, n, count+2, "at most one was not told")
				count = n
			case "made":
				require.Greater(t, n, newest)
				newest, ids[n] = n, true
			case "deleted":
				delete(ids, n)
				deleted = n
			}
		}
		kill.Stop()
		require.ErrorContains(t, cmd.Wait(), "killed")
		l := open(t, path, tasks.Hooks{}) // without a problem
		list := all(t, l)
		if n, err := strconv.Atoi(string(list[0].Metadata["n"])); err == nil {
			require.Contains(t, []int{count, count + 1}, n)
			count = n
		}
		there := map[int]bool{}
		for _, task := range list {
			id, err := strconv.Atoi(task.ID)
			require.NoError(t, err)
			require.True(t, ids[id] || id > newest && doing == "count", "%d was deleted, or never made", id)
			there[id], newest = true, max(newest, id)
		}
		missing := 0
		for id := range ids {
			if !there[id] {
				missing++
			}
		}
		require.LessOrEqual(t, missing, 1, "at most one was deleted and not told (the last was %d)", deleted)
		ids = there
	}
	t.Logf("%d counted, %d made", count, newest)
	require.Positive(t, count)
}
