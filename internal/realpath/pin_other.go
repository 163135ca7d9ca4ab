//go:build !linux && !darwin

package realpath

import (
	"os"
	"path/filepath"
)

// pin returns a handle on the file of any kind at real, and fails if there is a link on
// the way. These systems cannot forbid links while opening, so a link that is put there
// and removed between the checks goes undetected.
func pin(real string) (*os.File, error) {
	if err := refuseSpecial(real); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(real, os.O_RDONLY|Nonblock, 0)
	if err != nil {
		return nil, err
	}
	if p, err := filepath.EvalSymlinks(real); err != nil || p != real {
		_ = f.Close()
		return nil, movedError(real)
	}
	now, err := os.Lstat(real)
	if err == nil {
		var fi os.FileInfo
		if fi, err = f.Stat(); err == nil && os.SameFile(fi, now) {
			return f, nil
		}
	}
	_ = f.Close()
	return nil, movedError(real)
}
