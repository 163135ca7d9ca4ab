package pegboard

import (
	"runtime"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

// A Restriction narrows a pool by name. In its lists a star stands for any run
// of characters. The zero Restriction removes nothing. It is a [PoolOption].
type Restriction struct {
	Reason       string   // what [Pool.Explain] says of the tools it removes
	Only         []string // if not nil, all else is removed
	Without      []string // removed, even if in Only
	Keep         []string // kept whatever Only and Without say
	SkipExternal bool     // leave attached tools alone
}

// removes reports whether r takes a tool out.
func (r Restriction) removes(i Info) bool {
	if r.SkipExternal && i.Origin.External() {
		return false
	}
	if listed(r.Keep, i) {
		return false
	}
	return listed(r.Without, i) || (r.Only != nil && !listed(r.Only, i))
}

func listed(names []string, i Info) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		return i.answersTo(n) || pattern.Name(n, i.Name)
	})
}

// RoleTables say which tools the agents of each role may have. They are data:
// take [DefaultRoleTables] or [DocumentedRoleTables], change what you like, and
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

// DocumentedRoleTables returns the tables that the public documentation of the
// best-known harness describes: agents may start agents, and one in plan mode
// keeps ExitPlanMode. Coordinators are not documented there; the default table
// stands in.
func DocumentedRoleTables() RoleTables {
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
	if s.cfg.Role == Main {
		return nil
	}
	role := s.cfg.Role.String()
	if s.cfg.Role == Coordinator {
		return []Restriction{{Reason: "a coordinator only directs others", Only: nonNil(t.Coordinator)}}
	}
	var keep []string
	if s.Permissions().Mode() == ModePlan {
		keep = slices.Clone(t.KeepInPlan)
	}
	if s.cfg.Role == Teammate {
		keep = append(keep, t.Teammate...)
	}
	without := t.Agents
	if s.cfg.CustomAgent {
		without = t.CustomAgents
	}
	rs := []Restriction{{Reason: "not for agents (" + role + ")", Without: without, Keep: keep, SkipExternal: true}}
	if s.cfg.Role.background() {
		rs = append(rs, Restriction{
			Reason: "not for agents in the background (" + role + ")", Only: nonNil(t.Async), Keep: keep, SkipExternal: true,
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

// Gates say which of the well-known built-in tools exist now. A host registers
// all it has; a gate hides by name. A tool with a name of the host's own is
// never hidden. The zero value is the ordinary environment of this system. It is
// a [PoolOption].
type Gates struct {
	// Simple leaves only a shell, Read and Edit; for a coordinator also what
	// it directs with; in REPL mode only REPL.
	Simple bool
	// REPL hides the tools that scripts inside REPL call in its stead, if
	// REPL itself is in the pool.
	REPL bool
	// EmbeddedSearch hides Glob and Grep: the shell has fast find and grep.
	EmbeddedSearch bool
	// TodoList offers TodoWrite in place of the four Task tools.
	TodoList bool
	// PowerShell offers PowerShell on systems other than Windows.
	PowerShell bool
	// Resources offers the two tools for MCP resources: a server has some.
	Resources bool
	// StructuredOutput offers that tool: the caller wants a JSON document.
	StructuredOutput bool
	// Features offers the tools of the features named.
	Features []Feature
}

// A Feature is a set of tools that a host turns on as a whole.
type Feature string

// The features.
const (
	LSP       Feature = "lsp"
	Worktrees Feature = "worktrees"
	Teams     Feature = "teams"
	Cron      Feature = "cron"
	Monitors  Feature = "monitor"
	Config    Feature = "config"
	Workflows Feature = "workflows"
)

// builtinNames is the one list of the well-known built-in tools.
var builtinNames = []string{
	"Read", "Write", "Edit", "NotebookEdit", "Glob", "Grep",
	"Bash", "PowerShell", "REPL", "TaskOutput", "TaskStop", "Monitor",
	"WebFetch", "WebSearch",
	"Agent", "SendMessage", "TeamCreate", "TeamDelete", "Skill", "Workflow",
	"TodoWrite", "TaskCreate", "TaskGet", "TaskUpdate", "TaskList",
	"EnterPlanMode", "ExitPlanMode", "AskUserQuestion", "EnterWorktree", "ExitWorktree", "Config",
	"Sleep", "CronCreate", "CronList", "CronDelete", "RemoteTrigger",
	"SendUserMessage", "SendUserFile", "PushNotification",
	"LSP", "ListMcpResources", "ReadMcpResource", "McpAuth",
	"ToolSearch", "StructuredOutput",
}

var featureTools = map[string]Feature{
	"LSP":           LSP,
	"EnterWorktree": Worktrees, "ExitWorktree": Worktrees,
	"TeamCreate": Teams, "TeamDelete": Teams,
	"CronCreate": Cron, "CronList": Cron, "CronDelete": Cron,
	"Monitor":  Monitors,
	"Config":   Config,
	"Workflow": Workflows,
}

var (
	taskTools  = []string{"TaskCreate", "TaskGet", "TaskUpdate", "TaskList"}
	primitives = []string{"Read", "Write", "Edit", "NotebookEdit", "Glob", "Grep", "Bash", "PowerShell"}
)

// BuiltinNames returns the names of all well-known built-in tools, whatever is
// enabled: the list for cache keys and presets.
func BuiltinNames() []string { return slices.Clone(builtinNames) }

// Preset returns the names of the well-known built-in tools that the gates let
// exist for a main agent.
func (g Gates) Preset() []string {
	return slices.DeleteFunc(BuiltinNames(), func(name string) bool {
		return g.special(name) != "" || g.hides(name, Main, BuiltinNames()) != ""
	})
}

// special says why a tool is registered but not listed, or "".
func (g Gates) special(name string) string {
	switch name {
	case "ListMcpResources", "ReadMcpResource":
		if !g.Resources {
			return "no server offers resources (Gates.Resources)"
		}
	case "StructuredOutput":
		if !g.StructuredOutput {
			return "nobody asked for structured output (Gates.StructuredOutput)"
		}
	}
	return ""
}

// hides says why a mode hides a tool, or "". registered are the names of all
// built-in tools that survived the deny rules.
func (g Gates) hides(name string, role Role, registered []string) string {
	if g.Simple {
		if g.simple(role, registered, name) {
			return ""
		}
		return "simple mode (Gates.Simple)"
	}
	has := func(n string) bool { return slices.Contains(registered, n) }
	switch {
	case g.REPL && has("REPL") && slices.Contains(primitives, name):
		return "called from inside REPL (Gates.REPL)"
	case g.EmbeddedSearch && (name == "Glob" || name == "Grep"):
		return "the shell searches (Gates.EmbeddedSearch)"
	case g.TodoList && has("TodoWrite") && slices.Contains(taskTools, name):
		return "TodoWrite is used instead (Gates.TodoList)"
	case !g.TodoList && name == "TodoWrite" && slices.ContainsFunc(taskTools, has):
		return "the Task tools are used instead (Gates.TodoList)"
	case name == "PowerShell" && !g.hasPowerShell():
		return "not on this system (Gates.PowerShell)"
	}
	if f, ok := featureTools[name]; ok && !slices.Contains(g.Features, f) {
		return "the feature " + string(f) + " is off (Gates.Features)"
	}
	return ""
}

func (g Gates) hasPowerShell() bool { return g.PowerShell || runtime.GOOS == "windows" }

// simple reports whether simple mode keeps a tool.
func (g Gates) simple(role Role, registered []string, name string) bool {
	keep := []string{"Bash", "Read", "Edit"}
	if g.hasPowerShell() {
		keep = append(keep, "PowerShell")
	}
	directs := []string{"Agent", "TaskStop", "SendMessage"}
	if g.REPL && slices.Contains(registered, "REPL") {
		keep, directs = []string{"REPL"}, directs[1:]
	}
	if role == Coordinator {
		keep = append(keep, directs...)
	}
	return slices.Contains(keep, name)
}
