package agents

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/lock"
	"github.com/seed49eaa51d/pegboard/internal/mailbox"
	"github.com/seed49eaa51d/pegboard/policy"
)

// recordVersion is the version of a record's form.
const recordVersion = 1

// A recordLock is held while the record of an agent is written, so that no older state is written
// over a newer one, also not that of a later run.
type recordLock struct{ mu lock.Mutex }

// A record keeps an agent, beside its conversation, in the file ID.json.
type record struct {
	Version    int               `json:"version"`
	Status     Status            `json:"agent"`
	Parents    []string          `json:"parents,omitempty"` // the ids of the agents above, outermost first
	Definition Definition        `json:"definition"`
	Barred     []string          `json:"barred,omitempty"`
	Mode       policy.Mode       `json:"mode"` // that it has had
	Effort     string            `json:"effort,omitempty"`
	Role       pegboard.Role     `json:"role"`
	Forked     bool              `json:"forked,omitempty"`
	Only       []string          `json:"only,omitempty"` // the tools of the caller of one that is forked
	Team       string            `json:"team,omitempty"`
	Dir        string            `json:"dir,omitempty"`
	Isolation  string            `json:"isolation,omitempty"`
	Prompt     string            `json:"prompt"`
	Schema     json.RawMessage   `json:"schema,omitempty"`
	Trim       json.RawMessage   `json:"trim,omitempty"`   // Session.TrimState
	Loaded     []string          `json:"loaded,omitempty"` // Session.Loaded
	ByUser     bool              `json:"stopped_by_user,omitempty"`
	Plan       string            `json:"open_plan,omitempty"`    // the id of the plan that waits for an answer
	Asked      map[string]string `json:"asked_to_end,omitempty"` // the ids of those that asked it to end, by request
}

// newRecord returns the record of an agent. The caller holds the lock of its roster.
func newRecord(e *entry) record {
	r, dir := &e.request, e.request.Dir
	if len(e.parents) > 0 {
		dir = e.dir // that of its caller, which need not be there to say it
	}
	return record{
		Version: recordVersion, Status: e.status, Parents: e.parents, Definition: e.definition, Barred: e.barred, Mode: e.mode, Effort: e.effort, Role: e.role,
		Forked: e.forked, Only: r.only, Team: r.Team, Dir: dir, Isolation: r.Isolation, Prompt: r.Prompt, Schema: r.Schema, Trim: e.trim, Loaded: e.loaded, ByUser: e.byUser, Plan: e.plan, Asked: maps.Clone(e.asked),
	}
}

// entry returns the agent of a record that another program has written. One that was running then
// is lost.
func (r *record) entry() *entry {
	e := &entry{
		recording:  new(recordLock),
		definition: r.Definition, barred: r.Barred, forked: r.Forked, effort: r.Effort, role: r.Role, mode: r.Mode, parents: r.Parents,
		status: r.Status, dir: r.Dir, trim: r.Trim, loaded: r.Loaded, byUser: r.ByUser, asked: r.Asked, plan: r.Plan,
		request: Request{
			Description: r.Status.Description, Prompt: r.Prompt, Type: r.Status.Type, Name: r.Status.Name, Team: r.Team, Model: r.Status.Model,
			Effort: r.Effort, Mode: r.Mode, Background: true, Dir: r.Dir, Isolation: r.Isolation, Schema: r.Schema,
			only: r.Only,
		},
	}
	if e.plan != "" && e.status.ParentID != "" { // its lead cannot answer: the main agent is the caller now
		e.plan, e.planLost = "", true
	}
	if e.status.State == Running {
		e.status.State, e.status.TaskID = Lost, ""
	}
	return e
}

// check returns an error if a record cannot be that of the agent with this id.
func (r *record) check(id string) error {
	switch {
	case r.Version != recordVersion:
		return fmt.Errorf("its version is %d", r.Version)
	case r.Status.ID != id || !strings.HasPrefix(id, idPrefix) || mailbox.CheckName(id) != nil || r.Status.Type == "" || r.Status.State == "" || r.Prompt == "":
		return fmt.Errorf("it is not that of the agent %s", id)
	}
	if _, err := policy.New(r.Mode); err != nil || r.Mode == "" {
		return fmt.Errorf("its mode is %q", r.Mode)
	}
	if r.Role != pegboard.RoleSubAgent && r.Role != pegboard.RoleAsyncAgent && r.Role != pegboard.RoleTeammate {
		return fmt.Errorf("its role is %v", r.Role)
	}
	return checkName(r.Status.Name)
}
