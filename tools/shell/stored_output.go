package shell

import (
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// A storedOutput says where an output was stored.
type storedOutput struct {
	path string // of a file, or another reference
	size int64  // stored bytes
	ref  string // in the session's store; empty if it is in a file only
	err  error  // why it was not stored
}

// binaryNote tells the model that the output is binary, and where it is.
func (o storedOutput) binaryNote(total int64) string {
	switch {
	case errors.Is(o.err, pegboard.ErrAlreadyStored):
		return fmt.Sprintf("[Output is binary: %d bytes, not shown.]", total)
	case o.err != nil:
		return fmt.Sprintf("[Output is binary: %d bytes, not shown, and it could not be stored: %v.]", total, o.err)
	case o.size < total:
		return fmt.Sprintf("[Output is binary: %d bytes, not shown. Its first %d bytes are in %s.]", total, o.size, o.path)
	}
	return fmt.Sprintf("[Output is binary: %d bytes, not shown. It is in %s.]", total, o.path)
}

// replacedNote tells the model that the output is not shown as it was printed, all total
// bytes of it, and where that is.
func (o storedOutput) replacedNote(total int64) string {
	const note = "[Text that the command has overwritten in its line, as progress bars do, is left out."
	switch {
	case errors.Is(o.err, pegboard.ErrAlreadyStored):
		return note + "]"
	case o.err != nil:
		return fmt.Sprintf("%s What it printed, %d bytes, could not be stored: %v.]", note, total, o.err)
	case o.size < total:
		return fmt.Sprintf("%s The first %d of the %d bytes that it printed are in %s.]", note, o.size, total, o.path)
	}
	return fmt.Sprintf("%s All %d bytes that it printed are in %s.]", note, total, o.path)
}
