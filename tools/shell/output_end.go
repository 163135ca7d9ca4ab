package shell

import (
	"errors"
	"io"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard/internal/excerpt"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// A outputEnd is the last part of an output.
type outputEnd struct {
	text string // valid UTF-8
	from int64  // where it begins, in bytes
	size int64  // of the whole
	file string // where the whole is; empty if that is nowhere
}

// readOutputEnd returns the last bytes of a file, at most most of them, and reads about
// as many. The command may have put a link in the place of its file, to something
// that may not be shown; it is not followed.
func readOutputEnd(path string, most int) (end outputEnd, err error) {
	f, err := realpath.Open(filepath.Join(realpath.Resolve(filepath.Dir(path)), filepath.Base(path)))
	if err != nil {
		return outputEnd{}, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	fi, err := f.Stat()
	if err != nil {
		return outputEnd{}, err
	}
	window := int64(most) + 1 // with the byte before, which may end a line
	from := max(0, fi.Size()-window)
	b, err := io.ReadAll(io.NewSectionReader(f, from, window))
	if err != nil {
		return outputEnd{}, err
	}
	end = newOutputEnd(b, from, most)
	end.file = path
	return end, nil
}

// newOutputEnd returns the end of b, which stands at from in the whole.
func newOutputEnd(b []byte, from int64, most int) outputEnd {
	text, start := excerpt.Last(b, most, from == 0)
	return outputEnd{text: text, from: from + int64(start), size: from + int64(len(b))}
}
