package pegboard

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/enum"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A Restriction narrows a pool by name. In its lists a star stands for any run
// of characters. The zero Restriction removes nothing.
type Restriction struct {
	Reason       string   // for [Pool.Explain] of a removed tool
	Only         []string // if not nil, all other tools are removed
	Without      []string // removed, even if in Only
	Always       []string // kept, even if Only or Without would remove them
	SkipExternal bool     // keep all attached tools
}

// removes reports whether r removes a tool.
func (r Restriction) removes(i *Info) bool {
	if r.SkipExternal && i.Origin.External() {
		return false
	}
	if listed(r.Always, i) {
		return false
	}
	return listed(r.Without, i) || (r.Only != nil && !listed(r.Only, i))
}

// keeps reports whether r leaves a tool in the pool, and why it removes the others.
func (r Restriction) keeps(i *Info) (ok bool, reason string) {
	return !r.removes(i), cmp.Or(r.Reason, "a restriction of the host")
}

// listed reports whether a list of names, which may hold stars, names a tool.
func listed(names []string, i *Info) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		return i.Matches(n) || pattern.Name(n, i.Name)
	})
}

// Gates say which of the well-known built-in tools exist now. A host registers all its
// tools, and a gate hides some by name or alias. Except in simple mode, a tool with another name is
// never hidden. The zero value is the ordinary environment of this system.
type Gates struct {
	// Simple leaves of the host's own tools only a shell, Read and Edit; for a coordinator also
	// those that it directs agents with; in REPL mode only REPL. Attached tools stay.
	Simple bool
	// REPL hides the tools that scripts inside REPL call, if REPL itself is in the pool. An
	// agent has them if its role table, see [RoleTables], takes REPL away, and those that its
	// definition lists, see [Pool.Resolve].
	REPL bool
	// EmbeddedSearch hides Glob and Grep: the shell has a fast find and grep.
	EmbeddedSearch bool
	// TodoList offers TodoWrite instead of the four Task tools.
	TodoList bool
	// PowerShell offers PowerShell on systems other than Windows.
	PowerShell bool
	// Resources offers the two tools for MCP resources: a server has some.
	Resources bool
	// StructuredOutput offers that tool: the caller wants a JSON document.
	StructuredOutput bool
	// Features offers the tools of the features named, and hides those of the others. Nil
	// means all features: a host that registers such a tool has named its feature by that.
	Features []Feature
}

// A Feature is a set of tools that a host turns on as a whole.
type Feature string

// The features.
const (
	FeatureLSP       Feature = "lsp"
	FeatureWorktrees Feature = "worktrees"
	FeatureTeams     Feature = "teams"
	FeatureCron      Feature = "cron"
	FeatureMonitors  Feature = "monitor"
	FeatureConfig    Feature = "config"
	FeatureWorkflows Feature = "workflows"
)

// builtinNames are the well-known built-in tools.
var builtinNames = []string{
	"Read", "Write", "Edit", "MultiEdit", "apply_patch", "NotebookEdit", "Glob", "Grep",
	"Bash", "PowerShell", "REPL", "TaskOutput", "TaskStop", "Monitor",
	"WebFetch", "WebSearch",
	"Agent", "SendMessage", "ListAgents", "TeamCreate", "TeamDelete", "Skill", "Workflow",
	"TodoWrite", "TaskCreate", "TaskGet", "TaskUpdate", "TaskList",
	"EnterPlanMode", "ExitPlanMode", "VerifyPlanExecution", "AskUserQuestion", "EnterWorktree", "ExitWorktree", "Config", "CtxInspect",
	"Sleep", "CronCreate", "CronList", "CronDelete", "ScheduleWakeup", "RemoteTrigger",
	"SendUserMessage", "SendUserFile", "PushNotification", "TerminalCapture", "SubscribePR",
	"LSP", "ListMcpResources", "ReadMcpResource", "McpAuth",
	"ToolSearch", "StructuredOutput",
}

var featureTools = map[string]Feature{
	"LSP":           FeatureLSP,
	"EnterWorktree": FeatureWorktrees, "ExitWorktree": FeatureWorktrees,
	"TeamCreate": FeatureTeams, "TeamDelete": FeatureTeams,
	"CronCreate": FeatureCron, "CronList": FeatureCron, "CronDelete": FeatureCron, "ScheduleWakeup": FeatureCron,
	"Monitor":  FeatureMonitors,
	"Config":   FeatureConfig,
	"Workflow": FeatureWorkflows,
}

var (
	taskTools  = []string{"TaskCreate", "TaskGet", "TaskUpdate", "TaskList"}
	primitives = []string{"Read", "Write", "Edit", "MultiEdit", "apply_patch", "NotebookEdit", "Glob", "Grep", "Bash", "PowerShell"}
)

// BuiltinNames returns the names of all well-known built-in tools, registered or not: for
// cache keys.
func BuiltinNames() []string { return slices.Clone(builtinNames) }

// Preset returns the names of the built-in tools of r, in the order of a pool, that the gates
// do not hide from s and that are enabled in it: the names that an agent definition may
// start from. Rules, roles and restrictions have no effect.
func (g Gates) Preset(r *Registry, s *Session) []string {
	s.mustExist("Preset")
	builtins := r.snapshot().builtins
	known := make([]string, len(builtins))
	for i, e := range builtins {
		known[i] = gateName(&e.info)
	}
	var names []string
	for i, e := range builtins {
		_, special := g.special(known[i])
		_, hidden := g.hides(known[i], s.cfg.Role, known)
		if special != "" || hidden != "" {
			continue
		}
		if _, why := e.declare(Scope{Session: s}); why == "" {
			names = append(names, e.info.Name)
		}
	}
	return names
}

// gateName returns the name by which gates know a tool: its own, or that of the well-known
// built-in tool that one of its aliases names.
func gateName(i *Info) string {
	if slices.Contains(builtinNames, i.Name) {
		return i.Name
	}
	for _, a := range i.Aliases {
		if slices.Contains(builtinNames, a) {
			return a
		}
	}
	return i.Name
}

// special returns why a tool is not listed although it is registered, with the gate that says
// so; both are empty for other tools.
func (g Gates) special(name string) (gate, why string) {
	switch name {
	case "ListMcpResources", "ReadMcpResource":
		if !g.Resources {
			return "Resources", "no server offers resources"
		}
	case "StructuredOutput":
		if !g.StructuredOutput {
			return "StructuredOutput", "nobody asked for structured output"
		}
	}
	return "", ""
}

// hides returns the gate that hides a tool, and why; both are empty for other tools. Registered
// are the names of the built-in tools that no rule denies.
func (g Gates) hides(name string, role Role, registered []string) (gate, why string) {
	if g.Simple {
		if g.simple(role, registered, name) {
			return "", ""
		}
		return "Simple", "simple mode"
	}
	has := func(n string) bool { return slices.Contains(registered, n) }
	switch {
	case g.REPL && has("REPL") && slices.Contains(primitives, name):
		return "REPL", "it is called from inside REPL"
	case g.EmbeddedSearch && (name == "Glob" || name == "Grep"):
		return "EmbeddedSearch", "the shell searches"
	case g.TodoList && has("TodoWrite") && slices.Contains(taskTools, name):
		return "TodoList", "TodoWrite is used instead"
	case !g.TodoList && name == "TodoWrite" && slices.ContainsFunc(taskTools, has):
		return "TodoList", "the Task tools are used instead"
	case name == "PowerShell" && !g.hasPowerShell():
		return "PowerShell", "not on this system"
	}
	if f, ok := featureTools[name]; ok && g.Features != nil && !slices.Contains(g.Features, f) {
		return "Features", "the feature " + string(f) + " is off"
	}
	return "", ""
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
	if role == RoleCoordinator {
		keep = append(keep, directs...)
	}
	return slices.Contains(keep, name)
}

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
	if s.Permissions().Mode() == policy.ModePlan {
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
	return enum.Name(r, "main", "sub-agent", "async agent", "teammate", "coordinator")
}

// background reports whether agents of this role run in the background.
func (r Role) background() bool { return r == RoleAsyncAgent || r == RoleTeammate }

// A Resolution is the result of [Pool.Resolve].
type Resolution struct {
	Pool *Pool
	// Unknown are the entries that name no tool of the pool, in the order given. They are
	// not an error, but the author of the definition should see them.
	Unknown []string
}

// resolve implements [Pool.Resolve].
func resolve(p *Pool, tools, disallowed []string) (Resolution, error) {
	if tools == nil && len(disallowed) == 0 {
		return Resolution{Pool: p}, nil // a pool is immutable
	}
	var res Resolution
	wanted := res.parse(p, tools, true)
	banned := res.parse(p, disallowed, false)
	res.Pool = p.filterWith(func(i *Info) (bool, string) {
		switch {
		case matchesAny(banned, i):
			return false, "the agent's disallowedTools list it"
		case tools != nil && !matchesAny(wanted, i) && !p.isOfPool(i.Name):
			return false, "the agent's tools do not list it"
		}
		return true, ""
	}, func(i *Info) bool {
		return slices.ContainsFunc(wanted, func(entry string) bool { return entry != "*" && namesTool(entry, i) })
	})
	left := res.Pool.countTools(wanted)
	if left == 0 && (len(tools) > 0 || (tools == nil && p.countTools(nil) > 0)) {
		return Resolution{}, fmt.Errorf("no tool is left for the agent: tools %q, disallowedTools %q", tools, disallowed)
	}
	return res, nil
}

func matchesAny(entries []string, i *Info) bool {
	return slices.ContainsFunc(entries, func(e string) bool { return namesTool(e, i) })
}

// hasTool reports whether an entry names a tool of p.
func hasTool(p *Pool, entry string) bool {
	return slices.ContainsFunc(p.tools, func(t offered) bool { return namesTool(entry, &t.info) })
}

// namesTool reports whether an entry without parentheses names a tool.
func namesTool(entry string, i *Info) bool {
	if entry == "*" || i.Matches(entry) {
		return true
	}
	if i.server == "" {
		return false
	}
	server, ok := strings.CutSuffix(entry, "__*")
	if !ok {
		server = entry
	}
	return entry == toolname.Prefix+"*" || server == i.server
}

// parse returns the entries that name tools, without agent types, and records those that name
// no tool. Types of the agents that may be started are no matter of the pool.
func (r *Resolution) parse(p *Pool, entries []string, allowed bool) []string {
	var names []string
	for _, text := range entries {
		entry := strings.TrimSpace(text)
		name, list, typed := strings.Cut(entry, "(")
		typed = typed && strings.HasSuffix(list, ")") && (name == "Agent" || name == "Task")
		if typed {
			entry = name
		}
		if !hasTool(p, entry) && (p.behindREPL == nil || !hasTool(p.behindREPL, entry)) {
			r.Unknown = append(r.Unknown, text)
		}
		if allowed || !typed {
			names = append(names, entry)
		}
	}
	return names
}
