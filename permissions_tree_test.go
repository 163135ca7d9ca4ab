package pegboard_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// An agentTree is a random tree of agents, and the tools that they have in common.
type agentTree struct {
	dice
	registry *pegboard.Registry
	dirs     []string
	agents   []treeAgent // parents before their children
}

// A treeAgent is one agent, with what its definition lists.
type treeAgent struct {
	*pegboard.Session
	parent            int // index; -1 for the main agent
	cfg               pegboard.PoolConfig
	tools, disallowed []string
}

var treeTools = []string{"Agent", "Bash", "Edit", "REPL", "Read", "SendMessage", "T", "TaskStop", "ExitPlanMode"}

func newAgentTree(t *testing.T, seed uint64, dirs []string) *agentTree {
	t.Helper()
	f := &agentTree{dice: dice{rand.New(rand.NewPCG(seed, 22)), dirs}, dirs: dirs}
	var builtins []pegboard.Tool
	for _, name := range treeTools {
		a := f.acting()
		a.name = name
		builtins = append(builtins, a.tool())
	}
	f.registry = registryOf(t, builtins...)
	attached := f.acting()
	attached.name = "T"
	_, err := f.registry.Attach("srv", attached.tool())
	require.NoError(t, err)
	p := f.policy(t).WithAvailable(strictness()...)
	f.agents = []treeAgent{{parent: -1, Session: session(t, pegboard.SessionConfig{Dir: dirs[0], Classifier: undecided, Permissions: p})}}
	return f
}

// acting returns a random actor, which may act on what belongs to the conversation.
func (f *agentTree) acting() actor {
	a := f.actor()
	a.aliases, a.source = nil, ""
	a.traits.Destructive = !a.traits.ReadOnly && f.IntN(4) == 0
	if a.traits.Own = f.IntN(2) == 0; f.IntN(3) == 0 {
		kind := one(f.dice, pegboard.TargetAgent, pegboard.TargetSkill, pegboard.TargetResource)
		a.traits.Targets = []pegboard.Target{{Kind: kind, Access: pegboard.AccessRun, Value: "r"}}
	}
	return a
}

// fork adds an agent of a random definition, if its parent can have it.
func (f *agentTree) fork(t *testing.T) {
	t.Helper()
	at := f.IntN(len(f.agents))
	above := f.agents[at]
	cfg := pegboard.SessionConfig{
		AgentID: fmt.Sprint(len(f.agents)), AgentType: "r", CustomAgent: f.IntN(2) == 0, Dir: one(f.dice, "", f.dirs[0], f.dirs[1]),
		Role:        one(f.dice, pegboard.RoleSubAgent, pegboard.RoleAsyncAgent, pegboard.RoleTeammate),
		Permissions: above.Permissions(),
	}
	if f.IntN(2) == 0 {
		mode, _ := f.mode(laxest)
		if mode.Laxer(above.Permissions().Mode()) {
			mode = ""
		}
		cfg.Permissions = rules(t, mode, pegboard.RuleSet{Ask: f.rules(1), Deny: f.rules(1)})
	}
	child, err := above.Fork(cfg)
	if err != nil { // of a teammate, or outside the parent's directories
		return
	}
	m := treeAgent{Session: child, parent: at}
	m.cfg.Gates = pegboard.Gates{REPL: f.IntN(3) == 0, Simple: f.IntN(4) == 0}
	if f.IntN(2) == 0 {
		tables := pegboard.ClaudeCodeRoleTables()
		m.cfg.Roles = &tables
	}
	for range f.IntN(3) {
		m.tools = append(m.tools, one(f.dice, append(treeTools, "*", "mcp__srv", "Agent(r)")...))
	}
	for range f.IntN(2) {
		m.disallowed = append(m.disallowed, one(f.dice, treeTools...))
	}
	f.agents = append(f.agents, m)
}

// change changes what one agent may do. A change that is refused is none.
func (f *agentTree) change(t *testing.T) {
	t.Helper()
	m := f.agents[f.IntN(len(f.agents))]
	mode, _ := f.mode(laxest)
	lists := pegboard.RuleSet{Source: one(f.dice, pegboard.SourceUser, pegboard.SourceTurn), Ask: f.rules(1), Deny: f.rules(1)}
	if m.parent < 0 {
		lists.Allow = f.rules(3)
	}
	fact := f.factRule(one(f.dice, pegboard.Allow, pegboard.Ask, pegboard.Deny))
	fact.Source = lists.Source
	switch f.IntN(7) {
	case 0:
		m.NewTurn()
	case 1:
		_ = m.SetPermissions(m.Permissions().AfterPlan())
	case 2:
		_ = m.SetPermissions(f.policy(t))
	default:
		_ = m.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) {
			switch f.IntN(4) {
			case 0:
				return p.AfterPlan(), nil
			case 1:
				return p.WithMode(mode)
			case 2:
				return p.WithFactRules(fact)
			}
			return p.WithRules(lists)
		})
	}
}

// everything returns the tools that the permissions leave a session, whatever its role.
func (f *agentTree) everything(m treeAgent) *pegboard.Pool {
	return f.registry.AssemblePool(m.Session, pegboard.PoolConfig{Roles: &pegboard.RoleTables{Async: []string{"*"}}})
}

// compare holds every call that an agent is allowed against its parent's decision, and returns
// how many there were.
func (f *agentTree) compare(t *testing.T, seed uint64) (allowed int) {
	t.Helper()
	for _, m := range f.agents[1:] {
		resolution, err := f.registry.AssemblePool(m.Session, m.cfg).Resolve(m.tools, m.disallowed)
		if err != nil {
			continue
		}
		above := f.everything(f.agents[m.parent])
		for tool := range resolution.Pool.All() {
			c := call("1", tool.Info().Name, `{}`)
			if resolution.Pool.Decide(t.Context(), c).Behavior != pegboard.Allow {
				continue
			}
			allowed++
			d := above.Decide(t.Context(), c)
			require.Equal(t, pegboard.Allow, d.Behavior, "seed %d: %s is allowed in agent %v and not above: %s\nparent %v\nchild %v", seed, c.Name, m.AgentPath(), d.Reason, above.Session().Permissions(), m.Permissions())
		}
	}
	return allowed
}

// TestInvariant4NoAgentOfATreeMayMoreThanItsParent: in random trees of agents, with definitions,
// roles, modes and rules that change, no call that a child is allowed would be refused or asked
// about in its parent.
func TestInvariant4NoAgentOfATreeMayMoreThanItsParent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	require.NoError(t, os.Mkdir(sub, 0o700))
	allowed := 0
	for seed := range effort.Of(t, uint64(300)) {
		f := newAgentTree(t, seed, []string{dir, sub, filepath.Dir(dir)})
		for range 8 {
			f.fork(t)
		}
		allowed += f.compare(t, seed)
		for range 12 {
			f.change(t)
			if f.IntN(4) == 0 {
				f.fork(t)
			}
			allowed += f.compare(t, seed)
		}
	}
	if effort.Full(t) {
		require.Greater(t, allowed, 5000)
	}
}
