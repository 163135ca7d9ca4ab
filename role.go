package pegboard

import (
	"slices"
)

// RoleTables say which tools the agents of each role may have. They are data:
// take [DefaultRoleTables] or [ClaudeCodeRoleTables], change what you like, and
// give them to [Registry.AssemblePool] as an option. The zero RoleTables leave
// the main agent and sub-agents alone, take everything built in from background
// agents, and everything from a coordinator.
type RoleTables struct {
	// Agents are the tools that no agent but the main one may have.
	Agents []string
	// CustomAgents replaces Agents for the user's own agent types.
	CustomAgents []string
	// KeepInPlan are kept for an agent in plan mode although Agents has them.
	KeepInPlan []string
	// Async are the only built-in tools of a background agent.
	Async []string
	// Teammate are the further tools of a teammate. They win over Agents. (The
	// cron tools among them exist only where the feature is on, see [Gates].)
	Teammate []string
	// Coordinator are the only tools of a coordinator, attached ones included.
	Coordinator []string
}

// DefaultRoleTables returns the tables of this library. Whether Agent is among
// the Agents table is for the host to say: delete it there to let agents start
// agents of their own.
func DefaultRoleTables() RoleTables {
	agents := []string{
		"TaskOutput", "ExitPlanMode", "EnterPlanMode", "AskUserQuestion", "TaskStop", "Agent", "Workflow",
	}
	return RoleTables{
		Agents:       agents,
		CustomAgents: slices.Clone(agents),
		Async: []string{
			"Read", "WebSearch", "TodoWrite", "Grep", "WebFetch", "Glob", "Bash", "PowerShell", "Edit", "Write",
			"NotebookEdit", "Skill", "StructuredOutput", "ToolSearch", "EnterWorktree", "ExitWorktree",
		},
		Teammate: []string{
			"TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "SendMessage", "Agent", "CronCreate", "CronDelete", "CronList",
		},
		Coordinator: []string{"Agent", "TaskStop", "SendMessage", "StructuredOutput", "mcp__*subscribe_pr_activity"},
	}
}

// ClaudeCodeRoleTables returns the tables that the public documentation of the
// best-known harness describes: agents may start agents, and one in plan mode
// keeps ExitPlanMode. Coordinators are not documented there; the default table
// stands in.
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

// restrictions are what the tables mean for one session.
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

// nonNil makes an empty table mean "nothing" and not "everything".
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
	RoleSubAgent                // its caller waits for it
	RoleAsyncAgent              // in the background
	RoleTeammate                // an async agent that talks with others
	RoleCoordinator             // a main agent that only directs others
)

// String returns the role as it stands in messages.
func (r Role) String() string {
	return nameOf(int(r), "main", "sub-agent", "async agent", "teammate", "coordinator")
}

// background reports whether nobody waits for an agent of this role.
func (r Role) background() bool { return r == RoleAsyncAgent || r == RoleTeammate }
