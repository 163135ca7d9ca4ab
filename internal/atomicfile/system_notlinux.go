//go:build !linux

package atomicfile

import (
	"io/fs"
	"os"
	"time"
)

// changeTime is not told here: the time of the last modification has to do.
func changeTime(fs.FileInfo) time.Time { return time.Time{} }

// renameNoReplace gives a file within dir a second name. It fails with fs.ErrExist
// if there is something of that name.
func renameNoReplace(dir *os.Root, from, to string) error { return dir.Link(from, to) }

// keepAttributes keeps none of what these systems know beside permissions.
func keepAttributes(_, _ *os.File) error { return nil }
