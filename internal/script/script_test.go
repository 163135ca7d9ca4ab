//go:build unix

package script_test

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/script"
)

// TestWriteBesideStarts runs each program as soon as it is written, beside others that do so.
func TestWriteBesideStarts(t *testing.T) {
	t.Parallel()
	dir, work := t.TempDir(), effort.Of(t, 200)
	var group sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		group.Go(func() {
			for n := range work {
				path := filepath.Join(dir, strconv.Itoa(i)+"-"+strconv.Itoa(n))
				script.Write(t, path, "#!/bin/sh\nexit 0\n")
				if err := exec.CommandContext(t.Context(), path).Run(); err != nil { //nolint:gosec // this test wrote it
					errs[i] = err
					return
				}
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
}
