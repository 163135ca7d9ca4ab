package serve

import (
	"crypto/rand"
	"encoding/json"
	"regexp"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
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

// A reply ends an ask.
type reply struct {
	decision policy.Decision
	filled   pegboard.ElicitResult
	nobody   bool // the client cannot be asked, or made no choice
	expired  bool
	err      error // of the attempt to ask
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
type asks struct {
	forms, urls bool
	inline      bool // by a request of the server
}

// asksInline reports whether a request is of an earlier protocol.
func asksInline(req *mcp.CallToolRequest) bool { return req.ProtocolVersion() < modernProtocol }

func asksOf(req *mcp.CallToolRequest) asks {
	c := req.ClientCapabilities()
	if c == nil || c.Elicitation == nil {
		return asks{}
	}
	return asks{forms: c.Elicitation.Form != nil || c.Elicitation.URL == nil, urls: c.Elicitation.URL != nil, inline: asksInline(req)}
}

// ask reports whether a can be put to the client.
func (s asks) ask(a *ask) bool { return a.url == "" && s.forms || a.url != "" && s.urls }

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
		return reply{filled: pegboard.ElicitResult{Action: pegboard.ElicitAccept, Content: content}}, true
	case "decline":
		return reply{filled: pegboard.ElicitResult{Action: pegboard.ElicitDecline}}, true
	case "cancel":
		return reply{filled: pegboard.ElicitResult{Action: pegboard.ElicitCancel}}, true
	}
	return reply{}, false
}
