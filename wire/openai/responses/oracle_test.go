package responses_test

import (
	"encoding/json"
	"strings"
)

// expectation is what encoding/json alone finds in a response.
type expectation struct {
	calls    []string
	text     string
	items    []string // as they are sent back, byte for byte
	reason   string
	apiError string
	cut      bool
	foreign  bool // holds no response of this API
}

// outputItem is an item as far as the oracle looks at it.
type outputItem struct {
	Type      string
	CallID    string `json:"call_id"`
	Name      string
	Status    string
	Execution string
	Arguments any
	Sealed    string `json:"encrypted_content"`
	Content   []struct{ Text, Refusal string }
}

// finalResponse is a response that is over.
type finalResponse struct {
	Object  string
	Status  string
	Store   *bool
	Output  []json.RawMessage
	Error   struct{ Message string }
	Details struct{ Reason string } `json:"incomplete_details"`
}

// oracle looks at nothing but the response in the last event, or at all of a whole
// one. The reader under test looks at everything that comes before it.
func oracle(body string) (want expectation) {
	var last struct {
		Type     string
		Response json.RawMessage
		Message  string
		Error    struct{ Message string }
	}
	var raw json.RawMessage
	if strings.HasPrefix(strings.TrimSpace(body), "{") {
		raw = json.RawMessage(body)
	} else {
		for line := range strings.Lines(strings.ReplaceAll(body, "\r\n", "\n")) {
			data, ok := strings.CutPrefix(line, "data:")
			if !ok || raw != nil || json.Unmarshal([]byte(data), &last) != nil {
				continue
			}
			if last.Type == "error" {
				want.apiError = last.Message + last.Error.Message
				return want
			}
			if ended(last.Type) {
				raw = last.Response
			}
		}
		want.foreign = !strings.Contains(body, "response.created")
		if want.cut = raw == nil; want.cut {
			return want
		}
	}
	var final finalResponse
	if json.Unmarshal(raw, &final) != nil || final.Object != "response" {
		want.apiError, want.foreign = final.Error.Message, final.Error.Message == ""
		return want
	}
	if final.Status == "failed" {
		want.apiError = final.Error.Message
	}
	want.reason = final.Status + final.Details.Reason
	want.takeOutput(final.Output, final.Store != nil && !*final.Store)
	return want
}

func (e *expectation) takeOutput(output []json.RawMessage, unstored bool) {
	var leads []string // reasoning that nothing follows yet
	for _, raw := range output {
		var item outputItem
		if json.Unmarshal(raw, &item) != nil {
			continue
		}
		for _, c := range item.Content {
			if item.Type == "message" {
				e.text += c.Text + c.Refusal
			}
		}
		call := item.Type == "function_call" || item.Type == "tool_search_call" && item.Execution == "client"
		switch {
		case item.Type == "reasoning" && unstored && item.Sealed == "":
			continue
		case item.Type == "reasoning":
			leads = append(leads, string(raw))
			continue
		case call && item.Status == "incomplete":
			continue
		case call:
			e.calls = append(e.calls, item.written())
		}
		e.items = append(append(e.items, leads...), string(raw))
		leads = nil
	}
}

func (i *outputItem) written() string {
	if i.Type == "tool_search_call" {
		raw, _ := json.Marshal(i.Arguments)
		return i.CallID + " tool_search " + string(raw)
	}
	arguments, _ := i.Arguments.(string)
	return i.CallID + " " + i.Name + " " + arguments
}
