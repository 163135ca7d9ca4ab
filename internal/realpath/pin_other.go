//go:build !linux && !darwin

package realpath

import (
	"os"
	"path/filepath"
)

// pin returns a handle on what is at real, and fails if there is a link on the
// way. These systems have no way to forbid links while opening: one that is put
// there and taken away again between the checks goes unnoticed.
func pin(real string) (*os.File, error) {
	if err := lookFirst(real); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(real, os.O_RDONLY|Nonblock, 0)
	if err != nil {
		return nil, err
	}
	if p, err := filepath.EvalSymlinks(real); err != nil || p != real {
		_ = f.Close()
		return nil, moved(real)
	}
	now, err := os.Lstat(real)
	if err == nil {
		var fi os.FileInfo
		if fi, err = f.Stat(); err == nil && os.SameFile(fi, now) {
			return f, nil
		}
	}
	_ = f.Close()
	return nil, moved(real)
}
