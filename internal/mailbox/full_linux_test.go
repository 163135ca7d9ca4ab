package mailbox_test

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/mounts"
)

// TestFullDisk: a message that the disk has no room for is refused, and those before it can be
// taken.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if !mounts.Own(t) {
		return
	}
	dir := mounts.Small(t, "size=1m")

	b := openDir(t, dir)
	message := json.RawMessage(`"` + strings.Repeat("m", 400<<10) + `"`)
	sent := 0
	var err error
	for ; err == nil; sent++ {
		err = b.Put("ann", message)
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.Len(t, take(t, b, "ann"), sent-1)
	require.NoError(t, b.Confirm("ann"))
	require.NoError(t, b.Put("ann", message), "there is room again")
	require.Len(t, take(t, b, "ann"), 1)
	require.NoError(t, b.Confirm("ann"))
}
