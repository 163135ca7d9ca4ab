package jsonedit

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// What a text can be instead of JSON, beside what [strictjson.FindFault] says.
var (
	ErrEmpty      = errors.New("the file is empty")
	ErrNotUTF8    = errors.New("the file is not UTF-8 here")
	ErrConflict   = errors.New("there are marks of a merge conflict")
	errUnreadable = errors.New("it cannot be read")
)

// SyntaxError says where a text stops being JSON.
type SyntaxError struct {
	Offset int // in bytes from the start of the text
	Line   int // counted from 1
	Err    error
}

// Error says what is wrong, and where.
func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns e.Err.
func (e *SyntaxError) Unwrap() error { return e.Err }

func invalidUTF8(data []byte, shift int) error {
	offset := shift
	for {
		r, size := utf8.DecodeRune(data[offset:])
		if r == utf8.RuneError && size <= 1 {
			break
		}
		offset += size
	}
	return syntaxError(data, offset, ErrNotUTF8)
}

func invalidJSON(data []byte, shift int) error {
	body := data[shift:]
	if len(bytes.TrimSpace(body)) == 0 {
		return syntaxError(data, 0, ErrEmpty)
	}
	if at := bytes.Index(body, []byte("\n<<<<<<< ")); at >= 0 {
		return syntaxError(data, shift+at+1, ErrConflict)
	}
	fault := strictjson.FindFault(body)
	if fault == nil {
		return syntaxError(data, shift, errUnreadable)
	}
	return syntaxError(data, shift+min(fault.Offset, len(body)-1), errors.New(fault.What))
}

func syntaxError(data []byte, offset int, err error) error {
	return &SyntaxError{Offset: offset, Line: 1 + bytes.Count(data[:offset], []byte("\n")), Err: err}
}

// ShapeError says that a value is not of the kind that an edit needs.
type ShapeError struct {
	Path string // of the value, such as permissions.allow; "" for the whole
	Want string // what it should be, such as "an object"
}

// Error returns what is wrong.
func (e *ShapeError) Error() string {
	what := e.Path
	if what == "" {
		what = "the whole"
	}
	return fmt.Sprintf("%s is not %s", what, e.Want)
}
