package spool_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/spool"
)

// TestCloseOfATempDirWhilePuttingLeavesNothing closes a temporary directory while other
// goroutines still put.
func TestCloseOfATempDirWhilePuttingLeavesNothing(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	for range effort.Of(t, 150) {
		d, err := spool.OpenTemp(parent, spool.Options{})
		require.NoError(t, err)
		var all sync.WaitGroup
		for i := range 6 {
			all.Go(func() {
				for j := range 50 {
					if _, err := d.Put(t.Context(), fmt.Sprint(i, "_", j), "txt", strings.NewReader("text")); err != nil {
						return
					}
				}
			})
		}
		time.Sleep(time.Millisecond)
		err = d.Close()
		all.Wait()
		require.NoError(t, err)
		left, err := os.ReadDir(parent)
		require.NoError(t, err)
		require.Empty(t, left)
	}
}
