//go:build !linux

package realpath

import (
	"fmt"
	"io/fs"
	"os"
)

// lookFirst refuses what must not even be opened to be looked at: opening a
// device can already do something. Links are left to the opening.
func lookFirst(real string) error {
	fi, err := os.Lstat(real)
	if err != nil {
		return err
	}
	if m := fi.Mode(); m&fs.ModeSymlink == 0 && !m.IsRegular() && !m.IsDir() {
		return &fs.PathError{Op: "open", Path: real, Err: fmt.Errorf("%w, %w: %w", ErrNotRegular, ErrNotDir, kind(m))}
	}
	return nil
}
