package hooks

import (
	"encoding/json"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A payload is the JSON that hooks of one event get. It is written once for all of them.
type payload struct{ text []byte }

// newPayload begins the payload of an event with the fields that all events have. Those in
// fields, which may be nil, are left out. Cwd is the directory that the event is about.
func newPayload(r *Runner, s *pegboard.Session, cwd, event string, fields jsonobject.Object) *payload {
	p := &payload{}
	common := func(name, value string) {
		if fields.Get(name) == nil {
			p.addText(name, value)
		}
	}
	id, dir, mode := "", r.options.Project, policy.ModeDefault
	if s != nil {
		id, dir, mode = s.ID(), cwd, s.Permissions().Mode()
	}
	common("session_id", id)
	common("transcript_path", r.transcript(s))
	common("cwd", dir)
	common("permission_mode", documentedMode(mode))
	if s != nil && s.AgentID() != "" {
		common("agent_id", s.AgentID())
	}
	if s != nil && s.AgentType() != "" {
		common("agent_type", s.AgentType())
	}
	p.addText("hook_event_name", event)
	return p
}

// documentedMode returns the mode under a name that hook scripts know.
func documentedMode(m policy.Mode) string {
	switch m {
	case "", policy.ModeAsk:
		return string(policy.ModeDefault)
	case policy.ModeDeny:
		return string(policy.ModeDontAsk)
	}
	return string(m)
}

func (p *payload) addText(name, value string) { p.add(name, jsonobject.Quote(value)) }

// add adds a field, unless there is no value.
func (p *payload) add(name string, value json.RawMessage) {
	if len(value) == 0 {
		return
	}
	before := byte(',')
	if len(p.text) == 0 {
		before = '{'
	}
	p.text = append(append(append(append(p.text, before), jsonobject.Quote(name)...), ':'), value...)
}

// addJSON adds a value as JSON, if it can be encoded.
func (p *payload) addJSON(name string, value any) {
	if text, err := encode(value); err == nil {
		p.add(name, text)
	}
}

// end returns the complete object.
func (p *payload) end() []byte { return append(p.text, '}') }
