package pegboard

import (
	"runtime"
	"slices"
)

// Gates say which of the well-known built-in tools exist now. A host registers all its
// tools, and a gate hides some by name or alias. Except in simple mode, a tool with another name is
// never hidden. The zero value is the ordinary environment of this system.
type Gates struct {
	// Simple leaves only a shell, Read and Edit; for a coordinator also the tools that it
	// directs agents with; in REPL mode only REPL.
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
		if g.special(known[i]) != "" || g.hides(known[i], s.cfg.Role, known) != "" {
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

// special returns why a tool is not listed although it is registered, or "".
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

// hides returns why a gate hides a tool, or "". Registered are the names of the built-in
// tools that no rule denies.
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
	if f, ok := featureTools[name]; ok && g.Features != nil && !slices.Contains(g.Features, f) {
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
	if role == RoleCoordinator {
		keep = append(keep, directs...)
	}
	return slices.Contains(keep, name)
}
