package security_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// mcpRow is the part of a row of mcp.jsonl that the engine sees.
type mcpRow struct {
	Builtins []string
	Servers  []mcpServer
	Rules    rules
	Mode     policy.Mode
	Events   []mcpEvent
}

// mcpEvent is what happens once the servers are there. One of the first fields says
// what; with Tools a server lists those from then on, otherwise what it did before.
type mcpEvent struct {
	ApproveSession string `json:"approve_session"`
	ListChanged    string `json:"list_changed"`
	Reconnect      string // the server goes away and comes back
	Flood          string `json:"list_changed_flood"` // the server says so again and again
	Count, Times   int    // of a flood; zero means floodTimes
	Tools          *[]mcpTool
}

// floodTimes is how often a server says that its list has changed, if its row does not
// say.
const floodTimes = 1000

// UnmarshalJSON refuses an event that would not happen.
func (e *mcpEvent) UnmarshalJSON(text []byte) error {
	type plain mcpEvent
	return strict(text, (*plain)(e))
}

// mcpServer is a server and what it lists.
type mcpServer struct {
	Name  string
	Tools []mcpTool
}

type mcpTool struct {
	Name, Description string
	InputSchema       json.RawMessage
	Annotations       struct{ ReadOnlyHint, DestructiveHint bool }
	Meta              struct{ RequiresUserInteraction bool } `json:"_meta"`
}

// mcpExpect is the answer to a row.
type mcpExpect struct {
	Decisions       map[string]string // by exposed name or raw server/tool
	VisibleIncludes []string          `json:"visible_includes"`
	VisibleExcludes []string          `json:"visible_excludes"`
	Resolves        map[string]string
	Reported        []string
	OrderInvariant  bool `json:"order_invariant"`
	Property        string
}

// TestMCP offers the tools of each row's servers and looks at what is visible,
// what a call of it would be told, and what the library reports.
func TestMCP(t *testing.T) {
	run(t, "mcp", func(*testing.T, source) func(*testing.T, mcpRow, answer) outcome {
		return func(t *testing.T, r mcpRow, a answer) outcome {
			t.Helper()
			var want mcpExpect
			require.NoError(t, strict(a.Expect, &want))
			m := r.meet(t)
			o := m.judge(t, want)
			if want.OrderInvariant || propertyOf(want.Property).anyOrder {
				n := r.reversed().meet(t)
				other := n.judge(t, want)
				o.wrong, o.detail = append(o.wrong, other.wrong...), o.detail+other.detail
				if first, second := m.visible(), n.visible(); !slices.Equal(first, second) {
					o.wrong = append(o.wrong, fmt.Sprintf("the order decides what is visible: %q, reversed %q", first, second))
				}
			}
			return o
		}
	})
}

// reversed returns the row with its servers, and what they list, the other way
// round.
func (r mcpRow) reversed() mcpRow {
	r.Servers = slices.Clone(r.Servers)
	slices.Reverse(r.Servers)
	for i, s := range r.Servers {
		r.Servers[i].Tools = slices.Clone(s.Tools)
		slices.Reverse(r.Servers[i].Tools)
	}
	return r
}

// meeting is what comes of a row's servers in one registry.
type meeting struct {
	row      mcpRow
	registry *pegboard.Registry
	session  *pegboard.Session
	pool     *pegboard.Pool
	reported map[string]string          // what for, by the word that the corpus has for it
	unnamed  map[pegboard.Origin]string // why, by what was never offered
}

// meet registers what the row offers and goes through its events.
func (r mcpRow) meet(t *testing.T) *meeting {
	t.Helper()
	m := &meeting{row: r, registry: &pegboard.Registry{}, reported: map[string]string{}, unnamed: map[pegboard.Origin]string{}}
	for _, name := range r.Builtins {
		require.NoError(t, m.registry.Add(mcpTool{Name: name}.build()))
	}
	for _, s := range r.Servers {
		m.offer(m.registry.Attach, s)
	}
	m.session = newSession(t, pegboard.SessionConfig{Dir: t.TempDir(), Permissions: permissions(t, r.Mode, r.Rules.set(t, same))})
	for _, e := range r.Events {
		m.happen(t, e)
	}
	m.pool = m.registry.AssemblePool(m.session, pegboard.PoolConfig{})
	for _, x := range m.pool.Excluded() {
		if strings.Contains(x.Reason, "its name belongs to") {
			m.reported["name_conflict"] = x.Reason
		}
	}
	return m
}

// happen lets an event happen.
func (m *meeting) happen(t *testing.T, e mcpEvent) {
	t.Helper()
	switch {
	case e.ApproveSession != "":
		p, err := m.session.Permissions().WithRules(policy.RuleSet{Source: policy.SourceSession, Allow: []string{e.ApproveSession}})
		require.NoError(t, err)
		require.NoError(t, m.session.SetPermissions(p))
	case e.ListChanged != "":
		m.offer(m.registry.Replace, m.listed(t, e.ListChanged, e.Tools))
	case e.Reconnect != "":
		m.registry.Detach(e.Reconnect)
		m.offer(m.registry.Attach, m.listed(t, e.Reconnect, e.Tools))
	case e.Flood != "":
		for range cmp.Or(e.Count, e.Times, floodTimes) {
			m.offer(m.registry.Replace, m.listed(t, e.Flood, e.Tools))
		}
	default:
		require.Fail(t, "an event of an unknown kind")
	}
}

// listed is a server of the row with the tools that it lists now.
func (m *meeting) listed(t *testing.T, name string, tools *[]mcpTool) mcpServer {
	t.Helper()
	at := slices.IndexFunc(m.row.Servers, func(s mcpServer) bool { return s.Name == name })
	switch {
	case tools != nil:
		now := mcpServer{Name: name, Tools: slices.Clone(*tools)}
		for i, tool := range now.Tools {
			if at >= 0 && reflect.DeepEqual(tool, mcpTool{Name: tool.Name}) {
				now.Tools[i] = m.row.Servers[at].tool(tool.Name)
			}
		}
		return now
	case at < 0:
		require.Fail(t, "the row has no such server", name)
	}
	return m.row.Servers[at]
}

// tool returns the tool of that name as the server defined it first: one that an event lists
// by its name alone is the same.
func (s mcpServer) tool(name string) mcpTool {
	if at := slices.IndexFunc(s.Tools, func(t mcpTool) bool { return t.Name == name }); at >= 0 {
		return s.Tools[at]
	}
	return mcpTool{Name: name}
}

// offer hands a server's list to the registry, by a method of it, and keeps what that reports.
func (m *meeting) offer(give func(string, ...pegboard.Tool) (pegboard.AttachReport, error), s mcpServer) {
	tools := make([]pegboard.Tool, len(s.Tools))
	for i, tool := range s.Tools {
		tools[i] = tool.build()
	}
	report, err := give(s.Name, tools...)
	switch {
	case errors.Is(err, pegboard.ErrDuplicate):
		m.reported["name_conflict"] = err.Error()
	case err != nil:
		m.reported["bad_server_name"] = err.Error()
		for _, tool := range s.Tools {
			m.unnamed[pegboard.Origin{Source: s.Name, Tool: tool.Name}] = err.Error()
		}
	}
	for _, other := range report.SourceConflicts {
		m.reported["name_conflict"] = s.Name + " and " + other
	}
	for raw, other := range report.NameConflicts {
		m.reported["name_conflict"] = raw + " and " + other
	}
	for raw, why := range report.Quarantined {
		m.unnamed[pegboard.Origin{Source: s.Name, Tool: raw}] = why.Error()
		if errors.Is(why, pegboard.ErrDuplicate) {
			m.reported["name_conflict"] = why.Error()
		}
	}
}

// build returns the tool as a bridge makes it of what a server says.
func (d mcpTool) build() pegboard.Tool {
	tool, err := pegboard.BuildRaw(json.RawMessage(cmp.Or(string(d.InputSchema), `{"type":"object"}`)), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info:        pegboard.Info{Name: d.Name, RequiresUser: d.Meta.RequiresUserInteraction},
		Description: d.Description,
		Traits:      pegboard.Traits{ReadOnly: d.Annotations.ReadOnlyHint, Destructive: d.Annotations.DestructiveHint},
		Call:        nothing,
	})
	if err != nil {
		return pegboard.InvalidTool(d.Name, err)
	}
	return tool
}

// nothing is what the tools of servers do.
func nothing(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
	return pegboard.TextResult(""), nil
}

// visible returns the names in the pool with the tools they stand for.
func (m *meeting) visible() (names []string) {
	for tool := range m.pool.All() {
		names = append(names, tool.Info().Name+" is "+resolved(tool))
	}
	return names
}

// resolved spells a tool as the corpus does.
func resolved(tool pegboard.Tool) string {
	if o := tool.Info().Origin; o.External() {
		return o.Source + "/" + o.Tool
	}
	return "builtin/" + tool.Info().Name
}

// find returns the tool of an exposed name or a raw server/tool.
func (m *meeting) find(name string) (tool pegboard.Tool, visible bool) {
	if tool, ok := m.pool.Lookup(name); ok {
		return tool, true
	}
	for tool := range m.pool.All() {
		if tool.Info().Origin.External() && resolved(tool) == name {
			return tool, true
		}
	}
	return nil, false
}

// decide returns what a call of the tool is told. A tool that is hidden has no
// answer of its own: nothing runs, as when the answer is ask or deny.
func (m *meeting) decide(t *testing.T, name string) (trace policy.Explanation, hidden bool) {
	t.Helper()
	tool, ok := m.find(name)
	if !ok {
		return policy.Explanation{}, true
	}
	return m.pool.ExplainDecision(t.Context(), call(t, tool.Info().Name, map[string]any{})), false
}

// judge holds the outcome against what the row expects.
func (m *meeting) judge(t *testing.T, want mcpExpect) (o outcome) {
	t.Helper()
	complain := func(format string, args ...any) { o.wrong = append(o.wrong, fmt.Sprintf(format, args...)) }
	for _, name := range slices.Sorted(maps.Keys(want.Decisions)) {
		expect := want.Decisions[name]
		trace, hidden := m.decide(t, name)
		switch got := trace.Decision.Behavior.String(); {
		case hidden && (expect == "allow" || expect == "error" && m.knows(name)):
			complain("%s is hidden, want %s", name, expect)
		case !hidden && got != expect:
			complain("%s: %s, want %s", name, got, expect)
		}
		if !hidden {
			o.detail += trace.String()
		}
	}
	for _, name := range want.VisibleIncludes {
		if _, ok := m.pool.Lookup(name); !ok {
			complain("%s is hidden: %s", name, m.pool.Explain(name))
		}
	}
	for _, name := range want.VisibleExcludes {
		if _, ok := m.pool.Lookup(name); ok {
			complain("%s is visible", name)
		}
	}
	for name, expect := range want.Resolves {
		if tool, ok := m.pool.Lookup(name); !ok || resolved(tool) != expect {
			complain("%s does not stand for %s: %s", name, expect, m.pool.Explain(name))
		}
	}
	for _, what := range want.Reported {
		if m.reported[what] == "" {
			complain("no %s is reported", what)
		}
	}
	if want.Property != "" {
		o.wrong = append(o.wrong, propertyOf(want.Property).check(t, m)...)
	}
	o.detail += fmt.Sprintf("visible: %q\nleft out: %+v\nreported: %q\n", m.visible(), m.pool.Excluded(), m.reported)
	return o
}

// knows reports whether the name is that of a tool that is left out.
func (m *meeting) knows(name string) bool {
	return slices.ContainsFunc(m.pool.Excluded(), func(x pegboard.Exclusion) bool {
		return x.Name == name || x.Origin.Source+"/"+x.Origin.Tool == name
	})
}
