package gemini

import (
	"encoding/json"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// A Message is what the model said in one turn.
type Message struct {
	ID    string // of the response; may be empty
	Model string // the version that answered
	Text  string // of all text parts besides the thinking

	// Calls are the calls to run, in the order of the message. ID, Name and Input
	// are set; Input is what the model wrote, byte for byte, and may be empty.
	Calls []pegboard.Call
	// Incomplete are the calls whose arguments did not all come, because the reply
	// was cut. Input is what came. They must not run, and History does not hold
	// them.
	Incomplete []pegboard.Call

	// StopReason is why the model stopped: "STOP", "MAX_TOKENS", "SAFETY",
	// "MALFORMED_FUNCTION_CALL" and others. It is empty if
	// the reply was cut, or ended with an error.
	StopReason string
	// StopMessage says more of that, for people; it may be empty.
	StopMessage string
	// Blocked means that the API refused the prompt: the model said nothing, and
	// StopReason is what the prompt was refused for.
	Blocked bool
	Usage   Usage

	wire    *Wire
	content []json.RawMessage    // what History holds
	asked   map[string]askedCall // by the id of the call
}

// askedCall is how the API knows a call.
type askedCall struct {
	id   string // empty if it has none
	name string
}

// Usage is how many tokens a reply took, counted as in every wire.
type Usage struct {
	Input     int // besides what the cache served
	Output    int // with Thinking
	Thinking  int
	CacheRead int
	Total     int
}

// counts is how the API counts tokens.
type counts struct {
	PromptTokenCount, CandidatesTokenCount, ThoughtsTokenCount, CachedContentTokenCount, TotalTokenCount int
}

func (c counts) usage() Usage {
	return Usage{
		Input: max(0, c.PromptTokenCount-c.CachedContentTokenCount), Output: c.CandidatesTokenCount + c.ThoughtsTokenCount,
		Thinking: c.ThoughtsTokenCount, CacheRead: c.CachedContentTokenCount, Total: c.TotalTokenCount,
	}
}

// Finish returns StopReason as [pegboard.Stream.Finish] takes it. A reason that this
// package does not know counts as an error, so that nothing that writes runs on it,
// and so does a call that the model got wrong.
func (m *Message) Finish() pegboard.FinishReason {
	if m.Blocked {
		return pegboard.FinishFilter
	}
	switch m.StopReason {
	case "STOP":
		if len(m.Calls) > 0 {
			return pegboard.FinishToolCalls
		}
		return pegboard.FinishStop
	case "MAX_TOKENS":
		return pegboard.FinishLength
	case "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "MODEL_ARMOR",
		"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION":
		return pegboard.FinishFilter
	}
	return pegboard.FinishError
}

// History returns the message as it is sent back in the next request, with the role
// "model". Its parts are those of the reply, unchanged and in their order: thinking,
// signatures, parts that this package does not know. A call whose arguments came in
// pieces is one part, with the object that they came to.
//
// What the API would refuse is left out: incomplete calls, a second call with the
// same id, and empty text without a signature. Arguments that are no JSON object are
// wrapped as {"INVALID_JSON": "…"}. If nothing but thinking is left, there is no
// content: then the turn has no place in the request.
//
// It is a list, as in every wire: of no more than one content here.
func (m *Message) History() []json.RawMessage {
	if len(m.content) == 0 {
		return nil
	}
	return []json.RawMessage{encodeContent("model", m.content)}
}

func encodeContent(role string, parts []json.RawMessage) json.RawMessage {
	return jsonobject.With("role", jsonobject.Quote(role)).With("parts", jsonobject.List(parts)).Encode()
}

// keep sets what History holds.
func (m *Message) keep(parts []*part) {
	var content []json.RawMessage
	says := false
	for _, p := range parts {
		if p.empty {
			continue
		}
		content = append(content, p.encode())
		says = says || !p.thought
	}
	if says {
		m.content = content
	}
}

// ask notes how the API knows a call.
func (m *Message) ask(c *call) {
	if m.asked == nil {
		m.asked = map[string]askedCall{}
	}
	m.asked[c.id] = askedCall{id: c.sentID, name: c.name}
}
