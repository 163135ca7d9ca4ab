package reads

import (
	"crypto/sha256"
	"io/fs"
	"time"
)

// A View is a stretch of a file that was shown. Its zero value stands for an
// empty file that was shown whole.
type View struct {
	// Info, Size and Changed say which file it was, in which state. Info may be
	// nil; then no later view is the same one.
	Info    fs.FileInfo
	Size    int64
	Changed time.Time

	From, To       int64             // the bytes of the file that were shown
	Sum            [sha256.Size]byte // of these bytes, as they stand in the file
	Truncated      bool              // a limit showed less than was asked for, so that it is no proof of having seen the file
	Excerpt        bool              // only something of the stretch was shown, such as the lines that grep found
	InConversation bool              // the text stands in this session's own conversation
}

// holdsFor reports whether data still holds what was shown. A view of an empty
// stretch proves nothing unless the file is empty.
func (v *View) holdsFor(data []byte) bool {
	if v.To > int64(len(data)) || v.From == v.To && len(data) > 0 {
		return false
	}
	return sha256.Sum256(data[v.From:v.To]) == v.Sum || v.From == v.To
}
