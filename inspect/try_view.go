package inspect

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A tryView is a call that is decided and not run.
type tryView struct {
	agentForm
	Tool, Input string
	NoJSON      bool
	Decided     bool
	Decision    string
	Targets     []string
	Trace       string
	NoTrace     string
}

// try shows the form.
func (p *Page) try(r *http.Request) (any, error) {
	form, _, err := p.chosen(r)
	return tryView{agentForm: form, Input: "{}"}, err
}

// serveTry decides a call as the agent's pool would decide it now.
func (p *Page) serveTry(w http.ResponseWriter, r *http.Request) error {
	if err := parseForm(r); err != nil {
		return err
	}
	form, agent, err := p.chosen(r)
	if err != nil {
		return err
	}
	v := tryView{agentForm: form, Tool: r.PostForm.Get("tool"), Input: r.PostForm.Get("input")}
	v.NoJSON = v.Input != "" && !json.Valid([]byte(v.Input))
	pool := p.poolOf(agent)
	var x policy.Explanation
	if within(r.Context(), func(ctx context.Context) {
		x = pool.ExplainDecision(ctx, pegboard.Call{ID: "try", Name: v.Tool, Input: json.RawMessage(v.Input)})
	}) {
		v.Decided = true
		v.add(p.ring.describer, x)
	} else {
		v.NoTrace = "the tool has not answered in time"
	}
	return p.write(w, http.StatusOK, "page", p.view("try", "Try", p.ring.now(), v))
}

// add adds the explanation, without contents the decision and its rule only: a reason may quote
// a file that the tool has looked at.
func (v *tryView) add(d describer, x policy.Explanation) {
	v.Decision, v.Targets = line(d.decision(&x.Decision, nil).String()), d.targets(x.Targets)
	if d.contents {
		v.Trace = block(x.String(), maxBlock)
	}
}
