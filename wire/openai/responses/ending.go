package responses

import (
	"encoding/json"

	"github.com/seed49eaa51d/pegboard/wire/openai/internal/body"
)

// ending is what a response says when nothing more comes.
type ending struct {
	Object     string
	Status     string
	Output     []json.RawMessage
	Usage      json.RawMessage
	Error      json.RawMessage
	Incomplete struct{ Reason string } `json:"incomplete_details"`
}

// end takes the response as it became. Items that no event has brought, or not
// to their end, are taken from it.
func (a *assembler) end(raw json.RawMessage) error {
	if err := a.start(raw); err != nil {
		return err
	}
	var e ending
	if err := json.Unmarshal(raw, &e); err != nil {
		return body.Malformed("response: %w", err)
	}
	a.count(e.Usage)
	if err := a.fill(e); err != nil {
		return err
	}
	a.message.StopReason = e.Status
	if e.Status == "incomplete" && e.Incomplete.Reason != "" {
		a.message.StopReason = e.Incomplete.Reason
	}
	switch e.Status {
	case "completed":
		return a.complete()
	case "incomplete":
		a.stopped = true
		return nil
	case "failed", "cancelled":
		if present(e.Error) {
			return apiError(e.Error)
		}
		return &APIError{Message: "the response was " + e.Status}
	}
	return body.Truncated("the response is still %s", e.Status)
}

// fill takes the items that are not done yet. Those that the API did not end
// itself stay open.
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
			return body.Malformed("the response is completed, but not its output item %d", at)
		}
	}
	a.release()
	a.stopped = true
	return nil
}

// count takes token counts. They are worth less than the message: what cannot be
// read is passed over.
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
		a.message.Usage = Usage{
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
		return body.Malformed("response: %w", err)
	case head.Object != "response":
		return body.Malformed("the body is the object %q, not response", head.Object)
	}
	return a.end(raw)
}
