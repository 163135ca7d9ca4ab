package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

var (
	// ErrTruncated means that the reply ended before its message did. The error wraps
	// the error of the body, if there was one.
	ErrTruncated = errors.New("reply is cut off")
	// ErrMalformed means that the body is no reply of the provider's API, or is too
	// large.
	ErrMalformed = errors.New("reply is malformed")
)

// An APIError is an error that the provider sent, instead of a reply or within it. From
// [ReadResponse] it is also an HTTP answer that is no reply, such as the page of a
// gateway; it then wraps [ErrTruncated] or [ErrMalformed]. [Retryable] tells whether to
// send the request again.
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
	// HTTPStatus is the status of the response, from [ReadResponse], or else the one that
	// the body names, which only Gemini does. It may be 0, as for an error within a reply
	// that began with success.
	HTTPStatus int
	// RequestID is for the provider's support. It comes from the body, where only
	// Anthropic sends it, or from the header, if [ReadResponse] has it. It may be empty.
	RequestID string
	// RetryAfter is how long the provider asks to wait before the request is sent again.
	// It comes from the header, if [ReadResponse] has it, or from the Details. It is 0 if
	// the provider does not say.
	RetryAfter time.Duration
	// Body is the beginning of a body that is neither a reply nor an error of the API, at
	// most 1 KiB. Only [ReadResponse] sets it.
	Body string
	// Details is a JSON list, which may hold the delay before a retry. Only Gemini sends
	// it; it may be nil.
	Details json.RawMessage

	cause       error  // ErrTruncated or ErrMalformed, of an answer that is no reply
	shouldRetry string // the header X-Should-Retry: "true", "false" or anything else
}

// Error returns the code or else the type, the message, the HTTP status, the request's
// id, the beginning of the body, and the time to wait, as far as they are known.
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
	if e.Body != "" {
		text += fmt.Sprintf(": %.200q", e.Body)
	}
	if e.RetryAfter > 0 {
		text += fmt.Sprintf("; retry after %v", e.RetryAfter)
	}
	return text
}

// Unwrap returns an error that wraps [ErrTruncated] or [ErrMalformed] if the answer was
// no reply, and nil for an error in the form of the API.
func (e *APIError) Unwrap() error { return e.cause }
