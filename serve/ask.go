package serve

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard"
)

// An ask is a question or a form as the client is shown it.
type ask struct {
	state     string // by which the client comes back; unguessable
	key       string // of the request in the result
	message   string
	schema    json.RawMessage
	url       string
	form      bool                                         // and not a question about a call
	accepts   func(r *mcp.ElicitResult) (_ reply, ok bool) // ok is false if r is no answer
	withdrawn <-chan struct{}
	reply     chan reply // delivers one
}

// A reply is what became of an ask.
type reply struct {
	decision pegboard.Decision
	filled   pegboard.Filled
	nobody   bool // the client cannot be asked, or made no choice
	expired  bool
	err      error // why nobody could be asked
}

func newAsk(key, message string, accepts func(r *mcp.ElicitResult) (reply, bool)) *ask {
	return &ask{state: rand.Text(), key: key, message: message, accepts: accepts, reply: make(chan reply, 1)}
}

// settle ends the ask. It is called once.
func (a *ask) settle(r reply) { a.reply <- r }

// params returns the ask in the form of the protocol.
func (a *ask) params() *mcp.ElicitParams {
	if a.url != "" {
		return &mcp.ElicitParams{Mode: "url", Message: a.message, URL: a.url, ElicitationID: a.state}
	}
	return &mcp.ElicitParams{Mode: "form", Message: a.message, RequestedSchema: a.schema}
}

// asks says how a client can be asked.
type asks struct{ forms, urls bool }

func asksOf(req *mcp.CallToolRequest) asks {
	c := req.ClientCapabilities()
	if c == nil || c.Elicitation == nil {
		return asks{}
	}
	return asks{forms: c.Elicitation.Form != nil || c.Elicitation.URL == nil, urls: c.Elicitation.URL != nil}
}

// ask reports whether a can be put to the client.
func (s asks) ask(a *ask) bool { return a.url == "" && s.forms || a.url != "" && s.urls }

// The answers to a question. A client shows them as they are.
const (
	allowOnce      = "Allow once"
	denyCall       = "Deny"
	allowFromNowOn = "Allow, and from now on: "
)

// Ask puts a question about a call to the client that has made the call: a
// [pegboard.Asker] for the sessions of [Options].Open. The client is asked to allow the call
// once, to deny it, or to allow it and remember one of the question's suggestions for its
// session. Ask abstains, and the call is denied with the reason, if the client cannot be
// asked, makes no choice, or the question is about no call of a client. If the client does
// not come back within [Options].Answer, the error wraps [pegboard.ErrTimeout].
func (s *Server) Ask(ctx context.Context, q *pegboard.Question) (pegboard.Decision, error) {
	c, ok := openCallOf(ctx)
	if !ok || c.peer.server != s {
		return pegboard.Decision{}, nil
	}
	answers := answersTo(q)
	a := newAsk("permission", wordingOf(q), answers.accepts)
	a.schema = answers.schema()
	r, err := c.put(ctx, a)
	switch {
	case err != nil:
		return pegboard.Decision{}, err
	case r.expired:
		return pegboard.Decision{}, fmt.Errorf("%w: the client has not come back with an answer", pegboard.ErrTimeout)
	case r.err != nil:
		s.logError("asking a client", r.err)
	}
	return r.decision, nil
}

// Fill shows a form to the client that has made the call in whose context [pegboard.Session].Fill
// was called: a [pegboard.SessionConfig].Fill for the sessions of [Options].Open. A form that
// the client cannot be shown is declined; one that the client does not answer within
// [Options].Answer is cancelled.
func (s *Server) Fill(ctx context.Context, f *pegboard.Form) (pegboard.Filled, error) {
	c, ok := openCallOf(ctx)
	if !ok || c.peer.server != s {
		return pegboard.Filled{Action: pegboard.FillDecline}, nil
	}
	message := f.Message
	if f.Problem != "" {
		message = fmt.Sprintf("%s\n\nThe values that were given are refused: %s", message, f.Problem)
	}
	a := newAsk(formKey(f.From), message, acceptForm)
	a.form, a.schema, a.url = true, f.Schema, f.URL
	r, err := c.put(ctx, a)
	switch {
	case err != nil:
		return pegboard.Filled{}, err
	case r.expired:
		return pegboard.Filled{Action: pegboard.FillCancel}, nil
	case r.nobody:
		return pegboard.Filled{Action: pegboard.FillDecline}, nil
	}
	return r.filled, nil
}

var identifier = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)

// formKey names the request for a form after who asks, if that is a name.
func formKey(from string) string {
	if identifier.MatchString(from) {
		return from
	}
	return "form"
}

// acceptForm takes any response. The session holds the values against the schema.
func acceptForm(r *mcp.ElicitResult) (reply, bool) {
	switch r.Action {
	case "accept":
		var content json.RawMessage
		if r.Content != nil {
			text, err := json.Marshal(r.Content)
			if err != nil {
				return reply{}, false
			}
			content = text
		}
		return reply{filled: pegboard.Filled{Action: pegboard.FillAccept, Content: content}}, true
	case "decline":
		return reply{filled: pegboard.Filled{Action: pegboard.FillDecline}}, true
	case "cancel":
		return reply{filled: pegboard.Filled{Action: pegboard.FillCancel}}, true
	}
	return reply{}, false
}

// answers are those that a client may give to a question.
type answers struct {
	texts    []string                      // shown to the client
	remember [][]pegboard.PermissionUpdate // of each text
}

func answersTo(q *pegboard.Question) *answers {
	s := &answers{texts: []string{allowOnce, denyCall}, remember: make([][]pegboard.PermissionUpdate, 2)}
	for _, updates := range q.Suggestions(pegboard.SourceSession) {
		words := make([]string, len(updates))
		for i, u := range updates {
			words[i] = u.String()
		}
		if text := allowFromNowOn + strings.Join(words, "; "); !slices.Contains(s.texts, text) {
			s.texts, s.remember = append(s.texts, text), append(s.remember, updates)
		}
	}
	return s
}

// schema returns the form that asks for one of the answers.
func (s *answers) schema() json.RawMessage {
	text, _ := json.Marshal(map[string]any{ // texts have no error
		"type": "object",
		"properties": map[string]any{
			"answer": map[string]any{"type": "string", "title": "Answer", "enum": s.texts},
			"reason": map[string]any{"type": "string", "title": "Reason", "description": "With \"" + denyCall + "\": what the model is told."},
		},
		"required": []string{"answer"},
	})
	return text
}

// accepts takes one of the answers, and nothing else, for consent.
func (s *answers) accepts(r *mcp.ElicitResult) (reply, bool) {
	switch r.Action {
	case "decline":
		return reply{decision: pegboard.Decision{Behavior: pegboard.Deny, Reason: "the user declined"}}, true
	case "cancel":
		return reply{nobody: true}, true
	case "accept":
	default:
		return reply{}, false
	}
	text, _ := r.Content["answer"].(string)
	switch i := slices.Index(s.texts, text); i {
	case -1:
		return reply{}, false
	case 1:
		reason, _ := r.Content["reason"].(string)
		return reply{decision: pegboard.Decision{Behavior: pegboard.Deny, Reason: reason}}, true
	default:
		return reply{decision: pegboard.Decision{Behavior: pegboard.Allow, Remember: s.remember[i]}}, true
	}
}

// wordingOf words a question for a person.
func wordingOf(q *pegboard.Question) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Allow this call?\n%s", q.Call.View().Before)
	if len(q.AgentPath) > 0 {
		fmt.Fprintf(&b, "\nMade by the agent %s.", strings.Join(q.AgentPath, " > "))
	}
	for _, t := range q.Targets {
		fmt.Fprintf(&b, "\n- %s: %v", t.Kind, t)
	}
	if q.Reason != "" {
		fmt.Fprintf(&b, "\nReason: %s", q.Reason)
	}
	return b.String()
}
