package reads

import (
	"crypto/sha256"
	"io/fs"
	"os"
	"time"
)

// A View is a range of bytes of a file that was shown to the model. The zero value is
// the view of an empty file.
type View struct {
	// Info, Size and Changed identify the file and its state. Info may be nil; then no
	// other view counts as one of the same file.
	Info    fs.FileInfo
	Size    int64 // -1 if it is not known
	Changed time.Time

	From, To  int64             // bytes of the file that were shown
	Sum       [sha256.Size]byte // hash of these bytes as they are in the file
	Truncated bool              // a limit of the tool cut the range short, so the view does not prove that the file was read
	Excerpt   bool              // only parts of the range were shown, such as the lines that Grep found
	Call      string            // id of the call whose result showed the range to the model; empty if none did
}

// isOf reports whether v and w are of the same file, unchanged in size, time and identity.
func (v *View) isOf(w View) bool {
	return v.Size == w.Size && v.Changed.Equal(w.Changed) && v.Info != nil && w.Info != nil && os.SameFile(v.Info, w.Info)
}

// holdsFor reports whether data still has the bytes that were shown. A view of an empty
// range only holds for an empty file.
func (v *View) holdsFor(data []byte) bool {
	if v.To > int64(len(data)) || v.From == v.To && len(data) > 0 {
		return false
	}
	return sha256.Sum256(data[v.From:v.To]) == v.Sum || v.From == v.To
}
