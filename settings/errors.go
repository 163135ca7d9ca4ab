package settings

import (
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
	"github.com/seed49eaa51d/pegboard/policy"
)

// Errors of Save, Approve and Load.
var (
	// ErrComments says that the file would be valid JSON without its comments or trailing
	// commas. It is neither read nor changed nor set aside, since the comments are there on
	// purpose and could not be kept in their places.
	ErrComments = errors.New("the file has comments or a comma before a closing bracket, which JSON does not know; take them out")
	// ErrLocked says that another process has been saving there for ten seconds. That file
	// was not written.
	ErrLocked = errors.New("somebody else is saving settings there")
)

// CorruptError says that a file is not a valid settings file, which is one JSON object in
// UTF-8 without repeated keys in its permissions.
type CorruptError struct {
	Path         string
	Line, Column int // counted from 1; 0 if the whole file is meant
	Err          error
}

// Error returns the position and the error.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("%s is not valid: %v", Position{Path: e.Path, Line: e.Line, Column: e.Column}, e.Err)
}

// Unwrap returns e.Err.
func (e *CorruptError) Unwrap() error { return e.Err }

// newCorrupt returns the error of a text that is no JSON.
func newCorrupt(path string, data []byte, err error) *CorruptError {
	var syntax *jsonedit.SyntaxError
	if !errors.As(err, &syntax) {
		return &CorruptError{Path: path, Err: err}
	}
	at := (&text{path: path, data: data}).at(syntax.Offset)
	return &CorruptError{Path: path, Line: at.Line, Column: at.Column, Err: syntax.Err}
}

// A ValueError is about a wrong value of a file. The other values of the file are read.
type ValueError struct {
	Position
	Key string // of the value, such as permissions.deny[2]
	Err error  // the fault and its remedy
}

// Error returns the position, the key and the error.
func (e *ValueError) Error() string { return fmt.Sprintf("%v: %s: %v", e.Position, e.Key, e.Err) }

// Unwrap returns e.Err.
func (e *ValueError) Unwrap() error { return e.Err }

// BrokenError says that a file, or a part of one, could not be read although it may deny
// something.
type BrokenError struct {
	Source policy.Source
	Path   string // of the file or directory, or the name of the flag
	Err    error  // with the position, such as a *CorruptError or *ValueError
}

// Error returns the error, which names the file.
func (e *BrokenError) Error() string { return e.Err.Error() }

// Unwrap returns e.Err.
func (e *BrokenError) Unwrap() error { return e.Err }

// SetAsideError says that Save has set a corrupt file aside and created a new one, so that
// the other settings of the old file are no longer in force. The updates are saved.
type SetAsideError struct {
	Path string // the settings file
	Copy string // the copy of its old bytes: Path.corrupt-TIME-RANDOM
	Err  error  // the error of the old file
}

// Error returns the path, the copy and the error.
func (e *SetAsideError) Error() string {
	return fmt.Sprintf("%s was not valid; its old content is in %s and no longer in force: %v", e.Path, e.Copy, e.Err)
}

// Unwrap returns e.Err.
func (e *SetAsideError) Unwrap() error { return e.Err }
