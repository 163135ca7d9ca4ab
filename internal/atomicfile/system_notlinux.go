//go:build !linux

package atomicfile

import (
	"io/fs"
	"os"
	"time"
)

// changeTime returns the zero time: these systems have only the modification time in
// common.
func changeTime(fs.FileInfo) time.Time { return time.Time{} }

// renameNoReplace gives a file within dir a second name. It fails with fs.ErrExist if
// that name is taken.
func renameNoReplace(dir *os.Root, from, to string) error { return dir.Link(from, to) }
