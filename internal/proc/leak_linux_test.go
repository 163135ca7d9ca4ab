package proc_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// withMark returns the numbers of the living processes that were started with
// an environment that holds mark.
func withMark(t *testing.T, mark string) []int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	require.NoError(t, err)
	var all []int
	for _, file := range files {
		environ, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(environ, []byte(mark+"\x00")) {
			continue // ended meanwhile, or somebody else's
		}
		all = append(all, atoi(t, filepath.Base(filepath.Dir(file))))
	}
	return all
}

// unreaped returns an error if this process has a child.
func unreaped() error {
	pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
	if err == syscall.ECHILD {
		return nil
	}
	return fmt.Errorf("a child is left: wait4 = %d, %w", pid, err)
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	require.NoError(t, err)
	return n
}
