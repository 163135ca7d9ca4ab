package jsonedit

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// The reasons for refusing a text, beside the faults of [strictjson.FindFault].
var (
	ErrEmpty      = errors.New("the file is empty")
	ErrNotUTF8    = errors.New("the file is not UTF-8 here")
	ErrConflict   = errors.New("there are marks of a merge conflict")
	errUnreadable = errors.New("it cannot be read")
)

// A SyntaxError is the first place where a text is not JSON.
type SyntaxError struct {
	Offset int // in bytes from the start of the text
	Line   int // counted from 1
	Err    error
}

// Error returns the line and the reason.
func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns e.Err.
func (e *SyntaxError) Unwrap() error { return e.Err }

func invalidUTF8(data []byte, shift int) error {
	return syntaxError(data, shift+strictjson.IndexInvalidUTF8(data[shift:]), ErrNotUTF8)
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

// A ShapeError means that a value is not of the kind that an edit needs.
type ShapeError struct {
	Path string // of the value, such as permissions.allow; "" for the whole
	Want string // the kind that the edit needs, such as "an object"
}

// Error returns the path and the kind.
func (e *ShapeError) Error() string {
	path := e.Path
	if path == "" {
		path = "the whole"
	}
	return fmt.Sprintf("%s is not %s", path, e.Want)
}
