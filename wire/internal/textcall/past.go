package textcall

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
)

// AddPast adds the results in the words of the user to the entries of a conversation. They
// count only right after a message of the model whose text holds their calls. Tool returns
// the name in the pool of a name in the API, and message the index of the message that an
// entry is of. The messages may be those of any provider.
func AddPast(entries []history.Entry, messages []json.RawMessage, tools Tools, tool func(api string) string, message func(history.Ref) int) []history.Entry {
	found := pastResults(messages, tools, tool)
	if len(found) == 0 {
		return entries
	}
	all := slices.Concat(entries, found)
	at := func(e history.Entry) int {
		if e.At.Said > 0 {
			return e.At.Message
		}
		return message(e.At)
	}
	slices.SortStableFunc(all, func(a, b history.Entry) int { return at(a) - at(b) })
	return all
}

func pastResults(messages []json.RawMessage, tools Tools, tool func(api string) string) (entries []history.Entry) {
	var calls []Call // of the model's last message, that have no result yet
	turn, speaking := 0, false
	for i, raw := range messages {
		m := readWords(raw)
		if m.model && !speaking {
			turn++
		}
		speaking = m.model || m.system && speaking
		switch {
		case m.model && len(m.words) > 0:
			calls = Find(m.text(), tools)
		case m.user:
			for _, w := range m.words {
				for n, r := range resultsIn(w.text) {
					if len(calls) == 0 || calls[0].Name != r.name {
						break
					}
					calls = calls[1:]
					name := tool(r.name)
					entries = append(entries, history.Entry{
						At:    history.Ref{Message: i, Block: w.part, Said: n + 1},
						Names: []string{r.name},
						Past: &history.PastResult{
							CallID: r.id, Repeats: true, Tool: name, Search: name == history.SearchTool, Turn: turn, Failed: r.failed, Texts: []string{r.text},
						},
					})
				}
			}
			calls = nil
		}
	}
	return entries
}

// Replace returns a message with another text in the place of that of a result.
func Replace(message json.RawMessage, at history.Ref, text string) json.RawMessage {
	o, _ := jsonobject.Parse(message) // it was read before
	for _, member := range []string{"content", "parts"} {
		if old, ok := o.Text(member); ok {
			o.Set(member, jsonobject.Quote(withResult(old, at.Said-1, text)))
			return o.Encode()
		}
		var parts []json.RawMessage
		if json.Unmarshal(o.Get(member), &parts) != nil || at.Block >= len(parts) {
			continue
		}
		part, _ := jsonobject.Parse(parts[at.Block])
		old, _ := part.Text("text")
		part.Set("text", jsonobject.Quote(withResult(old, at.Said-1, text)))
		parts[at.Block] = part.Encode()
		o.Set(member, jsonobject.List(parts))
		return o.Encode()
	}
	return message
}

// A pastMessage holds the words of a message of any provider.
type pastMessage struct {
	model, user, system bool
	words               []words
}

// words are a text in a message.
type words struct {
	part int // its place in the content; 0 if that is a text
	text string
}

func (m pastMessage) text() string {
	var b strings.Builder
	for _, w := range m.words {
		b.WriteString(w.text)
	}
	return b.String()
}

func readWords(raw json.RawMessage) (m pastMessage) {
	o, err := jsonobject.Parse(raw)
	if err != nil {
		return m
	}
	role, hasRole := o.Text("role")
	kind, _ := o.Text("type")
	switch {
	case role == "assistant" || role == "model":
		m.model = true
	case role == "user":
		m.user = true
	case hasRole:
		m.system = role == "system" || role == "developer"
		return m
	default: // an item of Responses
		m.model = kind != "" && !strings.HasSuffix(kind, "_output")
		return m
	}
	for _, member := range []string{"content", "parts"} {
		if text, ok := o.Text(member); ok {
			m.words = append(m.words, words{text: text})
		}
		var parts []json.RawMessage
		_ = json.Unmarshal(o.Get(member), &parts) // anything but a list has no parts
		for i, raw := range parts {
			part, _ := jsonobject.Parse(raw) // anything but an object has no text
			kind, _ := part.Text("type")
			text, ok := part.Text("text")
			if ok && string(part.Get("thought")) != "true" && slices.Contains([]string{"", "text", "input_text", "output_text"}, kind) {
				m.words = append(m.words, words{part: i, text: text})
			}
		}
	}
	return m
}
