package anthropic

import (
	"encoding/json"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// A Message is what the model said in one turn.
type Message struct {
	ID    string
	Model string
	Text  string // of all text blocks

	// Calls are the calls to run, in the order of the message. ID, Name and
	// Input are set; Input is what the model wrote, byte for byte, and may be
	// empty or no JSON at all.
	Calls []pegboard.Call
	// Incomplete are the calls that were begun and not finished, because the
	// reply was cut or the model ran out of tokens. Input is what came. They
	// must not run, and History does not hold them.
	Incomplete []pegboard.Call

	// StopReason is why the model stopped: "tool_use", "end_turn",
	// "max_tokens" and others. It is empty if the reply was cut, or ended
	// with an error.
	StopReason string
	Usage      Usage

	wire    *Wire             // that it was read by; nil if by none
	content []json.RawMessage // what History holds
	pending bool              // a call of the server waits for its result
}

// Usage is how many tokens a reply took, as the API counts them.
type Usage struct {
	Input      int `json:"input_tokens"` // besides what the cache served or took
	Output     int `json:"output_tokens"`
	CacheRead  int `json:"cache_read_input_tokens"`
	CacheWrite int `json:"cache_creation_input_tokens"`
}

// Finish returns StopReason as [pegboard.Stream.Finish] takes it. A reason that
// this package does not know counts as an error, so that nothing that writes runs
// on it.
func (m *Message) Finish() pegboard.FinishReason {
	switch m.StopReason {
	case "end_turn", "stop_sequence", "pause_turn":
		return pegboard.FinishStop
	case "tool_use":
		return pegboard.FinishToolCalls
	case "max_tokens", "model_context_window_exceeded":
		return pegboard.FinishLength
	case "refusal":
		return pegboard.FinishFilter
	}
	return pegboard.FinishError
}

// History returns the message as it is sent back in the next request, with the
// role "assistant". Its blocks are those of the reply, unchanged: thinking with
// its signature, calls of server tools, kinds this package does not know.
//
// What the API would refuse is left out: incomplete calls, a second call with the
// same id, blank text, other blocks that are not complete, and thinking that
// nothing follows. Input of a call that is no JSON object is wrapped as
// {"INVALID_JSON": "…"}. If nothing is left, there is no message: then the turn
// has no place in the request.
//
// It is a list, as in every wire: of no more than one message here.
func (m *Message) History() []json.RawMessage {
	if len(m.content) == 0 {
		return nil
	}
	return []json.RawMessage{encodeMessage("assistant", m.content)}
}

func encodeMessage(role string, content []json.RawMessage) json.RawMessage {
	return jsonobject.With("role", jsonobject.Quote(role)).With("content", jsonobject.List(content)).Encode()
}

// keep sets what History holds.
func (m *Message) keep(blocks []*block) {
	var kept []*block
	end := 0 // after the last block that is not thinking
	for _, b := range blocks {
		if b.isText() && b.isBlank() {
			continue
		}
		kept = append(kept, b)
		if !b.isThinking() {
			end = len(kept)
		}
	}
	waiting := map[string]bool{}
	for _, b := range kept[:end] {
		if b.isServerCall() {
			waiting[b.id] = true
		}
		delete(waiting, b.answers)
		m.content = append(m.content, b.encode())
	}
	m.pending = len(waiting) > 0
}
