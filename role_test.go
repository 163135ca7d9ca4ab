package pegboard_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// The lists below are written out from the specification and not taken from the
// tables under test. MultiEdit and apply_patch are this library's own, and stand where Edit
// does but for the tables that Claude Code documents. TodoWrite is missing from most, since a host that has the
// task tools offers those in its stead.
var (
	everyTool = []string{
		"Agent", "AskUserQuestion", "Bash", "Config", "CronCreate", "CronDelete", "CronList", "CtxInspect", "Edit",
		"EnterPlanMode", "EnterWorktree", "ExitPlanMode", "ExitWorktree", "Glob", "Grep", "LSP", "ListAgents", "ListMcpResources",
		"McpAuth", "Monitor", "MultiEdit", "NotebookEdit", "PowerShell", "PushNotification", "REPL", "Read", "ReadMcpResource",
		"RemoteTrigger", "ScheduleWakeup", "SendMessage", "SendUserFile", "SendUserMessage", "Skill", "Sleep", "StructuredOutput",
		"SubscribePR", "TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TeamCreate", "TeamDelete",
		"TerminalCapture", "ToolSearch", "VerifyPlanExecution", "WebFetch", "WebSearch", "Workflow", "Write", "apply_patch",
	}
	defaultAgent = []string{
		"Bash", "Config", "CronCreate", "CronDelete", "CronList", "CtxInspect", "Edit", "EnterWorktree", "ExitWorktree", "Glob",
		"Grep", "LSP", "ListAgents", "ListMcpResources", "McpAuth", "Monitor", "MultiEdit", "NotebookEdit", "PowerShell",
		"PushNotification", "REPL", "Read", "ReadMcpResource", "RemoteTrigger", "ScheduleWakeup", "SendMessage", "SendUserFile",
		"SendUserMessage", "Skill", "Sleep", "StructuredOutput", "SubscribePR", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate",
		"TeamCreate", "TeamDelete", "TerminalCapture", "ToolSearch", "VerifyPlanExecution", "WebFetch", "WebSearch", "Write",
		"apply_patch",
	}
	defaultAsync = []string{
		"Bash", "Edit", "EnterWorktree", "ExitWorktree", "Glob", "Grep", "MultiEdit", "NotebookEdit", "PowerShell", "Read", "Skill",
		"StructuredOutput", "ToolSearch", "WebFetch", "WebSearch", "Write", "apply_patch",
	}
	defaultTeammate = []string{
		"Agent", "Bash", "Edit", "EnterWorktree", "ExitWorktree", "Glob", "Grep", "MultiEdit", "NotebookEdit", "PowerShell", "Read",
		"SendMessage", "Skill", "StructuredOutput", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "ToolSearch",
		"WebFetch", "WebSearch", "Write", "apply_patch",
	}
	documentedAgent = []string{
		"Agent", "Bash", "Config", "CronCreate", "CronDelete", "CronList", "CtxInspect", "Edit", "EnterWorktree", "ExitWorktree",
		"Glob", "Grep", "LSP", "ListAgents", "ListMcpResources", "McpAuth", "Monitor", "MultiEdit", "NotebookEdit", "PowerShell",
		"PushNotification", "REPL", "Read", "ReadMcpResource", "RemoteTrigger", "SendMessage", "SendUserFile", "SendUserMessage",
		"Skill", "Sleep", "StructuredOutput", "SubscribePR", "TaskCreate", "TaskGet", "TaskList", "TaskStop", "TaskUpdate",
		"TeamCreate", "TeamDelete", "TerminalCapture", "ToolSearch", "VerifyPlanExecution", "WebFetch", "WebSearch", "Write",
		"apply_patch",
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

// TestWorkersHaveMoreThanTheirCoordinator forks agents from a coordinator. Their pools
// come from the registry, cut by their own role and by deny rules.
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
