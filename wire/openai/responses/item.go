package responses

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire/internal/reply"
)

// An item is one item of a response's output, byte for byte. Its deltas count only as
// long as it is not done.
type item struct {
	raw  json.RawMessage
	head itemHead

	arguments []byte          // the joined deltas
	shown     strings.Builder // the same, for user interfaces: a Builder shares its text without copies
	texts     []text          // of a message, as they began
	thought   bool            // some of its thinking was added to the draft
	summary   int             // index of the last part of the summary that was added
	done      bool
	added     bool // it was added to the draft as a call
}

// A text is a part of a message that is being written.
type text struct {
	at      int    // its content index
	kind    string // output_text or refusal
	written []byte
}

type itemHead struct {
	Type, CallID, Name, Status string
	Arguments                  json.RawMessage
	ByClient                   bool // a search for tools is left to the client
}

func newItem(raw json.RawMessage) (*item, error) {
	i := &item{}
	return i, i.set(raw)
}

// set replaces the item by raw.
func (i *item) set(raw json.RawMessage) error {
	o, ok := jsonobject.ParseUnique(raw)
	if !ok {
		return reply.Malformed("an output item is no object, or has a member twice")
	}
	head := itemHead{Arguments: o.Get("arguments")}
	if head.Type, _ = o.Text("type"); head.Type == "" {
		return reply.Malformed("an output item has no type")
	}
	head.CallID, _ = o.Text("call_id")
	head.Name, _ = o.Text("name")
	head.Status, _ = o.Text("status")
	head.ByClient = byClient(o)
	i.raw, i.head = raw, head
	return nil
}

// isNamed reports whether the item can be answered, if it is a call.
func (i *item) isNamed() bool {
	return !i.isCall() || i.head.CallID != "" && (i.isSearch() || i.head.Name != "")
}

// isCall reports whether the item is a call of a tool of the pool.
func (i *item) isCall() bool { return i.head.Type == "function_call" || i.isSearch() }

// isSearch reports whether the item is a search that is left to the client.
func (i *item) isSearch() bool {
	return i.head.Type == "tool_search_call" && i.head.ByClient
}

func (i *item) isMessage() bool { return i.head.Type == "message" }

func (i *item) isReasoning() bool { return i.head.Type == "reasoning" }

// isSealed reports whether reasoning holds its encrypted content. If not, the API must
// look the content up by the id of the item.
func (i *item) isSealed() bool {
	o, _ := jsonobject.Parse(i.raw) // it was read before
	sealed, _ := o.Text("encrypted_content")
	return sealed != ""
}

// isCut reports whether the tokens ran out within the item.
func (i *item) isCut() bool { return i.head.Status == "incomplete" }

// rawInput returns the arguments of a call as the model wrote them. Those of a function
// are JSON in a string, those of a search are a JSON value. Some gateways send them in
// deltas only.
func (i *item) rawInput() json.RawMessage {
	given := i.head.Arguments
	if text, ok := textOf(given); ok {
		given = json.RawMessage(text)
	}
	if !present(given) {
		given = nil
	}
	if len(i.arguments) > 0 && (!i.done || len(given) == 0) {
		given = i.arguments
	}
	return bytes.Clone(given)
}

// textOf returns the text of a JSON string.
func textOf(raw json.RawMessage) (text string, ok bool) {
	ok = len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) == nil
	return text, ok
}

// write adds text to the part of a message with an index.
func (i *item) write(at int, kind, written string) error {
	const maxParts = 1000
	if at < 0 || at > maxParts {
		return reply.Malformed("a message has no part %d", at)
	}
	n := slices.IndexFunc(i.texts, func(t text) bool { return t.at == at })
	if n < 0 {
		n = len(i.texts)
		i.texts = append(i.texts, text{at: at})
	}
	i.texts[n].kind = kind
	i.texts[n].written = append(i.texts[n].written, written...)
	return nil
}

// A part is a part of a message or of reasoning.
type part struct{ Text, Refusal string }

// parts returns the parts of a message that is done.
func (i *item) parts() []part {
	var message struct{ Content []part }
	_ = json.Unmarshal(i.raw, &message) // a message that cannot be read has no parts
	return message.Content
}

// thinking returns the text of reasoning that is done.
func (i *item) thinking() string {
	var reasoning struct{ Summary, Content []part }
	_ = json.Unmarshal(i.raw, &reasoning)
	var texts []string
	for _, c := range slices.Concat(reasoning.Summary, reasoning.Content) {
		if c.Text != "" {
			texts = append(texts, c.Text)
		}
	}
	return strings.Join(texts, betweenThoughts)
}

// betweenThoughts separates the parts of a summary.
const betweenThoughts = "\n\n"

// encode returns the item as the history holds it, or nil if it has no place there.
func (i *item) encode() json.RawMessage {
	switch {
	case i.done && i.head.Type == "function_call":
		return i.encodeCall()
	case i.done:
		return i.raw
	case i.isMessage():
		return i.encodeCut()
	}
	return nil
}

// encodeCall returns a call with its arguments as a string, as the API wants them. Some
// gateways leave them out or send an object.
func (i *item) encodeCall() json.RawMessage {
	input := string(i.rawInput())
	if given, ok := textOf(i.head.Arguments); ok && given == input {
		return i.raw
	}
	o, _ := jsonobject.Parse(i.raw) // it was read before
	o.Set("arguments", jsonobject.Quote(input))
	return o.Encode()
}

// encodeCut returns a message that was cut, as far as it arrived.
func (i *item) encodeCut() json.RawMessage {
	var parts []json.RawMessage
	slices.SortFunc(i.texts, func(a, b text) int { return cmp.Compare(a.at, b.at) })
	for _, t := range i.texts {
		switch {
		case len(t.written) == 0:
		case t.kind == "refusal":
			parts = append(parts, jsonobject.With("type", jsonobject.Quote("refusal")).With("refusal", jsonobject.Quote(string(t.written))).Encode())
		default:
			parts = append(parts, jsonobject.With("type", jsonobject.Quote("output_text")).
				With("text", jsonobject.Quote(string(t.written))).With("annotations", json.RawMessage("[]")).Encode())
		}
	}
	o, err := jsonobject.Parse(i.raw)
	if err != nil || len(parts) == 0 {
		return nil
	}
	o.Set("content", jsonobject.List(parts))
	o.Set("status", jsonobject.Quote("incomplete"))
	return o.Encode()
}
