package responses

import (
	"encoding/json"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/reply"
)

// An ending is the response as the last event of a stream holds it.
type ending struct {
	Object     string
	Status     string
	Output     []json.RawMessage
	Usage      json.RawMessage
	Error      json.RawMessage
	Incomplete struct{ Reason string } `json:"incomplete_details"`
}

// end takes the final response. Items that no event has completed are taken from it.
func (a *assembler) end(raw json.RawMessage) error {
	if err := a.start(raw); err != nil {
		return err
	}
	var e ending
	if err := json.Unmarshal(raw, &e); err != nil {
		return reply.Malformed("response: %w", err)
	}
	a.count(e.Usage)
	if err := a.fill(e); err != nil {
		return err
	}
	a.Message.StopReason = e.Status
	if e.Status == "incomplete" && e.Incomplete.Reason != "" {
		a.Message.StopReason = e.Incomplete.Reason
	}
	switch e.Status {
	case "completed":
		return a.complete()
	case "incomplete":
		a.Ended = true
		return nil
	case "failed", "cancelled":
		if present(e.Error) {
			return apiError(e.Error)
		}
		return &wire.APIError{Message: "the response was " + e.Status}
	}
	return reply.Truncated("the response is still %s", e.Status)
}

// fill takes the items that are not done yet. Items that the API left in progress stay
// open.
func (a *assembler) fill(e ending) error {
	for at, output := range e.Output {
		if at < len(a.items) && a.items[at].done {
			continue
		}
		if e.Status != "completed" {
			i, err := newItem(output)
			if err != nil {
				return err
			}
			if i.head.Status == "in_progress" {
				return nil
			}
		}
		if err := a.stop(at, output); err != nil {
			return err
		}
	}
	return nil
}

func (a *assembler) complete() error {
	for at, i := range a.items {
		if !i.done {
			return reply.Malformed("the response is completed, but not its output item %d", at)
		}
	}
	a.release()
	a.Ended = true
	return nil
}

// count takes token counts. They matter less than the message: counts that cannot be read
// are ignored.
func (a *assembler) count(raw json.RawMessage) {
	var u struct {
		Input   int `json:"input_tokens"`
		Output  int `json:"output_tokens"`
		Details struct {
			Cached  int `json:"cached_tokens"`
			Written int `json:"cache_write_tokens"`
		} `json:"input_tokens_details"`
	}
	if present(raw) && json.Unmarshal(raw, &u) == nil {
		a.Message.Usage = wire.Usage{
			Input: max(0, u.Input-u.Details.Cached-u.Details.Written), Output: u.Output,
			CacheRead: u.Details.Cached, CacheWrite: u.Details.Written,
		}
	}
}

// takeWhole takes a reply that was not streamed.
func (a *assembler) takeWhole(raw json.RawMessage) error {
	var head struct {
		Object, Status string
		Error          json.RawMessage
	}
	err := json.Unmarshal(raw, &head)
	switch {
	case head.Object != "response" && present(head.Error):
		return apiError(head.Error)
	case err != nil:
		return reply.Malformed("response: %w", err)
	case head.Object != "response":
		return reply.Malformed("the body is the object %q, not response", head.Object)
	}
	return a.end(raw)
}

// apiError returns an error of the API: an object, or from some gateways a string.
func apiError(raw json.RawMessage) *wire.APIError {
	e := &wire.APIError{Message: string(raw)}
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
		e.Type = "" // the type of the event that holds the error
	}
	if code := o.Get("code"); present(code) {
		e.Code = strings.Trim(string(code), `"`) // some gateways send a number
	}
	e.Param, _ = o.Text("param")
	return e
}
