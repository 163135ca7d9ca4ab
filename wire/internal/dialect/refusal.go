package dialect

import (
	"errors"
	"fmt"
	"strings"
)

// A RefusalError is the reason for which a dialect cannot express a schema.
type RefusalError struct {
	At     string // the property, such as "filter.tags[]"; empty for the root
	Reason string // the construct that cannot be expressed, and the remedy
}

// Error returns the property and the reason.
func (r *RefusalError) Error() string {
	if r.At == "" {
		return r.Reason
	}
	return fmt.Sprintf("%s: %s", r.At, r.Reason)
}

// within prepends a step to the property of an error.
func within(step string, err error) error {
	var refusal *RefusalError
	if !errors.As(err, &refusal) {
		return err
	}
	at := *refusal
	switch {
	case at.At == "" || strings.HasPrefix(at.At, "[]"):
		at.At = step + at.At
	default:
		at.At = step + "." + at.At
	}
	return &at
}
