package responses

import (
	"encoding/json"
	"slices"

	"github.com/seed49eaa51d/pegboard"
)

// A Message is what the model said in one turn: the output of one response.
type Message struct {
	ID      string
	Model   string
	Text    string // of all messages in the output, with the refusal if there is one
	Refusal string // why the model does not answer

	// Calls are the calls to run, in the order of the output: those of functions,
	// and searches for tools that are left to the client. ID, Name and Input are
	// set. Input is what the model wrote, byte for byte, and may be empty or no
	// JSON at all; only from strict calls the nulls are taken out that stand for
	// optional properties left away.
	Calls []pegboard.Call
	// Incomplete are the calls that were begun and not finished, because the
	// reply was cut or the model ran out of tokens. Input is what came. They
	// must not run, and History does not hold them.
	Incomplete []pegboard.Call

	// StopReason is the status of the response, or the reason for which it is
	// incomplete: "completed", "max_output_tokens", "content_filter", "failed"
	// and others. It is empty if the reply was cut.
	StopReason string
	Usage      Usage

	wire     *Wire
	items    []json.RawMessage // what History holds
	searches map[string]bool   // the ids of Calls that search for tools
}

// Usage is how many tokens a reply took, as the API counts them.
type Usage struct {
	Input      int // besides what the cache served or took
	Output     int // with the reasoning
	CacheRead  int
	CacheWrite int
}

// Finish returns StopReason as [pegboard.Stream.Finish] takes it. A refusal counts
// as filtered. A reason that this package does not know counts as an error, so that
// nothing that writes runs on it.
func (m *Message) Finish() pegboard.FinishReason {
	switch {
	case m.StopReason == "completed" && m.Refusal != "":
		return pegboard.FinishFilter
	case m.StopReason == "completed" && len(m.Calls) > 0:
		return pegboard.FinishToolCalls
	case m.StopReason == "completed":
		return pegboard.FinishStop
	case m.StopReason == "max_output_tokens":
		return pegboard.FinishLength
	case m.StopReason == "content_filter":
		return pegboard.FinishFilter
	}
	return pegboard.FinishError
}

// History returns the items of the response as they are appended to the input of
// the next request: all of them, unchanged and in order. So reasoning stays
// between its neighbours, with its encrypted content if the request asked for
// that, and so do items of kinds this package does not know. Only arguments that a
// gateway sent in deltas alone, or as an object, become the string that the API
// takes.
//
// What the API would refuse is left out: incomplete calls, a second call with the
// same id, an item that came twice, other items that are not done, reasoning that
// nothing follows, and reasoning that was neither stored nor has encrypted content.
// A message that was cut stays as far as it came. If nothing is left, History
// returns nil.
//
// It is for requests that send the whole conversation. One that goes on by
// previous_response_id takes only [Message.Results].
func (m *Message) History() []json.RawMessage { return slices.Clone(m.items) }

// keep sets what History holds.
func (m *Message) keep(items []*item) {
	end := 0 // after the last item that is not reasoning
	seen := map[string]bool{}
	for _, i := range items {
		raw := i.encode()
		if raw == nil || seen[string(raw)] {
			continue
		}
		if p, _ := parsePast(raw); p.identified {
			seen[string(raw)] = true
		}
		m.items = append(m.items, raw)
		if !i.isReasoning() {
			end = len(m.items)
		}
	}
	m.items = slices.Clip(m.items[:end])
	if end == 0 {
		m.items = nil
	}
}

// noteSearch remembers that a call is answered as a search.
func (m *Message) noteSearch(i *item) {
	if !i.isSearch() {
		return
	}
	if m.searches == nil {
		m.searches = map[string]bool{}
	}
	m.searches[i.head.CallID] = true
}
