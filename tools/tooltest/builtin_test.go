package tooltest_test

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
	"github.com/seed49eaa51d/pegboard/tools/session"
)

// A builtin is a tool that ships, with an ordinary call of it.
type builtin struct {
	name   string
	folder string // of its package
	tool   pegboard.Tool
	input  string
}

// folders are those of the tools that several functions or a method return.
var folders = map[string]string{
	"Agent": "agents", "SendMessage": "agents", "ListAgents": "agents", "TeamCreate": "agents", "TeamDelete": "agents",
	"Skill": "skills", "Workflow": "workflow", "StructuredOutput": "structured",
	"EnterPlanMode": "session", "ExitPlanMode": "session", "VerifyPlanExecution": "session", "EnterWorktree": "session", "ExitWorktree": "session",
	"TaskCreate": "tasks", "TaskGet": "tasks", "TaskList": "tasks", "TaskUpdate": "tasks",
	"CronCreate": "schedule", "CronList": "schedule", "CronDelete": "schedule", "ScheduleWakeup": "schedule", "RemoteTrigger": "schedule",
	"ListMcpResources": "mcp", "ReadMcpResource": "mcp", "McpAuth": "mcp",
}

// builtinDir returns a directory with the files of the ordinary calls.
func builtinDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"a.txt": "one\ntwo\n", "empty": "", "n.ipynb": notebookJSON} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	return dir
}

// builtins returns the tools that ship, by name: those of the well-known names, and the
// others.
func builtins(t *testing.T, dir string) (list []builtin) {
	t.Helper()
	api, err := os.ReadFile(filepath.Join("..", "..", "api.txt"))
	require.NoError(t, err)
	add := func(made string, tool pegboard.Tool, input string) {
		name := tool.Info().Name
		folder, _, ok := strings.Cut(made, ".")
		if !ok {
			folder = folders[name]
		}
		if folder = "tools/" + folder; folder == "tools/pegboard" {
			folder = "."
		}
		makes := regexp.MustCompile(`pkg \S+/` + strings.Replace(folder, ".", "pegboard", 1) + `, .*\) \(?(\[\])?(pegboard\.)?Tool`)
		require.True(t, makes.Match(api), "%s: package %s returns no tools", name, folder)
		if !slices.ContainsFunc(list, func(b builtin) bool { return b.name == name }) {
			list = append(list, builtin{name, folder, tool, strings.ReplaceAll(input, `"D/`, `"`+dir+"/")})
		}
	}
	for _, sc := range slices.Concat(shownCalls(), commsCalls(), configCalls(), webCalls(), codeCalls()) {
		if strings.HasPrefix(sc.made, "tooltest.") {
			continue // it is for tests
		}
		name := sc.tool.Info().Name
		add(sc.made, sc.tool, cmp.Or(map[string]string{"Bash": `{"command":"make"}`, "PowerShell": `{"command":"make"}`, "WebFetch": `{"url":"https://example.com/","prompt":"What is it?"}`}[name], sc.input))
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	rest := slices.Concat(
		mcp.Start(s, new(pegboard.Registry), mcp.Options{}, mcpjson.Server{Name: "s", Type: mcpjson.HTTP, URL: "http://127.0.0.1:1"}).Tools(), session.PlanTools(session.PlanOptions{}), session.Worktree(session.WorktreeOptions{}),
		[]pegboard.Tool{ofAgents("TeamDelete"), ofSchedule("CronDelete")})
	for _, tool := range rest { // of which no call is shown
		add("", tool, map[string]string{
			"ListMcpResources": `{}`, "ReadMcpResource": `{"server":"s","uri":"x://y"}`, "McpAuth": `{"server":"s"}`,
			"VerifyPlanExecution": `{"steps":[{"step":"1","done":true}]}`, "ExitWorktree": `{"action":"keep"}`, "TeamDelete": `{}`, "CronDelete": `{"id":"abcdefgh"}`,
		}[tool.Info().Name])
	}
	slices.SortFunc(list, func(a, b builtin) int { return strings.Compare(a.name, b.name) })
	return list
}

func TestEveryWellKnownToolShips(t *testing.T) {
	t.Parallel()
	all := builtins(t, t.TempDir())
	for _, name := range pegboard.BuiltinNames() {
		ships := slices.ContainsFunc(all, func(b builtin) bool { return b.name == name })
		require.True(t, ships, name)
	}
}

// roles are those of agents, in the order of tables.
var roles = []pegboard.Role{pegboard.RoleMain, pegboard.RoleSubAgent, pegboard.RoleAsyncAgent, pegboard.RoleTeammate, pegboard.RoleCoordinator}

// sessionOf returns a session of a role that has nobody to ask.
func sessionOf(t *testing.T, dir string, role pegboard.Role, mode policy.Mode) *pegboard.Session {
	t.Helper()
	perms, err := policy.New(mode)
	require.NoError(t, err)
	cfg := session.Prepare(pegboard.SessionConfig{Dir: dir, Permissions: perms})
	if role == pegboard.RoleCoordinator {
		cfg.Role = role
	}
	s, err := pegboard.NewSession(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	if cfg.Role == role {
		return s
	}
	fork, err := s.Fork(pegboard.SessionConfig{Role: role})
	require.NoError(t, err)
	return fork
}
