package tooltest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// A Provider plays the model over HTTP, for loops that send through an SDK or a client of
// their own. It answers in the form of the API whose path is asked, whole or streamed as the
// request says:
//
//   - …/messages: Anthropic Messages
//   - …/chat/completions: OpenAI Chat Completions
//   - …/responses: OpenAI Responses
//   - …:generateContent and …:streamGenerateContent: Gemini
//
// It keeps no state: the turn to answer with follows those of the model in the request, whose
// messages in a row count as one. Any number of conversations may run at once, each from
// the first turn on. Model, key, tools and all other members of a request are ignored.
//
// A call is sent with the name that it has in the script, and gets an ID as in [NewModel]. A
// request that [Model.Reply] would not answer is refused with status 400 and the error as its
// message. The outcomes that a turn's Expect gets are made of the request: each has its Call
// and a Result with the text, IsError where the API says so, and never an Err.
type Provider struct {
	Turns []Turn
}

// ServeHTTP answers a request of one of the four APIs.
func (p Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request providerRequest
	form := formOf(r.URL.Path)
	w.Header().Set("Content-Type", "application/json")
	body, err := io.ReadAll(r.Body)
	switch {
	case form == nil:
		err = fmt.Errorf("no API has the path %s; end it in /messages, /chat/completions, /responses, :generateContent or :streamGenerateContent", r.URL.Path)
	case err == nil:
		err = json.Unmarshal(body, &request)
	}
	var reply providerReply
	if err == nil {
		reply, err = p.answer(request)
	}
	var out []byte
	if err == nil {
		whole, events := form(reply)
		list := strings.HasSuffix(r.URL.Path, geminiStream)
		switch {
		case request.Stream || list && r.URL.Query().Get("alt") == "sse":
			w.Header().Set("Content-Type", "text/event-stream")
			out, err = asEvents(events)
		case list:
			out, err = json.Marshal(events)
		default:
			out, err = json.Marshal(whole)
		}
	}
	if err != nil {
		out, _ = json.Marshal(members{"type": "error", "error": members{"type": "invalid_request_error", "message": err.Error()}})
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
	}
	_, _ = w.Write(out)
}

// A providerRequest is what counts of a request, whichever API it is for.
type providerRequest struct {
	Model              string
	Stream             bool
	Messages, Contents []pastMessage   // Gemini has contents
	Input              json.RawMessage // of Responses: a text or a list
	PreviousResponseID string          `json:"previous_response_id"`
}

// A pastMessage is a message of a request, or a part of one, whichever API it is for.
type pastMessage struct {
	Role, Type       string
	Content          json.RawMessage
	ToolUseID        string          `json:"tool_use_id"` // Anthropic
	IsError          bool            `json:"is_error"`
	ToolCallID       string          `json:"tool_call_id"` // Chat Completions
	CallID           string          `json:"call_id"`      // Responses
	Output           json.RawMessage // Responses
	Parts            []pastMessage   // Gemini, with the next
	FunctionResponse *struct {
		ID, Name string
		Response map[string]json.RawMessage
	}
}

// isModels reports whether the model has said it.
func (m *pastMessage) isModels() bool {
	item := m.Role == "" && m.Type != "" && !strings.HasSuffix(m.Type, "_output") // of Responses
	return m.Role == "assistant" || m.Role == "model" || item
}

// answer returns the turn that answers a request.
func (p Provider) answer(request providerRequest) (reply providerReply, err error) {
	messages, past := slices.Concat(request.Messages, request.Contents), 0
	_ = json.Unmarshal(request.Input, &messages) // a text is what the user says
	if id, ok := strings.CutPrefix(request.PreviousResponseID, responseID); ok {
		past, _ = strconv.Atoi(id)
	}
	m := NewModel(p.Turns...)
	called := func() []pegboard.Call { // in the model's last turn
		if past < 1 || past > len(m.turns) {
			return nil
		}
		return m.turns[past-1].Calls
	}
	var since []pastMessage // of others, since that turn began
	for i, said := range messages {
		isCall := func(c pegboard.Call) bool { return c.ID == said.CallID }
		switch {
		case !said.isModels():
			since = append(since, said)
		case i > 0 && messages[i-1].isModels(), slices.ContainsFunc(called(), isCall): // Responses takes results between calls
		default:
			past++
			since = nil
		}
	}
	if past < 0 || past > len(m.turns) {
		return reply, fmt.Errorf("the model has had %d turns, its script has %d", past, len(m.turns))
	}
	m.next = past
	reply = providerReply{number: past + 1, model: request.Model}
	reply.Turn, err = m.Reply(outcomesIn(since, called()))
	for i, c := range reply.Calls {
		if len(c.Input) == 0 {
			reply.Calls[i].Input = json.RawMessage("{}")
		}
	}
	return reply, err
}

// outcomesIn returns the results in messages that follow calls.
func outcomesIn(messages []pastMessage, calls []pegboard.Call) (outcomes []pegboard.Outcome) {
	open := slices.Clone(calls)
	for _, m := range messages {
		var blocks []pastMessage
		_ = json.Unmarshal(m.Content, &blocks) // a text has no results
		for _, r := range slices.Concat([]pastMessage{m}, blocks, m.Parts) {
			id, name := cmp.Or(r.ToolUseID, r.ToolCallID, r.CallID), ""
			if f := r.FunctionResponse; f != nil {
				id, name = f.ID, f.Name
				if r.Content, r.IsError = f.Response["error"], f.Response["error"] != nil; !r.IsError {
					r.Content = f.Response["output"]
				}
			}
			if id == "" && name == "" {
				continue
			}
			c := pegboard.Call{ID: id, Name: name}
			isCall := func(o pegboard.Call) bool { return o.ID == id || id == "" && o.Name == name } // Gemini's need no ID
			if i := slices.IndexFunc(open, isCall); i >= 0 {
				c = open[i]
				open = slices.Delete(open, i, i+1)
			}
			result := pegboard.TextResult(textIn(r.Content) + textIn(r.Output))
			result.IsError = r.IsError
			outcomes = append(outcomes, pegboard.Outcome{Call: &c, Result: result})
		}
	}
	return outcomes
}

// textIn returns the text of a value that is a text or a list of parts, and other JSON as it is.
func textIn(content json.RawMessage) (text string) {
	var parts []struct{ Text string }
	switch {
	case json.Unmarshal(content, &text) == nil:
	case json.Unmarshal(content, &parts) != nil:
		return string(content)
	}
	for _, p := range parts {
		text += p.Text
	}
	return text
}
