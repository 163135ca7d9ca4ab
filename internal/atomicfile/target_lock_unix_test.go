//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
)

// TestProcessesLoseNothing: processes and Stores that know nothing of each other
// add lines to one file, and every line is there in the end.
func TestProcessesLoseNothing(t *testing.T) {
	t.Parallel()
	for _, names := range []int{1, 2} {
		t.Run(fmt.Sprint(names, " names"), func(t *testing.T) {
			t.Parallel()
			dir := tempDir(t)
			paths := []string{write(t, filepath.Join(dir, "f"), "")}
			if names == 2 { // which is written in place
				paths = append(paths, filepath.Join(dir, "second"))
				require.NoError(t, os.Link(paths[0], paths[1]))
			}
			const processes, stores = 4, 4
			results := make(chan error)
			for i := range processes {
				go func() {
					cmd := exec.CommandContext(t.Context(), os.Args[0])
					cmd.Env = append(os.Environ(), roleName+"=add lines", fileName+"="+paths[i%names])
					out, err := cmd.CombinedOutput()
					if err != nil {
						err = fmt.Errorf("%w: %s", err, out)
					}
					results <- err
				}()
			}
			for i := range stores {
				go func() {
					var s atomicfile.Store
					var err error
					for j := 0; j < linesAdded && err == nil; j++ {
						err = addLine(t.Context(), &s, paths[i%names], fmt.Sprint("store ", i, " ", j))
					}
					results <- err
				}()
			}
			for range processes + stores {
				require.NoError(t, <-results)
			}
			lines := strings.Split(strings.TrimSpace(read(t, paths[0])), "\n")
			seen := map[string]bool{}
			for _, line := range lines {
				require.False(t, seen[line], "%q is there twice", line)
				seen[line] = true
			}
			require.Len(t, lines, (processes+stores)*linesAdded)
		})
	}
}

// TestLocksOfOthersDoNotBlockForEver: a program may lock a file for as long as it
// runs, and editing that file is still possible.
func TestLocksOfOthersDoNotBlockForEver(t *testing.T) {
	t.Parallel()
	path := write(t, filepath.Join(tempDir(t), "f"), "old")
	f, err := os.Open(path)
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	require.NoError(t, syscall.Flock(int(f.Fd()), syscall.LOCK_EX))
	var s atomicfile.Store
	snap := load(t, &s, path)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = snap.Replace(ended, []byte("new"))
	require.ErrorIs(t, err, context.Canceled)
	synctest.Test(t, func(t *testing.T) {
		_, err := snap.Replace(t.Context(), []byte("new"))
		require.NoError(t, err)
	})
	require.Equal(t, "new", read(t, path))
}
