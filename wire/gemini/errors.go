package gemini

import (
	"encoding/json"
	"errors"
	"fmt"
)

var (
	// ErrTruncated means that the reply ended before its message did. It comes
	// with the error of the body, if there was one.
	ErrTruncated = errors.New("reply is cut off")
	// ErrMalformed means that the reply is not one of generateContent, or too
	// large.
	ErrMalformed = errors.New("reply is malformed")
)

// APIError is an error that the API sent, in place of a reply or within it.
type APIError struct {
	Code    int    // the HTTP status; may be 0
	Status  string // such as "RESOURCE_EXHAUSTED"; may be empty
	Message string
	Details json.RawMessage // a list, in which a retry delay may be; may be nil
}

// Error returns the status, the message and the code.
func (e *APIError) Error() string {
	s := e.Message
	if e.Status != "" {
		s = e.Status + ": " + s
	}
	if e.Code != 0 {
		s += fmt.Sprintf(" (%d)", e.Code)
	}
	return s
}

// apiError reads the member "error" of an envelope: an object, or from some
// gateways a string.
func apiError(raw json.RawMessage) *APIError {
	e := &APIError{}
	if json.Unmarshal(raw, e) != nil {
		*e = APIError{}
		_ = json.Unmarshal(raw, &e.Message)
	}
	if e.Message == "" {
		e.Message = string(raw)
	}
	return e
}

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrMalformed, fmt.Errorf(format, args...))
}

func truncated(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrTruncated, fmt.Errorf(format, args...))
}
