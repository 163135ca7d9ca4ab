package pegboard_test

import (
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// onWindows is PowerShell where that is offered unasked.
func onWindows() []string {
	if runtime.GOOS == "windows" {
		return []string{"PowerShell"}
	}
	return nil
}

// TestBuiltinNames holds the one list against that of the specification, and MultiEdit and
// apply_patch.
func TestBuiltinNames(t *testing.T) {
	t.Parallel()
	want := []string{
		"Agent", "AskUserQuestion", "Bash", "Config", "CronCreate", "CronDelete", "CronList", "CtxInspect", "Edit", "EnterPlanMode",
		"EnterWorktree", "ExitPlanMode", "ExitWorktree", "Glob", "Grep", "LSP", "ListAgents", "ListMcpResources", "McpAuth", "Monitor", "MultiEdit",
		"NotebookEdit", "PowerShell", "PushNotification", "REPL", "Read", "ReadMcpResource", "RemoteTrigger", "ScheduleWakeup",
		"SendMessage", "SendUserFile", "SendUserMessage", "Skill", "Sleep", "StructuredOutput", "SubscribePR", "TaskCreate", "TaskGet",
		"TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TeamCreate", "TeamDelete", "TerminalCapture", "TodoWrite", "ToolSearch", "VerifyPlanExecution",
		"WebFetch", "WebSearch", "Workflow", "Write", "apply_patch",
	}
	got := pegboard.BuiltinNames()
	require.Equal(t, want, ordered(got))
	got[0] = "changed"
	require.NotContains(t, pegboard.BuiltinNames(), "changed")
}

// TestGates builds the pool of all well-known tools, a tool of the host's own and an
// attached one. A gate must hide its own tools, and no others.
func TestGates(t *testing.T) {
	t.Parallel()
	tasks := []string{"TaskCreate", "TaskGet", "TaskList", "TaskUpdate"}
	ungated := []string{
		"Agent", "AskUserQuestion", "CtxInspect", "EnterPlanMode", "ExitPlanMode", "ListAgents", "McpAuth", "Own", "PushNotification", "RemoteTrigger",
		"SendMessage", "SendUserFile", "SendUserMessage", "Skill", "Sleep", "SubscribePR", "TaskOutput", "TaskStop", "TerminalCapture", "ToolSearch", "VerifyPlanExecution",
		"WebFetch", "WebSearch", "mcp__src__Glob",
	}
	primitives := []string{"Bash", "Edit", "Glob", "Grep", "MultiEdit", "NotebookEdit", "Read", "Write", "apply_patch"}
	repl := []string{"REPL"}
	zero := ordered(ungated, primitives, tasks, repl, onWindows())
	feature := func(f ...pegboard.Feature) pegboard.Gates { return pegboard.Gates{Features: f} }
	tests := []struct {
		name  string
		gates pegboard.Gates
		deny  []string
		want  []string
	}{
		{name: "zero", want: zero},
		{name: "REPL", gates: pegboard.Gates{REPL: true}, want: ordered(ungated, tasks, repl)},
		{name: "REPL, denied", gates: pegboard.Gates{REPL: true}, deny: []string{"REPL"}, want: without(zero, "REPL")},
		{name: "embedded search", gates: pegboard.Gates{EmbeddedSearch: true}, want: without(zero, "Glob", "Grep")},
		{name: "to-do list", gates: pegboard.Gates{TodoList: true}, want: ordered(without(zero, tasks...), []string{"TodoWrite"})},
		{name: "PowerShell", gates: pegboard.Gates{PowerShell: true}, want: ordered(without(zero, "PowerShell"), []string{"PowerShell"})},
		{name: "PowerShell and REPL", gates: pegboard.Gates{PowerShell: true, REPL: true}, want: ordered(ungated, tasks, repl)},
		{name: "resources", gates: pegboard.Gates{Resources: true}, want: ordered(zero, []string{"ListMcpResources", "ReadMcpResource"})},
		{name: "structured output", gates: pegboard.Gates{StructuredOutput: true}, want: ordered(zero, []string{"StructuredOutput"})},
		{name: "lsp", gates: feature(pegboard.FeatureLSP), want: ordered(zero, []string{"LSP"})},
		{name: "worktrees", gates: feature(pegboard.FeatureWorktrees), want: ordered(zero, []string{"EnterWorktree", "ExitWorktree"})},
		{name: "teams", gates: feature(pegboard.FeatureTeams), want: ordered(zero, []string{"TeamCreate", "TeamDelete"})},
		{name: "cron", gates: feature(pegboard.FeatureCron), want: ordered(zero, []string{"CronCreate", "CronDelete", "CronList", "ScheduleWakeup"})},
		{name: "monitor", gates: feature(pegboard.FeatureMonitors), want: ordered(zero, []string{"Monitor"})},
		{name: "config", gates: feature(pegboard.FeatureConfig), want: ordered(zero, []string{"Config"})},
		{name: "workflows", gates: feature(pegboard.FeatureWorkflows), want: ordered(zero, []string{"Workflow"})},
		{name: "two features", gates: feature(pegboard.FeatureLSP, pegboard.FeatureConfig), want: ordered(zero, []string{"Config", "LSP"})},
		{name: "an unknown feature", gates: feature("nothing"), want: zero},
	}
	reg := registryOf(t, append(inerts(pegboard.BuiltinNames()...), inert("Own"))...)
	attach(t, reg, "src", "Glob")
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if tc.gates.Features == nil {
				tc.gates.Features = []pegboard.Feature{} // nil is a case of its own
			}
			pool := reg.AssemblePool(denying(t, tc.deny...), pegboard.PoolConfig{Gates: tc.gates})
			require.Equal(t, tc.want, names(pool))
			for _, x := range pool.Excluded() {
				if !slices.Contains(tc.deny, x.Name) {
					require.Contains(t, x.Reason, "Gates.", x.Name)
				}
			}
			if tc.deny == nil {
				require.Equal(t, without(tc.want, "mcp__src__Glob"), tc.gates.Preset(reg, pool.Session()))
			}
		})
	}
}

// TestTodoWriteStaysWithoutTaskTools is for a host that has no task tools.
func TestTodoWriteStaysWithoutTaskTools(t *testing.T) {
	t.Parallel()
	pool := registryOf(t, inert("TodoWrite")).AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
	require.Equal(t, []string{"TodoWrite"}, names(pool))
}

func TestSimpleMode(t *testing.T) {
	t.Parallel()
	simple := pegboard.Gates{Simple: true}
	all := pegboard.Gates{
		Simple: true, EmbeddedSearch: true, TodoList: true, Resources: true, StructuredOutput: true, Features: everyFeature,
	}
	few := ordered([]string{"Bash", "Edit", "Read"}, onWindows())
	tests := []struct {
		name  string
		gates pegboard.Gates
		role  pegboard.Role
		deny  []string
		want  []string
	}{
		{name: "main", gates: simple, want: few},
		{name: "main, every other gate", gates: all, want: few},
		{name: "main, PowerShell on request", gates: pegboard.Gates{Simple: true, PowerShell: true}, want: []string{"Bash", "Edit", "PowerShell", "Read"}},
		{name: "main, denied", gates: simple, deny: []string{"Edit"}, want: without(few, "Edit")},
		{name: "an agent", gates: simple, role: pegboard.RoleSubAgent, want: few},
		{name: "an agent in the background", gates: simple, role: pegboard.RoleAsyncAgent, want: few},
		// What a coordinator has besides, its own table takes away again.
		{name: "coordinator", gates: simple, role: pegboard.RoleCoordinator, want: []string{"Agent", "SendMessage", "TaskStop"}},
		{name: "coordinator, every other gate", gates: all, role: pegboard.RoleCoordinator, want: []string{"Agent", "SendMessage", "TaskStop"}},
		{name: "coordinator, denied", gates: simple, role: pegboard.RoleCoordinator, deny: []string{"Agent"}, want: []string{"SendMessage", "TaskStop"}},
		{name: "main, REPL", gates: pegboard.Gates{Simple: true, REPL: true}, want: []string{"REPL"}},
		{name: "main, REPL denied", gates: pegboard.Gates{Simple: true, REPL: true}, deny: []string{"REPL"}, want: few},
		{name: "coordinator, REPL", gates: pegboard.Gates{Simple: true, REPL: true}, role: pegboard.RoleCoordinator, want: []string{"SendMessage", "TaskStop"}},
	}
	reg := registryOf(t, append(inerts(pegboard.BuiltinNames()...), inert("Own"))...)
	attach(t, reg, "src", "a", "unsubscribe_pr_activity")
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			cfg := pegboard.SessionConfig{Role: tc.role, Permissions: rules(t, "", pegboard.RuleSet{Deny: tc.deny})}
			s := session(t, cfg)
			require.Equal(t, tc.want, names(reg.AssemblePool(s, pegboard.PoolConfig{Gates: tc.gates})))
			if tc.role == pegboard.RoleMain && tc.deny == nil {
				require.Equal(t, tc.want, tc.gates.Preset(reg, s))
			}
		})
	}
}

// TestSimpleModeBeforeTheRoleTables looks at what simple mode itself leaves a
// coordinator, by a table that takes nothing away.
func TestSimpleModeBeforeTheRoleTables(t *testing.T) {
	t.Parallel()
	tables := pegboard.RoleTables{Coordinator: []string{"*"}}
	tests := []struct {
		name  string
		gates pegboard.Gates
		want  []string
	}{
		{name: "simple", gates: pegboard.Gates{Simple: true}, want: ordered([]string{"Agent", "Bash", "Edit", "Read", "SendMessage", "TaskStop"}, onWindows())},
		{name: "simple and REPL", gates: pegboard.Gates{Simple: true, REPL: true}, want: []string{"REPL", "SendMessage", "TaskStop"}},
	}
	reg := registryOf(t, inerts(pegboard.BuiltinNames()...)...)
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, pegboard.SessionConfig{Role: pegboard.RoleCoordinator})
			require.Equal(t, tc.want, names(reg.AssemblePool(s, pegboard.PoolConfig{Gates: tc.gates, Roles: &tables})))
		})
	}
}

// TestREPLGateOfAgents: the gate hides the primitives where REPL is, and nowhere else.
func TestREPLGateOfAgents(t *testing.T) {
	t.Parallel()
	repl, simple := pegboard.Gates{REPL: true}, pegboard.Gates{REPL: true, Simple: true}
	behind := ordered([]string{"Bash", "Edit", "Glob", "Grep", "MultiEdit", "NotebookEdit", "Read", "Write", "apply_patch"}, onWindows())
	few := ordered([]string{"Bash", "Edit", "Read"}, onWindows())
	withoutREPL := pegboard.DefaultRoleTables()
	withoutREPL.Agents = append(withoutREPL.Agents, "REPL")
	withREPL := pegboard.DefaultRoleTables()
	withREPL.Async = append(withREPL.Async, "REPL")
	tests := []struct {
		name       string
		role       pegboard.Role
		gates      pegboard.Gates
		tables     *pegboard.RoleTables
		deny       []string
		primitives []string // in the pool, with REPL
	}{
		{name: "main", gates: repl, primitives: []string{"REPL"}},
		{name: "sub-agent", role: pegboard.RoleSubAgent, gates: repl, primitives: []string{"REPL"}},
		{name: "sub-agent whose table takes REPL away", role: pegboard.RoleSubAgent, gates: repl, tables: &withoutREPL, primitives: behind},
		{name: "background", role: pegboard.RoleAsyncAgent, gates: repl, primitives: behind},
		{name: "background, one denied", role: pegboard.RoleAsyncAgent, gates: repl, deny: []string{"Read"}, primitives: without(behind, "Read")},
		{name: "background whose table has REPL", role: pegboard.RoleAsyncAgent, gates: repl, tables: &withREPL, primitives: []string{"REPL"}},
		{name: "background whose table has REPL, denied", role: pegboard.RoleAsyncAgent, gates: repl, tables: &withREPL, deny: []string{"REPL"}, primitives: behind},
		{name: "teammate", role: pegboard.RoleTeammate, gates: repl, primitives: behind},
		{name: "coordinator", role: pegboard.RoleCoordinator, gates: repl},
		{name: "main, simple", gates: simple, primitives: []string{"REPL"}},
		{name: "sub-agent, simple", role: pegboard.RoleSubAgent, gates: simple, primitives: []string{"REPL"}},
		{name: "background, simple", role: pegboard.RoleAsyncAgent, gates: simple, primitives: few},
		{name: "coordinator, simple", role: pegboard.RoleCoordinator, gates: simple},
	}
	reg := registryOf(t, inerts(pegboard.BuiltinNames()...)...)
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, pegboard.SessionConfig{Role: tc.role, Permissions: rules(t, "", pegboard.RuleSet{Deny: tc.deny})})
			pool := reg.AssemblePool(s, pegboard.PoolConfig{Gates: tc.gates, Roles: tc.tables})
			got := slices.DeleteFunc(names(pool), func(name string) bool { return name != "REPL" && !slices.Contains(behind, name) })
			require.ElementsMatch(t, tc.primitives, got)
		})
	}
}

func TestGatesKnowAliases(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, inert("Terminal", "Bash"), inert("Find", "Glob"), inert("Watch", "Monitor"), inert("Own", "Mine"))
	tests := []struct {
		name  string
		gates pegboard.Gates
		want  []string
	}{
		{name: "zero", want: []string{"Find", "Own", "Terminal", "Watch"}},
		{name: "no feature", gates: pegboard.Gates{Features: []pegboard.Feature{}}, want: []string{"Find", "Own", "Terminal"}},
		{name: "simple", gates: pegboard.Gates{Simple: true}, want: []string{"Terminal"}},
		{name: "embedded search", gates: pegboard.Gates{EmbeddedSearch: true}, want: []string{"Own", "Terminal", "Watch"}},
		{name: "monitor", gates: pegboard.Gates{Features: []pegboard.Feature{pegboard.FeatureMonitors}}, want: []string{"Find", "Own", "Terminal", "Watch"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tc.want, names(reg.AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{Gates: tc.gates})))
		})
	}
}

func TestToolOfAFeatureHadToNameItTwice(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, inert("LSP"), inert("Monitor"), inert("EnterWorktree"))
	s := session(t, pegboard.SessionConfig{})
	require.Equal(t, []string{"EnterWorktree", "LSP", "Monitor"}, names(reg.AssemblePool(s, pegboard.PoolConfig{})))
	only := pegboard.Gates{Features: []pegboard.Feature{pegboard.FeatureLSP}}
	require.Equal(t, []string{"LSP"}, names(reg.AssemblePool(s, pegboard.PoolConfig{Gates: only})))
}

func TestPresetKnowsTheRegistryAndEnabled(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, inert("Read"), inert("Own"), inert("Terminal", "Bash"), inert("Glob"), switched("Edit", never))
	attach(t, reg, "src", "a")
	s := denying(t, "Read")
	require.Equal(t, []string{"Glob", "Own", "Read", "Terminal"}, pegboard.Gates{}.Preset(reg, s), "rules have no effect")
	require.Equal(t, []string{"Own", "Read", "Terminal"}, pegboard.Gates{EmbeddedSearch: true}.Preset(reg, s))
	require.Equal(t, []string{"Read", "Terminal"}, pegboard.Gates{Simple: true}.Preset(reg, s))
	require.Empty(t, pegboard.Gates{}.Preset(&pegboard.Registry{}, s))
}
