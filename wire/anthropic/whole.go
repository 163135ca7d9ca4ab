package anthropic

import "encoding/json"

// takeWhole takes a reply that was not streamed.
func (a *assembler) takeWhole(raw json.RawMessage) error {
	var whole struct {
		Type       string
		StopReason string `json:"stop_reason"`
		Content    []json.RawMessage
		Error      json.RawMessage
		RequestID  string `json:"request_id"`
	}
	err := json.Unmarshal(raw, &whole)
	switch {
	case whole.Type == "error", whole.Type == "" && whole.Content == nil && whole.Error != nil && string(whole.Error) != "null":
		if whole.Error == nil {
			whole.Error = raw
		}
		return apiError(whole.Error, whole.RequestID)
	case err != nil:
		return malformed("message: %w", err)
	case whole.Type != "message":
		return malformed("the body has the type %q, not message", whole.Type)
	}
	if err := a.start(raw); err != nil {
		return err
	}
	a.message.StopReason = whole.StopReason
	for i, content := range whole.Content {
		b, err := newBlock(content)
		if err != nil {
			return err
		}
		b.input = b.given
		if err := a.begin(b); err != nil {
			return err
		}
		// A cut call looks whole here: its input was made an object.
		if last := i == len(whole.Content)-1; !last || !b.isCall() || !outOfTokens(whole.StopReason) {
			a.stop(b)
		}
	}
	a.stopped = true
	return nil
}
