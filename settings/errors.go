package settings

import (
	"errors"
	"fmt"
)

// Errors of Save and Load.
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
// UTF-8 without repeated keys among those that this package reads.
type CorruptError struct {
	Path string
	Err  error
}

// Error returns the path and the error.
func (e *CorruptError) Error() string { return fmt.Sprintf("%s is not valid: %v", e.Path, e.Err) }

// Unwrap returns e.Err.
func (e *CorruptError) Unwrap() error { return e.Err }

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
