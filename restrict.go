package pegboard

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/lane"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
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

// Restrict returns the pool without what r removes.
func (p *Pool) Restrict(r Restriction) *Pool {
	reason := cmp.Or(r.Reason, "a restriction of the host")
	return p.keep(func(i Info) (bool, string) { return !r.removes(i), reason })
}

// behind returns what calls from inside a call of the named tool may use.
func (p *Pool) behind(name string) *Pool {
	if name == "REPL" && p.inside != nil {
		p = p.inside
	}
	return p.Restrict(Restriction{Without: []string{name}, Reason: "a call of it is what makes this one"})
}

// keep returns a pool of the tools that ok accepts; of the others it remembers
// why.
func (p *Pool) keep(ok func(Info) (bool, string)) *Pool {
	q := &Pool{session: p.session, from: p.from, deferral: p.deferral, library: p.library, excluded: slices.Clone(p.excluded), tools: make([]offered, 0, len(p.tools))}
	for i, t := range p.tools {
		keep, reason := ok(t.info)
		if !keep {
			q.excluded = append(q.excluded, t.excluded(reason))
			continue
		}
		if i < p.builtins {
			q.builtins++
		}
		q.tools = append(q.tools, t)
	}
	q.finish()
	if p.inside != nil {
		q.inside = p.inside.keep(ok)
	}
	return q
}

// selected returns the pool without what a hook leaves out.
func (p *Pool) selected(hook func(*Session, []string) []string) *Pool {
	if hook == nil {
		return p
	}
	names := make([]string, len(p.tools))
	for i, t := range p.tools {
		names[i] = t.info.Name
	}
	reason := "a hook did not select it"
	var kept []string
	if err := lane.Try(func() error { kept = hook(p.session, names); return nil }); err != nil {
		kept, reason = nil, "the hook that selects tools failed: "+err.Error()
	}
	q := p.keep(func(i Info) (bool, string) { return slices.Contains(kept, i.Name), reason })
	if p.inside != nil {
		q.inside = p.inside.selected(hook)
	}
	return q
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

// A Resolution is what an agent definition's lists come to.
type Resolution struct {
	Pool *Pool
	// Unknown are the entries that name nothing in the pool, in the order
	// given. They are the author's to see; they are no error.
	Unknown []string
	// AgentTypes are the agent types that Agent(a, b) entries limit the agent
	// to. Nil means no limit.
	AgentTypes []string
	// DisallowedAgentTypes are the agent types of disallowed Agent(a, b)
	// entries, which leave the Agent tool itself.
	DisallowedAgentTypes []string
}

// Resolve narrows p to the tools and disallowedTools lists of an agent
// definition. An entry is a name or alias, "*", "mcp__server", "mcp__server__*",
// "mcp__*", or "Agent(a, b)". A nil tools list means all tools; what disallowed
// names is removed in any case. If nothing is left although something was asked
// for, the error names the entries.
func (p *Pool) Resolve(tools, disallowed []string) (Resolution, error) {
	var res Resolution
	wanted := res.parse(p, tools, true)
	banned := res.parse(p, disallowed, false)
	res.Pool = p.keep(func(i Info) (bool, string) {
		switch {
		case matchesAny(banned, i):
			return false, "the agent's disallowedTools list it"
		case tools != nil && !matchesAny(wanted, i):
			return false, "the agent's tools do not list it"
		}
		return true, ""
	})
	if res.Pool.Len() == 0 && (len(tools) > 0 || (tools == nil && p.Len() > 0)) {
		return Resolution{}, fmt.Errorf("no tool is left for the agent: tools %q, disallowedTools %q", tools, disallowed)
	}
	return res, nil
}

func matchesAny(entries []string, i Info) bool {
	return slices.ContainsFunc(entries, func(e string) bool { return resolves(e, i) })
}

// has reports whether an entry names a tool of p.
func (p *Pool) has(entry string) bool {
	return slices.ContainsFunc(p.tools, func(t offered) bool { return resolves(entry, t.info) })
}

// resolves reports whether an entry without parentheses names a tool.
func resolves(entry string, i Info) bool {
	if entry == "*" || i.answersTo(entry) {
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

// parse returns the entries that name tools. It takes out agent types and notes
// which entries name nothing.
func (r *Resolution) parse(p *Pool, entries []string, allowed bool) []string {
	var names []string
	for _, text := range entries {
		entry := strings.TrimSpace(text)
		name, list, typed := strings.Cut(entry, "(")
		typed = typed && strings.HasSuffix(list, ")") && (name == "Agent" || name == "Task")
		if typed {
			entry = name
		}
		if !p.has(entry) && (p.inside == nil || !p.inside.has(entry)) {
			r.Unknown = append(r.Unknown, text)
		}
		types := &r.AgentTypes
		if !allowed {
			types = &r.DisallowedAgentTypes
		}
		if typed {
			for t := range strings.SplitSeq(strings.TrimSuffix(list, ")"), ",") {
				*types = append(*types, strings.TrimSpace(t))
			}
		}
		if allowed || !typed {
			names = append(names, entry)
		}
	}
	return names
}
