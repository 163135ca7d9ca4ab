package wire

import (
	"encoding/json"
	"errors"
	"fmt"
)

var (
	// ErrTruncated means that the reply ended before its message did. The error wraps
	// the error of the body, if there was one.
	ErrTruncated = errors.New("reply is cut off")
	// ErrMalformed means that the body is no reply of the provider's API, or is too
	// large.
	ErrMalformed = errors.New("reply is malformed")
)

// An APIError is an error that the provider sent, instead of a reply or within it.
type APIError struct {
	// Type is the provider's name for this kind of error, such as "overloaded_error"
	// (Anthropic), "invalid_request_error" (OpenAI) or "RESOURCE_EXHAUSTED" (Gemini). It
	// may be empty.
	Type    string
	Message string

	// Code says more than Type, such as "context_length_exceeded". Only the APIs of
	// OpenAI have it; it may be empty.
	Code string
	// Param is the member of the request that is meant. Only the APIs of OpenAI have it;
	// it may be empty.
	Param string
	// HTTPStatus is the status that the body itself names. Only Gemini names one, and it
	// may be 0.
	HTTPStatus int
	// RequestID is for the provider's support. Only Anthropic sends it in the body; it
	// may be empty.
	RequestID string
	// Details is a JSON list, which may hold the delay before a retry. Only Gemini sends
	// it; it may be nil.
	Details json.RawMessage
}

// Error returns the code or else the type, the message, and the HTTP status or the
// request's id.
func (e *APIError) Error() string {
	text := e.Message
	switch {
	case e.Code != "":
		text = e.Code + ": " + text
	case e.Type != "":
		text = e.Type + ": " + text
	}
	if e.HTTPStatus != 0 {
		text += fmt.Sprintf(" (%d)", e.HTTPStatus)
	}
	if e.RequestID != "" {
		text += " (" + e.RequestID + ")"
	}
	return text
}
