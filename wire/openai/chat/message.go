package chat

import (
	"encoding/json"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// A Message is what the model said in one turn.
type Message struct {
	ID      string
	Model   string
	Text    string // the answer, with the refusal if there is one
	Refusal string // why the model does not answer

	// Calls are the calls to run, in the order in which they began. ID, Name and
	// Input are set; Input is what the model wrote, byte for byte, and may be
	// empty or no JSON at all. Only of a strict tool's the nulls are left out that
	// strict mode makes the model write for what it wants to leave out.
	Calls []pegboard.Call
	// Incomplete are the calls that were begun and not finished, because the
	// reply was cut or the model ran out of tokens. Input is what came. They
	// must not run, and History does not hold them.
	Incomplete []pegboard.Call

	// StopReason is why the model stopped: "tool_calls", "stop", "length" and
	// others. It is empty if the reply was cut.
	StopReason string
	Usage      Usage

	wire    *Wire
	history json.RawMessage
}

// Usage is how many tokens a reply took, as far as the service counts them. A
// stream of OpenAI holds them if the request asks for it, with
// {"stream_options":{"include_usage":true}}.
type Usage struct {
	Input      int // besides what the cache served or took
	Output     int // with what the model thought
	CacheRead  int
	CacheWrite int
}

// parseUsage reports whether raw holds counts. They are worth less than the
// message: what cannot be read is passed over.
func parseUsage(raw json.RawMessage) (u Usage, ok bool) {
	var in struct {
		Prompt     *int `json:"prompt_tokens"`
		Completion int  `json:"completion_tokens"`
		Details    struct {
			Cached  int `json:"cached_tokens"`
			Written int `json:"cache_write_tokens"`
		} `json:"prompt_tokens_details"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &in) != nil || in.Prompt == nil {
		return u, false
	}
	u = Usage{Output: in.Completion, CacheRead: in.Details.Cached, CacheWrite: in.Details.Written}
	u.Input = max(0, *in.Prompt-u.CacheRead-u.CacheWrite)
	return u, true
}

// Finish returns StopReason as [pegboard.Stream.Finish] takes it, with the names
// that some services have for it. A message with calls that says "stop", as some
// do, counts as one that calls, and a refusal as filtered. A reason that this
// package does not know counts as an error, so that nothing that writes runs on it.
func (m *Message) Finish() pegboard.FinishReason {
	switch m.StopReason {
	case "stop", "end_turn", "stop_sequence", "eos", "eos_token":
		switch {
		case m.Refusal != "":
			return pegboard.FinishFilter
		case len(m.Calls) > 0:
			return pegboard.FinishToolCalls
		}
		return pegboard.FinishStop
	case "tool_calls", "function_call", "tool_use":
		return pegboard.FinishToolCalls
	case "length", "max_tokens", "model_length":
		return pegboard.FinishLength
	case "content_filter":
		return pegboard.FinishFilter
	}
	return pegboard.FinishError
}

// whole reports whether the model said all it wanted.
func (m *Message) whole() bool {
	f := m.Finish()
	return f == pegboard.FinishStop || f == pegboard.FinishToolCalls
}

// History returns the message as it is sent back in the next request, with the
// role "assistant": its text, its calls with their ids, names and arguments
// unchanged, and what the service adds for its own use. That is the reasoning,
// under the name it came with (some services refuse the next request without it),
// and all that a call has besides, such as a signature.
//
// What services refuse is left out: incomplete calls and a second call with the
// same id. Arguments that are no JSON object are wrapped as {"INVALID_JSON": "…"},
// and empty ones sent as {}: OpenAI takes them as they are, but most services parse
// them again in every request. If nothing is left, there is no message: then the
// turn has no place in the request.
//
// It is a list, as in every wire: of no more than one message here.
func (m *Message) History() []json.RawMessage {
	if m.history == nil {
		return nil
	}
	return []json.RawMessage{m.history}
}

// keep sets what History returns.
func (m *Message) keep(text string, extra grown, calls []json.RawMessage) {
	blank := strings.TrimSpace(text) == ""
	if blank && m.Refusal == "" && len(calls) == 0 {
		return
	}
	o := jsonobject.With("role", jsonobject.Quote("assistant"))
	switch {
	case !blank:
		o.Set("content", jsonobject.Quote(text))
	case m.Refusal == "":
		o.Set("content", json.RawMessage("null"))
	default: // the only form in which a refusal may stand alone
		part := jsonobject.With("type", jsonobject.Quote("refusal")).With("refusal", jsonobject.Quote(m.Refusal))
		o.Set("content", jsonobject.List([]json.RawMessage{part.Encode()}))
	}
	if !blank && m.Refusal != "" {
		o.Set("refusal", jsonobject.Quote(m.Refusal))
	}
	extra.put(&o)
	if len(calls) > 0 {
		o.Set("tool_calls", jsonobject.List(calls))
	}
	m.history = o.Encode()
}
