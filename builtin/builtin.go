// Package builtin makes all tools that ship in one call, with the parts that they share:
//
//	set, err := builtin.Tools(builtin.Options{Loop: loop})
//	session, err := set.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: permissions, Ask: ask})
//	defer session.Close(ctx)
//	for { // each request of the main agent
//		pool := set.Pool(ctx, session)
//		news := set.News(pool) // goes to the model with the results
//		// …
//	}
//
// A set belongs to one conversation: its main session and the agents that this one starts. Its
// background tasks, agents, jobs, language servers and MCP servers end with the main session.
//
// A tool that nothing serves is not in the set: see [Options]. [pegboard.Gates] hide others, and
// [Options].Without leaves out families. MultiEdit and apply_patch, which few models know, are
// added by the host, and StructuredOutput belongs to one answer, see [pegboard.PoolConfig].With.
//
// A program that wants a few tools takes them from their packages, and does not pay for the
// others.
package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/settings"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/code"
	"github.com/seed49eaa51d/pegboard/tools/comms"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
	"github.com/seed49eaa51d/pegboard/tools/results"
	"github.com/seed49eaa51d/pegboard/tools/schedule"
	"github.com/seed49eaa51d/pegboard/tools/session"
	"github.com/seed49eaa51d/pegboard/tools/shell"
	"github.com/seed49eaa51d/pegboard/tools/skills"
	"github.com/seed49eaa51d/pegboard/tools/tasks"
	"github.com/seed49eaa51d/pegboard/tools/web"
	"github.com/seed49eaa51d/pegboard/tools/workflow"
)

// A Family is a group of tools that a host can leave out.
type Family string

// The families that need nothing from the host. The others are there if the host brings what
// they need, see [Options].
const (
	Files     Family = "files"     // Read, Write, Edit, NotebookEdit, Glob, Grep; without them ReadResult
	Shell     Family = "shell"     // Bash, PowerShell, Monitor, TaskOutput, TaskStop
	REPL      Family = "repl"      // REPL
	Fetch     Family = "fetch"     // WebFetch
	Code      Family = "code"      // LSP, and the errors that an edit brings
	Tasks     Family = "tasks"     // TodoWrite, or TaskCreate, TaskGet, TaskList, TaskUpdate
	Schedule  Family = "schedule"  // CronCreate, CronList, CronDelete, ScheduleWakeup, Sleep
	Questions Family = "questions" // AskUserQuestion
	Plans     Family = "plans"     // EnterPlanMode, ExitPlanMode, VerifyPlanExecution
	Worktrees Family = "worktrees" // EnterWorktree, ExitWorktree
	Context   Family = "context"   // CtxInspect
)

var families = []Family{Files, Shell, REPL, Fetch, Code, Tasks, Schedule, Questions, Plans, Worktrees, Context}

// Options say what the host brings. The zero value works.
type Options struct {
	// Without are the families that are left out.
	Without []Family

	// Files and Settings are those of the user: [settings.Locate] and [settings.Files.Load].
	// With Settings, the session has the permissions and hooks of the files and saves answers
	// in them, the tools have the limits and variables that the files set, and the skills,
	// agents and MCP servers of the files are there. Nil Settings mean that no file is read.
	Files    settings.Files
	Settings *settings.Loaded
	// Hooks has the funcs for hooks of the files: Prompt, Message, Terminal and OnProblem. Its
	// other fields are taken from Settings.
	Hooks hooks.Options

	// State is the directory in which the conversation keeps its agents, background tasks,
	// task list, jobs and workflows, so that they outlast the program: an absolute path, made
	// if it is missing. Empty keeps them in memory, and outputs in a temporary directory.
	State string

	// Loop is the loop of the host, for agents: without it there are none, and no workflows.
	Loop        agents.Loop
	Definitions []agents.Definition // of agents, before those of files and [agents.ReadyMade]
	Workflows   []workflow.Named
	Skills      []skills.Skill   // beside those of files; with neither there is no Skill tool
	Servers     []mcpjson.Server // MCP servers that start, beside those of files that are on
	MCP         mcp.Options
	Search      web.Backend       // for WebSearch
	Comms       comms.Options     // each of its funcs is for one tool
	Triggers    schedule.Triggers // for RemoteTrigger
	Config      []session.Setting // for Config

	Shell shell.Options
	Fetch web.FetchOptions
	PDF   files.PDF // for Read; nil passes documents on to a model that takes them

	// Pool says how pools are assembled, also those of agents. Nil Gates.Features mean all
	// but [pegboard.FeatureTeams], and with Settings those of its variables. Gates.Resources is
	// set where there are servers.
	Pool pegboard.PoolConfig
}

// A Set is the tools of one conversation and the parts that they share. [Tools] makes it. The
// fields are read-only, and nil where the set has no such tools. Its methods may be called
// concurrently.
type Set struct {
	// Registry has the tools; [Set.NewSession] adds those of MCP servers and ToolSearch. The
	// host adds its own.
	Registry *pegboard.Registry
	// Config is how Set.Pool assembles pools.
	Config pegboard.PoolConfig

	Hooks    *hooks.Runner // of the files: the host fires SessionStart, UserPromptSubmit, Stop and the like
	Agents   *agents.Agents
	Skills   *skills.Skills
	Tasks    *tasks.List
	Schedule *schedule.Schedule // the host waits for its jobs
	Servers  *mcp.Servers       // nil before NewSession

	// Problems are files, and parts of files, that could not be used, to show to the user;
	// Settings has warnings of its own.
	Problems []error

	options Options
	begun   atomic.Bool // a session was made, or tried to
}

// Tools returns the set of o. An unknown family, two settings of one name and the like are
// errors; what cannot be used of a file is in [Set].Problems.
func Tools(o Options) (*Set, error) {
	for _, f := range o.Without {
		if !slices.Contains(families, f) {
			return nil, fmt.Errorf("builtin: there is no family %q; those that can be left out are %q", f, families)
		}
	}
	if o.State != "" && !filepath.IsAbs(o.State) {
		return nil, fmt.Errorf("builtin: the directory for the state, %q, is not absolute", o.State)
	}
	t := &Set{Registry: new(pegboard.Registry), options: o}
	t.useSettings()
	var tools []pegboard.Tool
	for _, add := range []func() ([]pegboard.Tool, error){t.plain, t.kept, t.host, t.skills, t.agents} {
		added, err := add()
		if err != nil {
			return nil, fmt.Errorf("builtin: %w", err)
		}
		tools = append(tools, added...)
	}
	if err := t.Registry.Add(tools...); err != nil {
		return nil, fmt.Errorf("builtin: %w", err)
	}
	return t, nil
}

// has reports whether a family is in the set.
func (t *Set) has(f Family) bool { return !slices.Contains(t.options.Without, f) }

// useSettings fills in the options that the settings files have, and the gates.
func (t *Set) useSettings() {
	o := &t.options
	gates := &o.Pool.Gates
	if l := o.Settings; l != nil {
		v := l.Values
		o.Shell.Timeout, o.Shell.MaxTimeout = cmp.Or(o.Shell.Timeout, v.ShellTimeout), cmp.Or(o.Shell.MaxTimeout, v.ShellMaxTimeout)
		o.Shell.NoBackground, o.Shell.FixedDir = o.Shell.NoBackground || v.ShellNoBackground, o.Shell.FixedDir || v.ShellFixedDir
		o.Shell.MaxShown = cmp.Or(o.Shell.MaxShown, v.ShellShown)
		if o.Shell.Vars == nil {
			o.Shell.Vars = l.Env
		}
		o.MCP.Begin, o.MCP.Call = cmp.Or(o.MCP.Begin, v.MCPBegin), cmp.Or(o.MCP.Call, v.MCPCall)
		o.MCP.Idle, o.MCP.Background = cmp.Or(o.MCP.Idle, v.MCPIdle), cmp.Or(o.MCP.Background, v.MCPBackground)
		gates.Simple, gates.REPL, gates.PowerShell, gates.TodoList = gates.Simple || v.Gates.Simple, gates.REPL || v.Gates.REPL, gates.PowerShell || v.Gates.PowerShell, gates.TodoList || v.Gates.TodoList
		if gates.Features == nil {
			gates.Features = v.Gates.Features
		}
		if d := &o.Pool.Deferral; d.Mode == 0 && d.MaxShare == 0 {
			d.Mode, d.MaxShare = v.Deferral.Mode, v.Deferral.MaxShare
		}
		o.Pool.Restrictions = slices.Concat(o.Pool.Restrictions, l.Restrictions)
		for _, s := range l.Servers {
			if s.Approval == settings.ServerOn {
				s.Env = withEnv(l.Env, s.Env)
				o.Servers = append(slices.Clip(o.Servers), s.Server)
			}
		}
		ho := l.HookOptions()
		ho.Prompt, ho.Message, ho.Terminal, ho.OnProblem = o.Hooks.Prompt, o.Hooks.Message, o.Hooks.Terminal, o.Hooks.OnProblem
		ho.Invoke = t.invoke
		t.Hooks = hooks.New(l.Hooks, ho)
	}
	if gates.Features == nil {
		gates.Features = []pegboard.Feature{
			pegboard.FeatureLSP, pegboard.FeatureWorktrees, pegboard.FeatureCron, pegboard.FeatureMonitors, pegboard.FeatureConfig, pegboard.FeatureWorkflows,
		}
	}
	gates.Resources = gates.Resources || len(o.Servers) > 0
	t.Config = o.Pool
}

// withEnv returns the variables of the settings with those of a server, which win.
func withEnv(all, own map[string]string) map[string]string {
	joined := maps.Clone(all)
	if joined == nil {
		return own
	}
	maps.Copy(joined, own)
	return joined
}

// plain makes the tools that need nothing.
func (t *Set) plain() (tools []pegboard.Tool, _ error) {
	o, v := t.options, settings.Values{}
	if o.Settings != nil {
		v = o.Settings.Values
	}
	if t.has(Files) {
		tools = append(tools,
			files.Read(files.ReadOptions{MaxTokens: v.ReadMaxTokens, PDF: o.PDF}), files.Write(files.WriteOptions{}), files.Edit(files.WriteOptions{}), files.NotebookEdit(files.WriteOptions{}),
			files.Glob(files.GlobOptions{Ignore: v.GlobIgnore, NoHidden: v.GlobNoHidden, Timeout: v.GlobTimeout}), files.Grep(files.GrepOptions{}))
	} else {
		tools = append(tools, results.Read(results.Options{}))
	}
	if t.has(Shell) {
		tools = append(tools, shell.Bash(o.Shell), shell.PowerShell(t.powerShell()), shell.Monitor(o.Shell), shell.TaskOutput(shell.TaskOutputOptions{MaxShown: v.TaskShown}), shell.TaskStop())
	}
	if t.has(REPL) {
		tools = append(tools, shell.REPL(shell.REPLOptions{Env: o.Shell.Env, Withheld: o.Shell.Withheld, Vars: o.Shell.Vars}))
	}
	if t.has(Fetch) {
		tools = append(tools, web.Fetch(o.Fetch))
	}
	if o.Search != nil {
		tools = append(tools, web.Search(web.SearchOptions{Backend: o.Search}))
	}
	if t.has(Code) {
		tools = append(tools, code.LSP(code.Options{}))
	}
	if t.has(Questions) {
		tools = append(tools, session.AskUserQuestion())
	}
	if t.has(Plans) {
		tools = append(tools, session.PlanTools(session.PlanOptions{})...)
	}
	if t.has(Worktrees) {
		w := session.WorktreeOptions{}
		if t.Hooks != nil {
			w = t.Hooks.WorktreeHooks(w)
		}
		tools = append(tools, session.Worktree(w)...)
	}
	if t.has(Context) {
		tools = append(tools, session.CtxInspect())
	}
	return tools, nil
}

// powerShell returns the options of PowerShell: those of Bash, without its program.
func (t *Set) powerShell() shell.Options {
	o := t.options.Shell
	o.Shell, o.Snapshot, o.Startup = nil, "", false
	return o
}

// state returns a path in the directory for the state, or "".
func (t *Set) state(name string) string {
	if t.options.State == "" {
		return ""
	}
	return filepath.Join(t.options.State, name)
}

// kept makes the tools whose state may outlast the program.
func (t *Set) kept() (tools []pegboard.Tool, err error) {
	if t.options.State != "" {
		if err := os.MkdirAll(t.options.State, 0o700); err != nil {
			return nil, err
		}
	}
	if t.has(Tasks) {
		var h tasks.Hooks
		if t.Hooks != nil {
			h = t.Hooks.TaskHooks()
		}
		if t.Tasks, err = tasks.Open(t.state("tasks.json"), h); err != nil {
			return nil, err
		}
		t.note(t.Tasks.Problem())
		tools = append(append(tools, tasks.TodoWrite(tasks.TodoOptions{})), t.Tasks.Tools()...)
	}
	if t.has(Schedule) {
		t.Schedule, err = schedule.Open(t.state("jobs.json"), schedule.Options{})
		if err != nil && !errors.Is(err, schedule.ErrFile) {
			return nil, err
		}
		t.note(err)
		tools = append(append(tools, schedule.Sleep(schedule.SleepOptions{})), t.Schedule.Tools()...)
	}
	return tools, nil
}

// host makes the tools for which the host has a service.
func (t *Set) host() (tools []pegboard.Tool, err error) {
	add := func(tool pegboard.Tool, made error) {
		tools, err = append(tools, tool), errors.Join(err, made)
	}
	c := t.options.Comms
	for _, channel := range []struct {
		is   bool
		make func(comms.Options) (pegboard.Tool, error)
	}{
		{c.Send != nil, comms.SendUserMessage},
		{c.SendFile != nil, comms.SendUserFile},
		{c.Push != nil, comms.PushNotification},
		{c.Capture != nil, comms.TerminalCapture},
		{c.Subscribe != nil, comms.SubscribePR},
	} {
		if channel.is {
			add(channel.make(c))
		}
	}
	if t.options.Triggers != nil {
		add(schedule.RemoteTrigger(t.options.Triggers))
	}
	if len(t.options.Config) > 0 {
		add(session.Config(t.options.Config...))
	}
	return tools, err
}

// skills makes the tool Skill, if there are skills or files that may bring some.
func (t *Set) skills() (_ []pegboard.Tool, err error) {
	o := t.options
	so := skills.Options{List: func(*pegboard.Session, []string) []skills.Skill { return o.Skills }}
	switch l := o.Settings; {
	case l != nil:
		overrides, warnings := l.SkillOverrides()
		for _, w := range warnings {
			t.note(errors.New(w.String()))
		}
		so.MaxListed = l.Values.SkillsListed
		load := func(touched []string) *settings.Skills {
			found, err := o.Files.LoadSkills(context.Background(), settings.SkillOptions{Bundled: o.Skills, Touched: touched, Overrides: overrides})
			if err != nil {
				return new(settings.Skills)
			}
			return found
		}
		for _, p := range load(nil).Problems {
			t.note(errors.New(p.String()))
		}
		so.List = func(_ *pegboard.Session, touched []string) []skills.Skill { return load(touched).Skills }
	case len(o.Skills) == 0:
		return nil, nil
	}
	if t.Skills, err = skills.New(so); err != nil {
		return nil, err
	}
	return []pegboard.Tool{t.Skills.Tool()}, nil
}

// agents makes the tools that start agents and speak with them.
func (t *Set) agents() (tools []pegboard.Tool, err error) {
	o := t.options
	if o.Loop == nil {
		return nil, nil
	}
	definitions := agents.Merge(o.Definitions, agents.ReadyMade())
	ao := agents.Options{
		Loop: o.Loop, Registry: t.Registry, Pool: t.Config, Dir: t.state("agents"),
		Teams: slices.Contains(t.Config.Gates.Features, pegboard.FeatureTeams),
	}
	if o.Settings != nil {
		found, err := o.Files.LoadAgents(context.Background())
		if err != nil {
			return nil, err
		}
		for _, p := range found.Problems {
			t.note(errors.New(p.String()))
		}
		definitions = agents.Merge(o.Definitions, found.Definitions, agents.ReadyMade())
		ao.Hooks, ao.NoBackground = t.Hooks.AgentHooks(), o.Shell.NoBackground
	}
	ao.Definitions = func(*pegboard.Session) []agents.Definition { return definitions }
	if t.Skills != nil {
		ao.Skill = t.Skills.Text
	}
	if t.Agents, err = agents.New(ao); err != nil {
		return nil, err
	}
	w, err := workflow.New(workflow.Options{Agents: t.Agents, Named: o.Workflows, Dir: t.state("workflows")})
	if err != nil {
		return nil, err
	}
	return append(t.Agents.Tools(), w.Tool()), nil
}

// note keeps a problem for the user.
func (t *Set) note(err error) {
	if err != nil {
		t.Problems = append(t.Problems, err)
	}
}
