package pegboard

import (
	"slices"
)

// RoleTables say which tools the agents of each role may have. They are data: change the
// result of [DefaultRoleTables] or [ClaudeCodeRoleTables] as needed, and set it in
// [PoolConfig]. The zero RoleTables remove no tool from the main agent and sub-agents,
// every built-in tool from background agents, and every tool from a coordinator.
type RoleTables struct {
	// Agents are the tools that only the main agent may have.
	Agents []string
	// CustomAgents replaces Agents for the user's own agent types.
	CustomAgents []string
	// KeepInPlan are kept for an agent in plan mode, even if Agents lists them.
	KeepInPlan []string
	// Async are the only built-in tools of a background agent.
	Async []string
	// Teammate are the further tools of a teammate, even if Agents lists them. (The cron
	// tools among them exist only if the feature is on, see [Gates].)
	Teammate []string
	// Coordinator are the only tools of a coordinator, attached tools included.
	Coordinator []string
}

// DefaultRoleTables returns the tables of this library. To let agents start agents of
// their own, delete Agent from the table Agents.
func DefaultRoleTables() RoleTables {
	agents := []string{
		"TaskOutput", "ExitPlanMode", "EnterPlanMode", "AskUserQuestion", "TaskStop", "Agent", "Workflow",
	}
	return RoleTables{
		Agents:       agents,
		CustomAgents: slices.Clone(agents),
		Async: []string{
			"Read", "WebSearch", "TodoWrite", "Grep", "WebFetch", "Glob", "Bash", "PowerShell", "Edit", "Write",
			"MultiEdit", "apply_patch", "NotebookEdit", "Skill", "StructuredOutput", "ToolSearch", "EnterWorktree", "ExitWorktree",
		},
		Teammate: []string{
			"TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "SendMessage", "Agent", "CronCreate", "CronDelete", "CronList",
		},
		Coordinator: []string{"Agent", "TaskStop", "SendMessage", "StructuredOutput", "mcp__*subscribe_pr_activity"},
	}
}

// ClaudeCodeRoleTables returns the tables that Claude Code documents: agents may start
// agents, and an agent in plan mode keeps ExitPlanMode. Coordinators are not documented;
// their table is the default one.
func ClaudeCodeRoleTables() RoleTables {
	agents := []string{
		"AskUserQuestion", "EndConversation", "EnterPlanMode", "ExitPlanMode", "ScheduleWakeup", "TaskOutput",
		"WaitForMcpServers", "Workflow",
	}
	return RoleTables{
		Agents:       agents,
		CustomAgents: slices.Clone(agents),
		KeepInPlan:   []string{"ExitPlanMode"},
		Async: []string{
			"Read", "Grep", "Glob", "Bash", "PowerShell", "Edit", "Write", "NotebookEdit", "WebFetch", "WebSearch",
			"TodoWrite", "Skill", "ToolSearch", "EnterWorktree", "ExitWorktree", "Monitor", "TaskStop", "SendMessage",
			"Artifact", "Agent",
		},
		Teammate:    []string{"TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "CronCreate", "CronDelete", "CronList"},
		Coordinator: DefaultRoleTables().Coordinator,
	}
}

// restrictions returns the restrictions of the tables for one session.
func (t RoleTables) restrictions(s *Session) []Restriction {
	if s.cfg.Role == RoleMain {
		return nil
	}
	role := s.cfg.Role.String()
	if s.cfg.Role == RoleCoordinator {
		return []Restriction{{Reason: "a coordinator only directs others", Only: nonNil(t.Coordinator)}}
	}
	var keep []string
	if s.Permissions().Mode() == ModePlan {
		keep = slices.Clone(t.KeepInPlan)
	}
	if s.cfg.Role == RoleTeammate {
		keep = append(keep, t.Teammate...)
	}
	without := t.Agents
	if s.cfg.CustomAgent {
		without = t.CustomAgents
	}
	rs := []Restriction{{Reason: "not for agents (" + role + ")", Without: without, Always: keep, SkipExternal: true}}
	if s.cfg.Role.background() {
		rs = append(rs, Restriction{
			Reason: "not for agents in the background (" + role + ")", Only: nonNil(t.Async), Always: keep, SkipExternal: true,
		})
	}
	return rs
}

// nonNil makes a nil table allow nothing, as Restriction.Only of nil allows everything.
func nonNil(names []string) []string {
	if names == nil {
		return []string{}
	}
	return names
}

// A Role is the kind of agent that tools run for.
type Role int

// The roles.
const (
	RoleMain        Role = iota // the conversation with the user
	RoleSubAgent                // an agent that its caller waits for
	RoleAsyncAgent              // an agent in the background
	RoleTeammate                // an async agent that exchanges messages with others
	RoleCoordinator             // a main agent that only directs other agents
)

// String returns the role as it appears in messages.
func (r Role) String() string {
	return nameOf(int(r), "main", "sub-agent", "async agent", "teammate", "coordinator")
}

// background reports whether agents of this role run in the background.
func (r Role) background() bool { return r == RoleAsyncAgent || r == RoleTeammate }
