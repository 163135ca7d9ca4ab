package applypatch

import "fmt"

// A SyntaxError is a part of a patch that cannot be read.
type SyntaxError struct {
	Line   int // in the patch, counted from 1; 0 for the whole patch
	Reason string
}

// Error returns the text for the model.
func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return "the patch cannot be read: " + e.Reason
	}
	return fmt.Sprintf("the patch cannot be read at its line %d: %s", e.Line, e.Reason)
}
