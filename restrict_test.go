package pegboard_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// The lists below are written out from the specification and not taken from the
// tables under test. TodoWrite is missing from most, since a host that has the
// task tools offers those in its stead.
var (
	everyTool = []string{
		"Agent", "AskUserQuestion", "Bash", "Config", "CronCreate", "CronDelete", "CronList", "Edit", "EnterPlanMode",
		"EnterWorktree", "ExitPlanMode", "ExitWorktree", "Glob", "Grep", "LSP", "ListMcpResources", "McpAuth", "Monitor",
		"NotebookEdit", "PowerShell", "PushNotification", "REPL", "Read", "ReadMcpResource", "RemoteTrigger",
		"SendMessage", "SendUserFile", "SendUserMessage", "Skill", "Sleep", "StructuredOutput", "TaskCreate", "TaskGet",
		"TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TeamCreate", "TeamDelete", "ToolSearch",
		"WebFetch", "WebSearch", "Workflow", "Write",
	}
	defaultAgent = []string{
		"Bash", "Config", "CronCreate", "CronDelete", "CronList", "Edit", "EnterWorktree", "ExitWorktree", "Glob", "Grep",
		"LSP", "ListMcpResources", "McpAuth", "Monitor", "NotebookEdit", "PowerShell", "PushNotification", "REPL", "Read",
		"ReadMcpResource", "RemoteTrigger", "SendMessage", "SendUserFile", "SendUserMessage", "Skill", "Sleep",
		"StructuredOutput", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "TeamCreate", "TeamDelete", "ToolSearch",
		"WebFetch", "WebSearch", "Write",
	}
	defaultAsync = []string{
		"Bash", "Edit", "EnterWorktree", "ExitWorktree", "Glob", "Grep", "NotebookEdit", "PowerShell", "Read", "Skill",
		"StructuredOutput", "ToolSearch", "WebFetch", "WebSearch", "Write",
	}
	defaultTeammate = []string{
		"Agent", "Bash", "Edit", "EnterWorktree", "ExitWorktree", "Glob", "Grep", "NotebookEdit", "PowerShell", "Read",
		"SendMessage", "Skill", "StructuredOutput", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "ToolSearch",
		"WebFetch", "WebSearch", "Write",
	}
	documentedAgent = []string{
		"Agent", "Bash", "Config", "CronCreate", "CronDelete", "CronList", "Edit", "EnterWorktree", "ExitWorktree", "Glob",
		"Grep", "LSP", "ListMcpResources", "McpAuth", "Monitor", "NotebookEdit", "PowerShell", "PushNotification", "REPL",
		"Read", "ReadMcpResource", "RemoteTrigger", "SendMessage", "SendUserFile", "SendUserMessage", "Skill", "Sleep",
		"StructuredOutput", "TaskCreate", "TaskGet", "TaskList", "TaskStop", "TaskUpdate", "TeamCreate", "TeamDelete",
		"ToolSearch", "WebFetch", "WebSearch", "Write",
	}
	documentedAsync = []string{
		"Agent", "Bash", "Edit", "EnterWorktree", "ExitWorktree", "Glob", "Grep", "Monitor", "NotebookEdit", "PowerShell",
		"Read", "SendMessage", "Skill", "TaskStop", "ToolSearch", "WebFetch", "WebSearch", "Write",
	}
	documentedTeammate = []string{
		"Agent", "Bash", "Edit", "EnterWorktree", "ExitWorktree", "Glob", "Grep", "Monitor", "NotebookEdit", "PowerShell",
		"Read", "SendMessage", "Skill", "TaskCreate", "TaskGet", "TaskList", "TaskStop", "TaskUpdate", "ToolSearch",
		"WebFetch", "WebSearch", "Write",
	}
	directing = []string{"Agent", "SendMessage", "StructuredOutput", "TaskStop"}
	cronTools = []string{"CronCreate", "CronDelete", "CronList"}
	attached  = []string{"mcp__gh__create_issue", "mcp__gh__subscribe_pr_activity", "mcp__gh__unsubscribe_pr_activity"}
	watching  = attached[1:]
)

// hostOfAll returns a registry with every well-known tool and some attached
// ones, and gates that let all of them be.
func hostOfAll(t testing.TB) (*pegboard.Registry, pegboard.Gates) {
	t.Helper()
	reg := registryOf(t, inerts(pegboard.BuiltinNames()...)...)
	attach(t, reg, "gh", "create_issue", "subscribe_pr_activity", "unsubscribe_pr_activity")
	return reg, pegboard.Gates{PowerShell: true, Resources: true, StructuredOutput: true, Features: everyFeature}
}

func TestRoleTables(t *testing.T) {
	t.Parallel()
	def, doc := pegboard.DefaultRoleTables(), pegboard.ClaudeCodeRoleTables()
	own := pegboard.DefaultRoleTables()
	own.CustomAgents = []string{"Agent"}
	own.Agents = without(own.Agents, "Agent")
	tests := []struct {
		name   string
		tables pegboard.RoleTables
		role   pegboard.Role
		custom bool
		mode   pegboard.Mode
		noCron bool
		want   []string
		outer  []string
	}{
		{name: "default/main", tables: def, role: pegboard.RoleMain, want: everyTool, outer: attached},
		{name: "default/sub-agent", tables: def, role: pegboard.RoleSubAgent, want: defaultAgent, outer: attached},
		{name: "default/sub-agent, custom", tables: def, role: pegboard.RoleSubAgent, custom: true, want: defaultAgent, outer: attached},
		{name: "default/sub-agent, plan", tables: def, role: pegboard.RoleSubAgent, mode: pegboard.ModePlan, want: defaultAgent, outer: attached},
		{name: "default/async", tables: def, role: pegboard.RoleAsyncAgent, want: defaultAsync, outer: attached},
		{name: "default/async, custom", tables: def, role: pegboard.RoleAsyncAgent, custom: true, want: defaultAsync, outer: attached},
		{name: "default/teammate", tables: def, role: pegboard.RoleTeammate, want: ordered(defaultTeammate, cronTools), outer: attached},
		{name: "default/teammate, no cron", tables: def, role: pegboard.RoleTeammate, noCron: true, want: defaultTeammate, outer: attached},
		{name: "default/teammate, custom", tables: def, role: pegboard.RoleTeammate, custom: true, want: ordered(defaultTeammate, cronTools), outer: attached},
		{name: "default/coordinator", tables: def, role: pegboard.RoleCoordinator, want: directing, outer: watching},

		{name: "documented/main", tables: doc, role: pegboard.RoleMain, want: everyTool, outer: attached},
		{name: "documented/sub-agent", tables: doc, role: pegboard.RoleSubAgent, want: documentedAgent, outer: attached},
		{name: "documented/sub-agent, custom", tables: doc, role: pegboard.RoleSubAgent, custom: true, want: documentedAgent, outer: attached},
		{name: "documented/sub-agent, plan", tables: doc, role: pegboard.RoleSubAgent, mode: pegboard.ModePlan, want: ordered(documentedAgent, []string{"ExitPlanMode"}), outer: attached},
		{name: "documented/sub-agent, bypass", tables: doc, role: pegboard.RoleSubAgent, mode: pegboard.ModeBypass, want: documentedAgent, outer: attached},
		{name: "documented/async", tables: doc, role: pegboard.RoleAsyncAgent, want: documentedAsync, outer: attached},
		{name: "documented/async, plan", tables: doc, role: pegboard.RoleAsyncAgent, mode: pegboard.ModePlan, want: ordered(documentedAsync, []string{"ExitPlanMode"}), outer: attached},
		{name: "documented/teammate", tables: doc, role: pegboard.RoleTeammate, want: ordered(documentedTeammate, cronTools), outer: attached},
		{name: "documented/teammate, no cron", tables: doc, role: pegboard.RoleTeammate, noCron: true, want: documentedTeammate, outer: attached},
		{name: "documented/coordinator", tables: doc, role: pegboard.RoleCoordinator, want: directing, outer: watching},

		{name: "nested agents/sub-agent", tables: own, role: pegboard.RoleSubAgent, want: ordered(defaultAgent, []string{"Agent"}), outer: attached},
		{name: "nested agents/async keeps its whitelist", tables: own, role: pegboard.RoleAsyncAgent, want: defaultAsync, outer: attached},
		{name: "a table for custom agents", tables: own, role: pegboard.RoleSubAgent, custom: true, want: without(everyTool, "Agent"), outer: attached},
		{name: "zero/main", role: pegboard.RoleMain, want: everyTool, outer: attached},
		{name: "zero/sub-agent", role: pegboard.RoleSubAgent, want: everyTool, outer: attached},
		{name: "zero/async", role: pegboard.RoleAsyncAgent, outer: attached},
		{name: "zero/teammate", role: pegboard.RoleTeammate, outer: attached},
		{name: "zero/coordinator", role: pegboard.RoleCoordinator},
	}
	reg, gates := hostOfAll(t)
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			gates := gates
			if tc.noCron {
				gates.Features = slices.DeleteFunc(slices.Clone(gates.Features), func(f pegboard.Feature) bool { return f == pegboard.FeatureCron })
			}
			s := session(t, pegboard.SessionConfig{
				Role: tc.role, CustomAgent: tc.custom, Permissions: rules(t, tc.mode, pegboard.RuleSet{}),
			})
			pool := reg.AssemblePool(s, pegboard.PoolConfig{Gates: gates, Roles: &tc.tables})
			require.Equal(t, append(append([]string{}, tc.want...), tc.outer...), names(pool))
		})
	}
}

// TestDefaultTablesAreTheDefault leaves the tables unsaid.
func TestDefaultTablesAreTheDefault(t *testing.T) {
	t.Parallel()
	reg, gates := hostOfAll(t)
	s := session(t, pegboard.SessionConfig{Role: pegboard.RoleSubAgent})
	require.Equal(t, slices.Concat(defaultAgent, attached), names(reg.AssemblePool(s, pegboard.PoolConfig{Gates: gates})))
}

// TestAsyncAgentKeepsTheTodoList turns the task tools off.
func TestAsyncAgentKeepsTheTodoList(t *testing.T) {
	t.Parallel()
	reg, gates := hostOfAll(t)
	gates.TodoList = true
	s := session(t, pegboard.SessionConfig{Role: pegboard.RoleAsyncAgent})
	for _, tables := range []pegboard.RoleTables{pegboard.DefaultRoleTables(), pegboard.ClaudeCodeRoleTables()} {
		require.Contains(t, names(reg.AssemblePool(s, pegboard.PoolConfig{Gates: gates, Roles: &tables})), "TodoWrite")
	}
}

// TestTablesKnowToolsByAlias renames a tool that the tables list.
func TestTablesKnowToolsByAlias(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, inert("Delegate", "Agent"), inert("Look", "Read"), inert("Own"))
	tests := []struct {
		role pegboard.Role
		want []string
	}{
		{role: pegboard.RoleSubAgent, want: []string{"Look", "Own"}},
		{role: pegboard.RoleAsyncAgent, want: []string{"Look"}},
		{role: pegboard.RoleTeammate, want: []string{"Delegate", "Look"}},
		{role: pegboard.RoleCoordinator, want: []string{"Delegate"}},
	}
	for _, tc := range tests {
		t.Run(tc.role.String(), func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tc.want, names(reg.AssemblePool(session(t, pegboard.SessionConfig{Role: tc.role}), pegboard.PoolConfig{})))
		})
	}
}

// TestWorkersHaveMoreThanTheirCoordinator forks agents from a coordinator. Their
// pools come from the registry, cut by their own role and by what is denied.
func TestWorkersHaveMoreThanTheirCoordinator(t *testing.T) {
	t.Parallel()
	reg, gates := hostOfAll(t)
	parent := session(t, pegboard.SessionConfig{
		Role: pegboard.RoleCoordinator, Permissions: rules(t, "", pegboard.RuleSet{Deny: []string{"WebFetch"}}),
	})
	require.Equal(t, slices.Concat(directing, watching), names(reg.AssemblePool(parent, pegboard.PoolConfig{Gates: gates})))
	tests := []struct {
		role pegboard.Role
		want []string
	}{
		{role: pegboard.RoleSubAgent, want: defaultAgent},
		{role: pegboard.RoleAsyncAgent, want: defaultAsync},
		{role: pegboard.RoleTeammate, want: ordered(defaultTeammate, cronTools)},
	}
	for _, tc := range tests {
		t.Run(tc.role.String(), func(t *testing.T) {
			t.Parallel()
			worker, err := parent.Fork(pegboard.SessionConfig{
				Role: tc.role, Permissions: rules(t, "", pegboard.RuleSet{Deny: []string{"Write"}}),
			})
			require.NoError(t, err)
			require.Equal(t, slices.Concat(without(tc.want, "WebFetch", "Write"), attached), names(reg.AssemblePool(worker, pegboard.PoolConfig{Gates: gates})))
		})
	}
}

func TestRestriction(t *testing.T) {
	t.Parallel()
	all := []string{"Bash", "Edit", "Read", "mcp__gh__list", "mcp__gh__read", "mcp__web__read"}
	type restriction = pegboard.Restriction
	tests := []struct {
		name string
		re   restriction
		want []string
	}{
		{name: "zero", want: all},
		{name: "only", re: restriction{Only: []string{"Read", "Nothing"}}, want: []string{"Read"}},
		{name: "only, by alias", re: restriction{Only: []string{"View"}}, want: []string{"Read"}},
		{name: "only nothing", re: restriction{Only: []string{}}, want: []string{}},
		{name: "only, star", re: restriction{Only: []string{"mcp__*__read"}}, want: []string{"mcp__gh__read", "mcp__web__read"}},
		{name: "only, star for all", re: restriction{Only: []string{"*"}}, want: all},
		{name: "only, star for an alias", re: restriction{Only: []string{"Vie*"}}, want: []string{}},
		{name: "without", re: restriction{Without: []string{"Bash", "Nothing"}}, want: without(all, "Bash")},
		{name: "without, by alias", re: restriction{Without: []string{"View"}}, want: without(all, "Read")},
		{name: "without, star", re: restriction{Without: []string{"mcp__gh__*"}}, want: without(all, "mcp__gh__list", "mcp__gh__read")},
		{name: "without beats only", re: restriction{Only: []string{"Read", "Edit"}, Without: []string{"Read"}}, want: []string{"Edit"}},
		{name: "keep beats both", re: restriction{Only: []string{}, Without: []string{"Read", "Bash"}, Always: []string{"View"}}, want: []string{"Read"}},
		{name: "attached tools left alone", re: restriction{Only: []string{"Read"}, Without: []string{"mcp__*"}, SkipExternal: true}, want: without(all, "Bash", "Edit")},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.re.Reason = "said so"
			reg := registryOf(t, inert("Bash"), inert("Edit"), inert("Read", "View"))
			attach(t, reg, "gh", "list", "read")
			attach(t, reg, "web", "read")
			s := session(t, pegboard.SessionConfig{})
			pool := reg.AssemblePool(s, pegboard.PoolConfig{}).Restrict(tc.re)
			require.Equal(t, tc.want, names(pool))
			require.Equal(t, names(pool), names(reg.AssemblePool(s, pegboard.PoolConfig{Restrictions: []pegboard.Restriction{tc.re}})), "as an option")
			require.Len(t, pool.Excluded(), len(all)-pool.Len())
			for _, x := range pool.Excluded() {
				require.Equal(t, "said so", x.Reason)
				_, ok := pool.Lookup(x.Name)
				require.False(t, ok)
			}
			_, ok := pool.Lookup("View")
			require.Equal(t, slices.Contains(tc.want, "Read"), ok, "an alias goes with its tool")
			require.Equal(t, slices.DeleteFunc(slices.Clone(tc.want), func(n string) bool { return n > "mcp__" }), declared(pool, pegboard.Builtin))
		})
	}
}

// TestRestrictionsAddUp takes one after the other; the first that removes a tool
// is the one that is named.
func TestRestrictionsAddUp(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, inerts("Bash", "Edit", "Read", "TaskStop")...)
	s := session(t, pegboard.SessionConfig{Role: pegboard.RoleSubAgent})
	pool := reg.AssemblePool(s,
		pegboard.PoolConfig{Restrictions: []pegboard.Restriction{{Reason: "first", Without: []string{"Bash", "TaskStop"}}, {Reason: "second", Without: []string{"Bash", "Edit"}}, {Without: []string{"Read"}}}})
	require.Zero(t, pool.Len())
	require.Contains(t, pool.Explain("TaskStop"), "sub-agent", "the role comes before the host")
	require.Contains(t, pool.Explain("Bash"), "first")
	require.Contains(t, pool.Explain("Edit"), "second")
	require.Regexp(t, `: \w+`, pool.Explain("Read"), "a reason although none was given")
}
