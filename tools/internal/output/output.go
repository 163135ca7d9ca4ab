// Package output reads and words the output of commands and background tasks.
package output

import (
	"errors"
	"io"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// ReadEnd returns the last limit bytes of a file, and the offset at which they begin.
// A link at path is not followed: the command may have replaced its file by a link to
// a file that the model must not see.
func ReadEnd(path string, limit int64) (end []byte, from int64, err error) {
	f, err := realpath.Open(filepath.Join(realpath.Resolve(filepath.Dir(path)), filepath.Base(path)))
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	fi, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	from = max(0, fi.Size()-limit)
	end, err = io.ReadAll(io.NewSectionReader(f, from, limit))
	return end, from, err
}

// Line returns text as one line of valid UTF-8, without control characters and without
// space at its ends.
func Line(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, string(utf8.RuneError))))
}
