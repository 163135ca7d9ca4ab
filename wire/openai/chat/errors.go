package chat

import (
	"encoding/json"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire/openai/internal/body"
)

var (
	// ErrTruncated means that the reply ended before its message did. It comes
	// with the error of the body, if there was one.
	ErrTruncated = body.ErrTruncated
	// ErrMalformed means that the reply is not one of Chat Completions, or too
	// large.
	ErrMalformed = body.ErrMalformed
)

// APIError is an error that the service sent, in place of a reply or within it.
type APIError struct {
	Type    string // such as "invalid_request_error"; may be empty
	Code    string // such as "context_length_exceeded" or "429"; may be empty
	Param   string // the member of the request that is meant; may be empty
	Message string
}

// Error returns the code, or else the type, and the message.
func (e *APIError) Error() string {
	switch {
	case e.Code != "":
		return e.Code + ": " + e.Message
	case e.Type != "":
		return e.Type + ": " + e.Message
	}
	return e.Message
}

// apiError reads what a body or a chunk says of an error, or returns nil. Usually
// that is the member "error", an object or a string. Some services send its
// members without the envelope, or only a "detail".
func apiError(data json.RawMessage) *APIError {
	o, _ := jsonobject.Parse(data) // it was read before
	raw := o.Get("error")
	switch {
	case raw != nil && string(raw) != "null" && string(raw) != `""`:
	case o.Get("choices") == nil && (o.Get("message") != nil || o.Get("detail") != nil):
		raw = data
	default:
		return nil
	}
	in, err := jsonobject.Parse(raw)
	if err != nil {
		return &APIError{Message: plain(raw)}
	}
	e := &APIError{Type: plain(in.Get("type")), Code: plain(in.Get("code")), Param: plain(in.Get("param")), Message: plain(in.Get("message"))}
	if e.Message == "" {
		e.Message = string(raw)
	}
	return e
}

// plain returns a string as it reads, nothing for null, and any other value as JSON.
func plain(raw json.RawMessage) (s string) {
	if string(raw) == "null" || json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
