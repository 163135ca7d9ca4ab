package proc_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/mounts"
)

// A command does not notice that the disk is full, neither at first nor later.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if !mounts.Own(t) {
		return
	}
	tests := []struct {
		name    string
		options string
		script  string
		stored  int64
		total   int64
		tail    string
	}{
		{name: "much too small", options: "size=256k", script: "head -c 20000000 /dev/zero; echo end; exit 7",
			stored: 256 << 10, total: 20_000_004, tail: "\x00end\n"},
		{name: "a page too small", options: "size=4k", script: "head -c 8000 /dev/zero; echo end; exit 7",
			stored: 4096, total: 8004, tail: "\x00end\n"},
		{name: "no room for a file", options: "size=256k,nr_inodes=1", script: "echo begin; echo end; exit 7",
			stored: 0, total: 10, tail: "begin\nend\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := sh(t, tt.script)
			c.File = filepath.Join(mounts.Small(t, tt.options), "out")
			exit := run(t.Context(), t, c)
			require.NoError(t, exit.Err)
			require.Equal(t, 7, exit.Code)
			require.ErrorIs(t, exit.FileErr, syscall.ENOSPC)
			require.Equal(t, tt.stored, exit.Stored)
			require.Equal(t, tt.total, exit.Output.Total)
			kept := append(exit.Output.Head, exit.Output.Tail...)
			require.Equal(t, tt.tail, string(kept[len(kept)-len(tt.tail):]))
			if tt.stored > 0 {
				require.Len(t, content(t, c.File), int(tt.stored))
			}
		})
	}
}
