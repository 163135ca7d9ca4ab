package anthropic

import (
	"encoding/json"
	"errors"
	"fmt"
)

var (
	// ErrTruncated means that the reply ended before its message did. It comes
	// with the error of the body, if there was one.
	ErrTruncated = errors.New("reply is cut off")
	// ErrMalformed means that the reply is not one of the Messages API, or too
	// large.
	ErrMalformed = errors.New("reply is malformed")
)

// APIError is an error that the API sent, in place of a reply or within it.
type APIError struct {
	Type      string // such as "overloaded_error"; may be empty
	Message   string
	RequestID string // may be empty
}

// Error returns the type, the message and the request's id.
func (e *APIError) Error() string {
	s := e.Message
	if e.Type != "" {
		s = e.Type + ": " + s
	}
	if e.RequestID != "" {
		s += " (" + e.RequestID + ")"
	}
	return s
}

// apiError reads the member "error" of an envelope: an object, or from some
// gateways a string.
func apiError(raw json.RawMessage, requestID string) *APIError {
	var in struct{ Type, Message string }
	if json.Unmarshal(raw, &in) != nil {
		_ = json.Unmarshal(raw, &in.Message)
	}
	if in.Message == "" {
		in.Message = string(raw)
	}
	return &APIError{Type: in.Type, Message: in.Message, RequestID: requestID}
}

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrMalformed, fmt.Errorf(format, args...))
}

func truncated(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrTruncated, fmt.Errorf(format, args...))
}
