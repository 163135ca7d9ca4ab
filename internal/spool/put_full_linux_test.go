package spool_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/mounts"
	"github.com/seed49eaa51d/pegboard/internal/spool"
)

// TestFullDisk fills a small file system.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if !mounts.Own(t) {
		return
	}
	dir := mounts.Small(t, "size=1m")

	d := open(t, filepath.Join(dir, "root"), "s", spool.Options{})
	small := put(t, d, "small", "text")
	text := strings.Repeat("0123456789abcde\n", 3<<20/16)
	e, err := d.Put(t.Context(), "id", "txt", strings.NewReader(text))
	require.ErrorIs(t, err, syscall.ENOSPC)
	var unstored *spool.UnstoredError
	require.ErrorAs(t, err, &unstored)
	require.Equal(t, spool.Entry{Total: 3 << 20, Lines: 3 << 16}, e)
	require.Equal(t, []string{small.Ref}, names(t, d.Path()), "nothing of it stays")
	require.EqualValues(t, 4, ledger(t, filepath.Join(d.Path(), ".spool-size")))
	require.Equal(t, "text", content(t, d, small.Ref))

	fits := put(t, d, "fits", text[:500_000])
	require.Equal(t, text[:500_000], content(t, d, fits.Ref))
	// Not even a page is left.
	filler, err := os.Create(filepath.Join(dir, "filler"))
	require.NoError(t, err)
	for err == nil {
		_, err = filler.Write(make([]byte, 4096))
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.NoError(t, filler.Close())
	_, err = d.Put(t.Context(), "id", "txt", strings.NewReader("text"))
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.ElementsMatch(t, []string{small.Ref, fits.Ref}, names(t, d.Path()))
	require.EqualValues(t, 500_004, ledger(t, filepath.Join(d.Path(), ".spool-size")))
	require.NoError(t, os.Remove(filler.Name()))
	put(t, d, "id", "text")
}
