package walk

import (
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/nearest"
)

// A GlobError is an invalid glob. Its text is for the model.
type GlobError struct {
	Glob string
	Err  error // reason
}

func (e *GlobError) Error() string {
	return fmt.Sprintf("the glob %q cannot be read: %v", e.Glob, e.Err)
}

// Unwrap returns the cause.
func (e *GlobError) Unwrap() error { return e.Err }

// A TypeError is an unknown file type. Its text is for the model.
type TypeError struct {
	Type string
	Near []string // known types with a similar name
}

func newTypeError(name string) *TypeError {
	return &TypeError{Type: name, Near: nearest.Names(name, TypeNames(), 3)}
}

func (e *TypeError) Error() string {
	text := fmt.Sprintf("the file type %q is not known", e.Type)
	if len(e.Near) > 0 {
		text += "; did you mean " + strings.Join(e.Near, ", ") + "?"
	} else {
		text += "; types are names such as go, py, js, ts, rust, java, cpp, md and json"
	}
	return text + " A glob such as *.ext works for any file"
}
