package temporal

import (
	"encoding/json"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A Description has the facts about a session that a worker needs to assemble its pool. Two calls of the
// same session have the same Description, unless its permissions or its directory have changed
// between them.
type Description struct {
	Session   string          `json:"session"`              // Session.ID
	Agents    []string        `json:"agents,omitempty"`     // Session.AgentPath
	AgentType string          `json:"agent_type,omitempty"` // Session.AgentType
	Role      string          `json:"role"`                 // Session.Role, as text
	Dir       string          `json:"dir"`                  // Session.Dir
	Cwd       string          `json:"cwd,omitempty"`        // Session.Cwd
	MoreDirs  []string        `json:"more_dirs,omitempty"`  // the other working directories
	Home      string          `json:"home,omitempty"`       // Session.Home
	Mode      policy.Mode     `json:"mode"`
	Rules     []Rule          `json:"rules,omitempty"`
	Extra     json.RawMessage `json:"extra,omitempty"` // of Options.Extra
}

// A Rule is a permission rule of a [Description].
type Rule struct {
	Source   policy.Source   `json:"source"`
	Behavior policy.Behavior `json:"behavior"`
	Rule     string          `json:"rule"` // as it is written in settings
}

// Describe returns the Description of a session as it is now, without Extra.
func Describe(s *pegboard.Session) Description {
	p := s.Permissions()
	d := Description{
		Session: s.ID(), Agents: s.AgentPath(), AgentType: s.AgentType(), Role: s.Role().String(),
		Dir: s.Dir(), Cwd: s.Cwd(), Home: s.Home(), Mode: p.Mode(),
	}
	for _, dir := range s.Dirs() {
		if dir != d.Dir {
			d.MoreDirs = append(d.MoreDirs, dir)
		}
	}
	for r := range p.AllRules() {
		d.Rules = append(d.Rules, Rule{Source: r.Source, Behavior: r.Behavior, Rule: r.String()})
	}
	return d
}

// Config returns the part of a SessionConfig that d describes, for [WorkerOptions].Pool: the
// id, the role, the agent, the directories and the permissions. Its result store, its hooks and
// all else are the worker's. A call was decided on by the host; on the worker, the permissions
// decide the checks that a tool makes while it runs.
//
// An agent's session is a main session here, with its role and the id of the agent.
func (d *Description) Config() (pegboard.SessionConfig, error) {
	sets := map[policy.Source]*policy.RuleSet{}
	var order []policy.Source
	for _, r := range d.Rules {
		set := sets[r.Source]
		if set == nil {
			set = &policy.RuleSet{Source: r.Source}
			sets[r.Source], order = set, append(order, r.Source)
		}
		switch r.Behavior {
		case policy.Allow:
			set.Allow = append(set.Allow, r.Rule)
		case policy.Ask:
			set.Ask = append(set.Ask, r.Rule)
		default:
			set.Deny = append(set.Deny, r.Rule)
		}
	}
	var all []policy.RuleSet
	for _, source := range order {
		all = append(all, *sets[source])
	}
	perms, err := policy.New(d.Mode, all...)
	if err != nil {
		return pegboard.SessionConfig{}, err
	}
	role, err := d.role()
	if err != nil {
		return pegboard.SessionConfig{}, err
	}
	cfg := pegboard.SessionConfig{
		ID: d.Session, AgentType: d.AgentType, Role: role, Dir: d.Dir, Cwd: d.Cwd, MoreDirs: d.MoreDirs, Home: d.Home,
		Permissions: perms,
	}
	if n := len(d.Agents); n > 0 {
		cfg.AgentID = d.Agents[n-1]
	}
	return cfg, nil
}

func (d *Description) role() (pegboard.Role, error) {
	for _, r := range []pegboard.Role{pegboard.RoleMain, pegboard.RoleSubAgent, pegboard.RoleAsyncAgent, pegboard.RoleTeammate, pegboard.RoleCoordinator} {
		if r.String() == d.Role {
			return r, nil
		}
	}
	return 0, fmt.Errorf("%w: the role %q", ErrVersion, d.Role)
}
