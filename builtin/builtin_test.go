package builtin_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/builtin"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/comms"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
	"github.com/seed49eaa51d/pegboard/tools/schedule"
	"github.com/seed49eaa51d/pegboard/tools/session"
	"github.com/seed49eaa51d/pegboard/tools/skills"
	"github.com/seed49eaa51d/pegboard/tools/web"
)

// answers is a loop whose model reports at once.
func answers(text string) agents.Loop {
	return func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		_, err := a.Next(ctx, agents.Usage{})
		return agents.Reply{Text: text}, err
	}
}

type noTriggers struct{}

func (noTriggers) Do(context.Context, schedule.Request) (int, json.RawMessage, error) {
	return 404, nil, nil
}

// everything has a service for each tool.
func everything(t *testing.T) builtin.Options {
	t.Helper()
	folder, err := web.Folder(os.DirFS(t.TempDir()))
	require.NoError(t, err)
	return builtin.Options{
		Loop:    answers("done"),
		Skills:  []skills.Skill{{Name: "deploy", Description: "Deploys the program.", Body: "Press the button."}},
		Servers: []mcpjson.Server{{Name: "lib", Type: mcpjson.Stdio, Command: os.Args[0], Env: map[string]string{roleName: "server"}}, {Name: "far", Type: mcpjson.HTTP, URL: "http://127.0.0.1:1/"}},
		Search:  folder, Triggers: noTriggers{},
		Comms: comms.Options{
			Send:     func(context.Context, *pegboard.Session, comms.Message) error { return nil },
			SendFile: func(context.Context, *pegboard.Session, comms.Delivery) error { return nil },
			Push: func(context.Context, *pegboard.Session, comms.Notification) (comms.Pushed, error) {
				return comms.Pushed{}, nil
			},
			Capture: func(context.Context, *pegboard.Session, int) (string, error) { return "", nil },
			Subscribe: func(context.Context, *pegboard.Session, string) (comms.Subscription, error) {
				return nil, nil
			},
		},
		Config: []session.Setting{{Name: "theme", Type: session.TypeText, Get: func(context.Context, *pegboard.Session) (any, error) { return "dark", nil }}},
		Pool: pegboard.PoolConfig{Gates: pegboard.Gates{
			PowerShell: true, Features: []pegboard.Feature{
				pegboard.FeatureLSP, pegboard.FeatureWorktrees, pegboard.FeatureTeams, pegboard.FeatureCron, pegboard.FeatureMonitors, pegboard.FeatureConfig, pegboard.FeatureWorkflows,
			},
		}},
	}
}

// open makes a set and its session, which is closed with the test.
func open(t *testing.T, o builtin.Options, cfg pegboard.SessionConfig) (*builtin.Set, *pegboard.Session) {
	t.Helper()
	set, err := builtin.Tools(o)
	require.NoError(t, err)
	if cfg.Dir == "" && o.Settings == nil {
		cfg.Dir = t.TempDir()
	}
	s, err := set.NewSession(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	return set, s
}

// names returns those of the set's own tools, without those of servers.
func names(set *builtin.Set, s *pegboard.Session) (names []string) {
	for tool := range set.Pool(context.Background(), s).All() {
		if name := tool.Info().Name; !strings.HasPrefix(name, "mcp__") {
			names = append(names, name)
		}
	}
	return names
}

// run runs a call of the main agent.
func run(t *testing.T, set *builtin.Set, s *pegboard.Session, tool, input string) pegboard.Outcome {
	t.Helper()
	var executor pegboard.Executor
	return executor.Run(t.Context(), set.Pool(t.Context(), s), pegboard.Call{ID: "1", Name: tool, Input: json.RawMessage(input)})[0]
}

// TestToolsHasEveryWellKnownTool but those of which the documentation says that the host adds them.
func TestToolsHasEveryWellKnownTool(t *testing.T) {
	t.Parallel()
	set, s := open(t, everything(t), pegboard.SessionConfig{})
	got := names(set, s)
	missing := slices.DeleteFunc(pegboard.BuiltinNames(), func(name string) bool { return slices.Contains(got, name) })
	slices.Sort(missing)
	require.Equal(t, []string{"MultiEdit", "StructuredOutput", "TodoWrite", "apply_patch"}, missing, "TodoWrite is behind a gate: %v", set.Pool(t.Context(), s).Excluded())
	for _, name := range got {
		require.Contains(t, pegboard.BuiltinNames(), name)
	}
}

// TestToolsLeavesOut: each family goes as a whole, and with all of them the tools that need
// a service are not there either.
func TestToolsLeavesOut(t *testing.T) {
	t.Parallel()
	all := []builtin.Family{
		builtin.Files, builtin.Shell, builtin.REPL, builtin.Fetch, builtin.Code, builtin.Tasks, builtin.Schedule, builtin.Questions, builtin.Plans, builtin.Worktrees, builtin.Context,
	}
	set, s := open(t, builtin.Options{Without: all}, pegboard.SessionConfig{})
	require.Equal(t, []string{"ReadResult", "ToolSearch"}, names(set, s))
	for family, gone := range map[builtin.Family][]string{
		builtin.Files: {"Edit", "Glob", "Grep", "NotebookEdit", "Read", "Write"}, builtin.Shell: {"Bash", "Monitor", "TaskOutput", "TaskStop"},
		builtin.REPL: {"REPL"}, builtin.Fetch: {"WebFetch"}, builtin.Code: {"LSP"}, builtin.Tasks: {"TaskCreate", "TaskGet", "TaskList", "TaskUpdate"},
		builtin.Schedule:  {"CronCreate", "CronDelete", "CronList", "ScheduleWakeup", "Sleep"},
		builtin.Questions: {"AskUserQuestion"}, builtin.Plans: {"EnterPlanMode", "ExitPlanMode", "VerifyPlanExecution"},
		builtin.Worktrees: {"EnterWorktree", "ExitWorktree"}, builtin.Context: {"CtxInspect"},
	} {
		rest := slices.DeleteFunc(slices.Clone(all), func(f builtin.Family) bool { return f == family })
		set, s := open(t, builtin.Options{Without: rest}, pegboard.SessionConfig{})
		got := slices.DeleteFunc(names(set, s), func(name string) bool { return name == "ToolSearch" || name == "ReadResult" || name == "PowerShell" })
		require.Equal(t, gone, got, "%s", family)
	}
}

func TestToolsRefuses(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for want, o := range map[string]builtin.Options{
		`no family "file"`: {Without: []builtin.Family{"file"}},
		"not absolute":     {State: "state"},
		"not a directory":  {State: filepath.Join(file, "state")},
		"nameless":         {Config: []session.Setting{{}}},
	} {
		_, err := builtin.Tools(o)
		require.Error(t, err, want)
		if want != "nameless" {
			require.ErrorContains(t, err, want)
		}
	}
}

// home writes files of a user and a project, and loads them.
func home(t *testing.T, texts map[string]string) (settings.Files, *settings.Loaded) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(base, "project"), 0o700))
	for name, text := range texts {
		path := filepath.Join(base, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	f := settings.Locate(filepath.Join(base, "project"), filepath.Join(base, "home"))
	f.Managed, f.Trusted = nil, true
	f.Lookup = func(string) (string, bool) { return "", false }
	loaded, err := f.Load(t.Context())
	require.NoError(t, err)
	return f, loaded
}

// TestSettingsAreInForce: the files that a user of Claude Code has do what they say.
func TestSettingsAreInForce(t *testing.T) {
	t.Parallel()
	self, err := json.Marshal(os.Args[0])
	require.NoError(t, err)
	f, loaded := home(t, map[string]string{
		"home/.claude/settings.json": `{"permissions": {"allow": ["Bash(printenv:*)", "Skill", "Agent"], "deny": ["Read(**/.env)"]}, "env": {"REGION": "north", "API_TOKEN": "shown"}}`,
		"project/.claude/settings.json": `{"enableAllProjectMcpServers": true, "hooks": {
			"PreToolUse": [{"matcher": "Write", "hooks": [{"type": "command", "command": "echo the freeze >&2; exit 2"}]}],
			"TaskCreated": [{"hooks": [{"type": "command", "command": "echo no tasks today >&2; exit 2"}]}]}}`,
		"project/.mcp.json":                      `{"mcpServers": {"lib": {"command": ` + string(self) + `, "env": {"` + roleName + `": "server"}}}}`,
		"project/.claude/skills/deploy/SKILL.md": "---\ndescription: Deploys the program.\n---\nPress the button.\n",
		"project/.claude/agents/reader.md":       "---\nname: reader\ndescription: Reads.\nskills: deploy\n---\nRead it.\n",
		"project/.claude/agents/broken.md":       "no head\n",
		"project/.env":                           "KEY=1\n",
	})
	var task string
	loop := func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		parts, err := a.Next(ctx, agents.Usage{})
		for _, p := range parts {
			task += p.Text
		}
		return agents.Reply{Text: "read by " + a.Type}, err
	}
	set, s := open(t, builtin.Options{Files: f, Settings: loaded, Loop: loop}, pegboard.SessionConfig{})
	require.NoError(t, set.Servers.Ready(t.Context()))
	require.Equal(t, f.Dir, s.Dir())
	require.Len(t, set.Problems, 1)
	require.ErrorContains(t, set.Problems[0], "broken.md")

	said := func(tool, input string) string {
		result := run(t, set, s, tool, input).Result
		text := result.Text()
		for _, m := range result.Messages {
			text += m.Text
		}
		return text
	}
	require.Contains(t, said("Read", `{"file_path":".env"}`), `deny rule "Read(**/.env)"`)
	require.Contains(t, said("Write", `{"file_path":"a.txt","content":"x"}`), "the freeze")
	require.Contains(t, said("TaskCreate", `{"subject":"s","description":"d"}`), "no tasks today")
	require.Contains(t, said("Bash", `{"command":"printenv REGION API_TOKEN"}`), "north\nshown")
	require.Contains(t, said("Skill", `{"skill":"deploy"}`), "Press the button.")
	require.Contains(t, said("Agent", `{"subagent_type":"reader","description":"read","prompt":"Read all."}`), "read by reader")
	require.Contains(t, task, "Press the button.")
	require.Contains(t, said("mcp__lib__Borrow", `{"title":"Emma"}`), "no rule allows it")
	result, err := set.Servers.Invoke(t.Context(), "lib", "Borrow", json.RawMessage(`{"title":"Emma"}`))
	require.NoError(t, err)
	require.Equal(t, "north lent: Emma", result.Text(), "the server has the variables of the settings, too")

	var news string
	for _, p := range set.News(set.Pool(t.Context(), s)) {
		news += p.Text
	}
	require.Contains(t, news, "deploy: Deploys the program.")
	require.Contains(t, news, "mcp__lib__Borrow")
}

// TestNewSessionTakesThePermissionsOfOnePlace: two would have to be merged, and one forgotten.
func TestNewSessionTakesThePermissionsOfOnePlace(t *testing.T) {
	t.Parallel()
	f, loaded := home(t, nil)
	set, err := builtin.Tools(builtin.Options{Files: f, Settings: loaded})
	require.NoError(t, err)
	own, err := policy.New(policy.ModeDefault, policy.RuleSet{Deny: []string{"Bash"}})
	require.NoError(t, err)
	_, err = set.NewSession(pegboard.SessionConfig{Permissions: own})
	require.ErrorContains(t, err, "Files.Flags")
	s, err := set.NewSession(pegboard.SessionConfig{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	_, err = set.NewSession(pegboard.SessionConfig{})
	require.ErrorContains(t, err, "one session")
}

// TestNewSessionClosesWhatItCannotUse: the state belongs to a program that still runs.
func TestNewSessionClosesWhatItCannotUse(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(state, "background"), nil, 0o600))
	set, err := builtin.Tools(builtin.Options{State: state})
	require.NoError(t, err)
	_, err = set.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
	require.ErrorContains(t, err, "builtin: ")
}

// TestStateOutlastsTheProgram: a later set of the same directory has the tasks, jobs and agents.
func TestStateOutlastsTheProgram(t *testing.T) {
	t.Parallel()
	dir, state := t.TempDir(), filepath.Join(t.TempDir(), "state")
	allow, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Agent", "Bash"}})
	require.NoError(t, err)
	cfg := pegboard.SessionConfig{Dir: dir, Permissions: allow}
	o := builtin.Options{State: state, Loop: answers("first answer")}
	set, err := builtin.Tools(o)
	require.NoError(t, err)
	s, err := set.NewSession(cfg)
	require.NoError(t, err)
	for tool, input := range map[string]string{
		"TaskCreate": `{"subject":"paint the door","description":"red"}`,
		"CronCreate": `{"cron":"0 9 * * *","prompt":"look at the door","recurring":true,"durable":true}`,
		"Agent":      `{"subagent_type":"general-purpose","description":"ask","prompt":"Is it red?"}`,
		"Bash":       `{"command":"true","run_in_background":true}`,
	} {
		out := run(t, set, s, tool, input)
		require.NoError(t, out.Err, "%s: %s", tool, out.Result.Text())
	}
	require.NoError(t, s.Close(t.Context()))

	set, s = open(t, o, cfg)
	require.Empty(t, set.Problems)
	require.Contains(t, run(t, set, s, "TaskList", `{}`).Result.Text(), "paint the door")
	require.Contains(t, run(t, set, s, "CronList", `{}`).Result.Text(), "look at the door")
	require.Len(t, set.Agents.List(s), 1)
}

// TestNewsTellsOnce tells each agent once, and again what was forgotten.
func TestNewsTellsOnce(t *testing.T) {
	t.Parallel()
	o := everything(t)
	o.Servers = nil
	set, s := open(t, o, pegboard.SessionConfig{})
	text := func(s *pegboard.Session) (all string) {
		for _, p := range set.News(set.Pool(t.Context(), s)) {
			all += p.Text + "\n"
		}
		return all
	}
	first := text(s)
	require.Contains(t, first, "deploy: Deploys the program.")
	require.Contains(t, first, "CronCreate")
	require.Empty(t, text(s))
	s.Notify(pegboard.Part{Text: "The door is red."})
	require.Equal(t, "The door is red.\n", text(s))
	fork, err := s.Fork(pegboard.SessionConfig{})
	require.NoError(t, err)
	require.Contains(t, text(fork), "deploy: Deploys the program.", "its conversation does not have the words")
	require.Empty(t, set.Compacted(s), "no skill is in use")
	require.Equal(t, first, text(s))
}

// TestCloseEndsEverything: commands, agents and servers end with the session.
func TestCloseEndsEverything(t *testing.T) {
	t.Parallel()
	o := everything(t)
	ended := make(chan error, 1)
	o.Loop = func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return agents.Reply{}, context.Cause(ctx)
	}
	allow, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Agent", "Bash"}})
	require.NoError(t, err)
	set, err := builtin.Tools(o)
	require.NoError(t, err)
	s, err := set.NewSession(pegboard.SessionConfig{Dir: t.TempDir(), Permissions: allow})
	require.NoError(t, err)
	require.NoError(t, set.Servers.Ready(t.Context(), "lib"))
	require.NoError(t, run(t, set, s, "Agent", `{"description":"wait","prompt":"Wait.","run_in_background":true}`).Err)
	marker := filepath.Join(t.TempDir(), "marker")
	require.NoError(t, run(t, set, s, "Bash", `{"command":"sleep 1000 # `+marker+`","run_in_background":true}`).Err)
	require.NoError(t, s.Close(t.Context()))
	require.Error(t, <-ended)
	for _, state := range set.Servers.States() {
		require.Equal(t, mcp.Closed, state.Status)
	}
}
