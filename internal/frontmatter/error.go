package frontmatter

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// An Error is a fault at a line of a file.
type Error struct {
	Line int // counted from 1; 0 if the whole file is meant
	Err  error
}

// Error returns the line and the fault.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Err.Error()
	}
	return fmt.Sprintf("line %d: %v", e.Line, e.Err)
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// errorAt returns an *Error.
func errorAt(line int, format string, args ...any) error {
	return &Error{Line: line, Err: fmt.Errorf(format, args...)}
}

// notYAML returns the error of a head that the YAML library refuses. The first line of the head
// is the second of the file.
func notYAML(err error) error {
	var one *yaml.LoadError
	var all *yaml.LoadErrors
	switch {
	case errors.As(err, &one):
	case errors.As(err, &all) && len(all.Errors) > 0:
		one = all.Errors[0]
	default:
		return errorAt(0, "the head is not valid YAML: %w", err)
	}
	line := one.Mark.Line
	if line > 0 {
		line++
	}
	return errorAt(line, "the head is not valid YAML: %s%s", strings.TrimPrefix(one.Message, "yaml: "), remedy(one.Message))
}

// remedy returns the advice for the commonest messages of the YAML library.
func remedy(message string) string {
	switch {
	case strings.Contains(message, "mapping values are not allowed"):
		return "; put a value that has a colon in it into double quotes"
	case strings.Contains(message, "cannot start any token"), strings.Contains(message, "tab character"):
		return "; indent with blanks, and put a value that begins with a special character into double quotes"
	}
	return ""
}
