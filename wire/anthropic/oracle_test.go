package anthropic_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// expectation is what encoding/json alone finds in a response.
type expectation struct {
	calls     []string
	text      string
	blocks    []map[string]any // as they are sent back
	odd       bool             // blocks hold deltas that this test does not know
	apiError  string
	malformed bool
	cut       bool
	foreign   bool // holds no message of this API
}

func oracle(body string) expectation {
	if strings.HasPrefix(strings.TrimSpace(body), "{") {
		return wholeOracle(body)
	}
	return streamOracle(body)
}

func wholeOracle(body string) (want expectation) {
	var message struct {
		Type       string
		StopReason string `json:"stop_reason"`
		Content    []json.RawMessage
		Error      struct{ Message string }
	}
	if json.Unmarshal([]byte(body), &message) != nil || message.Type != "message" {
		want.apiError = message.Error.Message
		want.foreign = want.apiError == ""
		return want
	}
	for i, raw := range message.Content {
		b := receive(raw)
		want.text += b.text
		if b.isCall() && i == len(message.Content)-1 && outOfTokens(message.StopReason) {
			continue
		}
		if b.isCall() {
			want.calls = append(want.calls, b.id+" "+b.name+" "+b.input)
		}
		want.blocks = append(want.blocks, b.fields)
	}
	want.blocks = sendable(want.blocks)
	return want
}

func outOfTokens(reason string) bool {
	return reason == "max_tokens" || reason == "model_context_window_exceeded"
}

// received is a block while it arrives.
type received struct {
	fields         map[string]any
	id, name, text string
	input          string // with the start
	json           string // in deltas
	stopped        bool
}

func receive(raw json.RawMessage) *received {
	var head struct {
		ID, Name, Text string
		Input          json.RawMessage
	}
	b := &received{}
	if json.Unmarshal(raw, &b.fields) == nil && json.Unmarshal(raw, &head) == nil {
		b.id, b.name, b.text, b.input = head.ID, head.Name, head.Text, string(head.Input)
	}
	return b
}

func (r *received) isCall() bool {
	return r.fields["type"] == "tool_use" && !strings.HasPrefix(r.id, "srvtoolu_")
}

// payload is the data of any event, with all that is looked at.
type payload struct {
	Type         string
	Message      struct{ ID string }
	Index        *int
	ContentBlock json.RawMessage `json:"content_block"`
	Delta        struct {
		Type        string
		Text        string
		Thinking    string
		Signature   string
		Citation    any
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
	}
	Error struct{ Message string }
}

// payloads returns the data of the events of a stream, and whether the last one
// was not ended by a blank line.
func payloads(body string) (all []string, unended bool) {
	data := ""
	for line := range strings.Lines(strings.ReplaceAll(body, "\r\n", "\n")) {
		if value, ok := strings.CutPrefix(line, "data:"); ok {
			data += value
		} else if line == "\n" && strings.TrimSpace(data) != "" {
			all = append(all, data)
			data = ""
		}
	}
	if data != "" {
		all = append(all, data)
	}
	return all, data != ""
}

type streamed struct {
	expectation
	blocks  []*received
	id      string
	reason  string
	started bool
	stopped bool
}

func streamOracle(body string) expectation {
	var s streamed
	all, unended := payloads(body)
	for i, data := range all {
		torn := unended && i == len(all)-1 && !json.Valid([]byte(data))
		if s.stopped || s.malformed || s.apiError != "" || torn {
			break
		}
		s.take(data)
	}
	want := s.expectation
	want.foreign = !s.started
	want.cut = s.started && !s.stopped
	for i, b := range s.blocks {
		cut := i == len(s.blocks)-1 && (outOfTokens(s.reason) || s.reason == "" && !s.stopped)
		if !b.settle(cut) {
			continue
		}
		want.blocks = append(want.blocks, b.fields)
		if b.isCall() {
			input := b.json
			if input == "" && b.input != "{}" {
				input = b.input
			}
			want.calls = append(want.calls, b.id+" "+b.name+" "+input)
		}
	}
	want.blocks = sendable(want.blocks)
	return want
}

func (s *streamed) take(data string) {
	var e payload
	if json.Unmarshal([]byte(data), &e) != nil {
		s.malformed = true
		return
	}
	if s.malformed = !s.started && (strings.HasPrefix(e.Type, "content_") || strings.HasPrefix(e.Type, "message_")) && e.Type != "message_start"; s.malformed {
		return
	}
	switch e.Type {
	case "message_start":
		s.malformed = s.started && s.id != e.Message.ID
		s.id, s.started = e.Message.ID, true
	case "error":
		s.apiError = e.Error.Message
	case "content_block_start":
		b := receive(e.ContentBlock)
		unnamed := b.fields["type"] == "tool_use" && (b.id == "" || b.name == "")
		if e.Index == nil || *e.Index != len(s.blocks) || b.fields == nil || unnamed {
			s.malformed = true
			return
		}
		s.text += b.text
		s.blocks = append(s.blocks, b)
	case "content_block_delta", "content_block_stop":
		if e.Index == nil || *e.Index < 0 || *e.Index >= len(s.blocks) || s.blocks[*e.Index].stopped {
			s.malformed = true
			return
		}
		if b := s.blocks[*e.Index]; e.Type == "content_block_stop" {
			b.stopped = true
		} else {
			s.odd = !b.add(e) || s.odd
			s.text += e.Delta.Text
		}
	case "message_delta":
		s.reason = e.Delta.StopReason
	case "message_stop":
		s.stopped = true
	}
}

// add reports whether it knows the kind of delta.
func (r *received) add(e payload) bool {
	join := func(name, text string) {
		if text != "" {
			before, _ := r.fields[name].(string)
			r.fields[name] = before + text
		}
	}
	join("text", e.Delta.Text)
	join("thinking", e.Delta.Thinking)
	join("signature", e.Delta.Signature)
	r.json += e.Delta.PartialJSON
	if e.Delta.Citation != nil {
		before, _ := r.fields["citations"].([]any)
		r.fields["citations"] = append(before, e.Delta.Citation)
	}
	return slices.Contains([]string{"text_delta", "thinking_delta", "signature_delta", "citations_delta", "input_json_delta"}, e.Delta.Type)
}

// settle makes the block what is sent back, and reports whether it is.
func (r *received) settle(cut bool) bool {
	if !strings.HasSuffix(fmt.Sprint(r.fields["type"]), "tool_use") {
		return r.stopped || r.fields["type"] == "text"
	}
	var sent map[string]any
	err := json.Unmarshal([]byte(r.json), &sent)
	switch {
	case !r.stopped, r.isCall() && cut && err != nil:
		return false
	case err == nil:
		r.fields["input"] = sent
	case r.json != "":
		r.fields["input"] = map[string]any{"INVALID_JSON": r.json}
	}
	return true
}

// sendable leaves out what the API does not take back.
func sendable(blocks []map[string]any) []map[string]any {
	var kept []map[string]any
	var ids []any
	for _, b := range blocks {
		text, isText := b["text"].(string)
		again := b["type"] == "tool_use" && slices.Contains(ids, b["id"])
		if isText && strings.TrimSpace(text) == "" || again {
			continue
		}
		kept = append(kept, b)
		ids = append(ids, b["id"])
	}
	for len(kept) > 0 && strings.HasSuffix(fmt.Sprint(kept[len(kept)-1]["type"]), "thinking") {
		kept = kept[:len(kept)-1]
	}
	return kept
}
