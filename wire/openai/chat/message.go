package chat

import (
	"encoding/json"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
)

// encodeMessage returns the history of a message with the role "assistant": its text or
// refusal, its calls, and the members that the service added for its own use, such as
// the reasoning. It is nil if the message says nothing and calls nothing.
func encodeMessage(text, refusal string, extra grown, calls []json.RawMessage) []json.RawMessage {
	blank := strings.TrimSpace(text) == ""
	if blank && refusal == "" && len(calls) == 0 {
		return nil
	}
	o := jsonobject.With("role", jsonobject.Quote("assistant"))
	switch {
	case !blank:
		o.Set("content", jsonobject.Quote(text))
	case refusal == "":
		o.Set("content", json.RawMessage("null"))
	default: // the only form in which a refusal may stand alone
		part := jsonobject.With("type", jsonobject.Quote("refusal")).With("refusal", jsonobject.Quote(refusal))
		o.Set("content", jsonobject.List([]json.RawMessage{part.Encode()}))
	}
	if !blank && refusal != "" {
		o.Set("refusal", jsonobject.Quote(refusal))
	}
	extra.put(&o)
	if len(calls) > 0 {
		o.Set("tool_calls", jsonobject.List(calls))
	}
	return []json.RawMessage{o.Encode()}
}

// apiError returns the error that a body or a chunk holds, or nil. Usually that is the
// member "error", an object or a string. Some services send the members of the error
// without this envelope, or only a "detail".
func apiError(data json.RawMessage) *wire.APIError {
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
		return &wire.APIError{Message: plain(raw)}
	}
	e := &wire.APIError{Type: plain(in.Get("type")), Code: plain(in.Get("code")), Param: plain(in.Get("param")), Message: plain(in.Get("message"))}
	if e.Message == "" {
		e.Message = string(raw)
	}
	return e
}

// plain returns the text of a JSON string, "" for null, and the JSON of any other value.
func plain(raw json.RawMessage) (s string) {
	if string(raw) == "null" || json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
