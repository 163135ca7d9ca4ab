package responses

import (
	"encoding/json"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire/openai/internal/body"
)

var (
	// ErrTruncated means that the reply ended before its response did. It comes
	// with the error of the body, if there was one.
	ErrTruncated = body.ErrTruncated
	// ErrMalformed means that the reply is not one of the Responses API, or too
	// large.
	ErrMalformed = body.ErrMalformed
)

// APIError is an error that the API sent, in place of a reply or within it.
type APIError struct {
	Type    string // such as "invalid_request_error"; may be empty
	Code    string // such as "rate_limit_exceeded"; may be empty
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

// apiError reads an error: an object, or from some gateways a string.
func apiError(raw json.RawMessage) *APIError {
	e := &APIError{Message: string(raw)}
	o, err := jsonobject.Parse(raw)
	if err != nil {
		if text := ""; json.Unmarshal(raw, &text) == nil && text != "" {
			e.Message = text
		}
		return e
	}
	if text, ok := o.Text("message"); ok && text != "" {
		e.Message = text
	}
	if e.Type, _ = o.Text("type"); e.Type == "error" {
		e.Type = "" // that of the event which is the error
	}
	if code := o.Get("code"); present(code) {
		e.Code = strings.Trim(string(code), `"`) // a number with some
	}
	e.Param, _ = o.Text("param")
	return e
}
