//go:build !linux

package realpath

import (
	"fmt"
	"io/fs"
	"os"
)

// refuseSpecial refuses devices, pipes and sockets, because opening a device can already
// have an effect. Links are left to the opening.
func refuseSpecial(real string) error {
	fi, err := os.Lstat(real)
	if err != nil {
		return err
	}
	if m := fi.Mode(); m&fs.ModeSymlink == 0 && !m.IsRegular() && !m.IsDir() {
		return &fs.PathError{Op: "open", Path: real, Err: fmt.Errorf("%w, %w: %w", ErrNotRegular, ErrNotDir, kindError(m))}
	}
	return nil
}
