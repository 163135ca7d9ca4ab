package languageserver

import (
	"io/fs"
	"time"
)

// racy is how long after its last change a file may change again without a new time and size.
const racy = 50 * time.Millisecond

// A stamp tells versions of a file apart. The zero stamp is that of no version.
type stamp struct {
	modified time.Time
	size     int64
	mode     fs.FileMode
}

// stampOf returns the stamp of a file, or the zero stamp if it may change unnoticed.
func stampOf(info fs.FileInfo) stamp {
	if age := time.Since(info.ModTime()); age > -racy && age < racy {
		return stamp{}
	}
	return stamp{modified: info.ModTime(), size: info.Size(), mode: info.Mode().Type()}
}

// same reports whether both are the same version for certain.
func (s stamp) same(other stamp) bool {
	return s != stamp{} && s.size == other.size && s.mode == other.mode && s.modified.Equal(other.modified)
}
