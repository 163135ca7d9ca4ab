package settings_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings"
	filetools "github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// promptFiles are settings files as people have them, in testdata/prompts. The limits are
// generous, so that they hold for other sessions than those of docs/permissions.md, too.
var promptFiles = []struct {
	name    string
	prompts float64 // at most, of 100 calls of real sessions
	denials float64 // likewise

	serverPrompts float64 // exactly, of 100 calls of servers
}{
	{name: "none", prompts: 75, serverPrompts: 100},
	{name: "developer", prompts: 35, serverPrompts: 100},
	{name: "secrets", prompts: 75, serverPrompts: 0},
	{name: "edits", prompts: 20, serverPrompts: 0},
	{name: "policy", denials: 25, serverPrompts: 0},
}

// promptServers are the servers of the corpus whose tools are called.
var promptServers = []string{"Gmail MCP", "Google Drive", "Playwright Automation Server", "Postman MCP Server", "Redis"}

const serverCalls = 20 // of each server

// TestPrompts decides the calls of real sessions, and of tools of real servers, under
// settings files as people have them, and reports how often the user would be asked.
func TestPrompts(t *testing.T) {
	for _, folder := range corpus.Folders(t, "mcp-schemas", "transcripts") {
		path := filepath.Join(folder, "transcripts", "tool_calls.jsonl")
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			continue
		}
		for _, file := range promptFiles {
			w := newWorkplace(t, file.name)
			for n, line := range corpus.Lines(t, path) {
				w.decideTranscribed(t, n, line)
			}
			servers := w.decideServerCalls(t, filepath.Join(folder, "mcp-schemas", "tools.jsonl"))
			corpus.Report(t, folder, "prompts and denials of 100 calls under %s.json: %s", file.name, w.tally)
			all := w.tally.sum("Bash", "Edit", "Read", "Write")
			require.LessOrEqual(t, all.per100(policy.Ask), file.prompts, file.name)
			require.LessOrEqual(t, all.per100(policy.Deny), file.denials, file.name)
			require.Zero(t, w.tally.sum("Read").per100(policy.Ask), "the sessions read what is theirs")
			if servers > 0 {
				require.InDelta(t, file.serverPrompts, w.tally["servers"].per100(policy.Ask), 0.1, file.name)
			}
		}
	}
}

// A workplace is a folder like that of the real sessions, under one settings file.
type workplace struct {
	dir      string
	session  *pegboard.Session
	registry pegboard.Registry
	pool     *pegboard.Pool
	tally    tallies
}

func newWorkplace(t *testing.T, file string) *workplace {
	t.Helper()
	dir, home := resolvedTemp(t), resolvedTemp(t)
	data, err := os.ReadFile(filepath.Join("testdata", "prompts", file+".json"))
	require.NoError(t, err)
	path := filepath.Join(dir, ".claude", "settings.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, data, 0o600))
	loaded, err := settings.Files{Project: path, Dir: dir, Home: home, Trusted: true}.Load(t.Context())
	require.NoError(t, err)
	require.Empty(t, loaded.Warnings)
	perms, err := loaded.Permissions()
	require.NoError(t, err)
	w := &workplace{dir: dir, tally: tallies{}}
	w.session, err = pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Home: home, Permissions: perms})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.session.Close(context.Background())) })
	require.NoError(t, w.registry.Add(append(filetools.Tools(), shell.Bash(shell.Options{}))...))
	w.pool = w.registry.AssemblePool(w.session, pegboard.PoolConfig{})
	return w
}

func resolvedTemp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return dir
}

// decideServerCalls attaches some tools of each server, decides a call of each, and returns
// their number.
func (w *workplace) decideServerCalls(t *testing.T, path string) int {
	t.Helper()
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return 0
	}
	tools := map[string][]pegboard.Tool{}
	var calls []pegboard.Call
	for n, line := range corpus.Lines(t, path) {
		var row struct {
			Name, Description, Server string
			Parameters                json.RawMessage
		}
		require.NoError(t, json.Unmarshal(line, &row), "line %d", n)
		input, simple := simplestInput(row.Parameters)
		if !slices.Contains(promptServers, row.Server) || len(tools[row.Server]) == serverCalls || !simple {
			continue
		}
		tool, err := pegboard.BuildRaw(row.Parameters, pegboard.Definition[json.RawMessage, *pegboard.Result]{
			Info: pegboard.Info{Name: row.Name[strings.LastIndex(row.Name, "__")+2:]}, Description: row.Description,
			Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) { return nil, nil },
		})
		require.NoError(t, err)
		tools[row.Server] = append(tools[row.Server], tool)
		calls = append(calls, pegboard.Call{Name: row.Name, Input: input})
	}
	for server := range tools {
		report, err := w.registry.Attach(server, tools[server]...)
		require.NoError(t, err)
		require.Empty(t, report.Quarantined)
	}
	w.pool = w.registry.AssemblePool(w.session, pegboard.PoolConfig{})
	for _, c := range calls {
		w.decide(t, "servers", c)
	}
	return len(calls)
}

// simplestInput returns an input with the required properties of a schema, or false if it
// is not obvious what these accept.
func simplestInput(schema json.RawMessage) (input json.RawMessage, ok bool) {
	var s struct {
		Properties map[string]struct {
			Type   any
			Enum   []any
			Format string
		}
		Required []string
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil, false
	}
	values := map[string]any{"string": "x", "number": 1, "integer": 1, "boolean": true}
	in := map[string]any{}
	for _, name := range s.Required {
		p := s.Properties[name]
		value, known := values[fmt.Sprint(p.Type)]
		if len(p.Enum) > 0 {
			value, known = p.Enum[0], true
		}
		if !known || p.Format != "" {
			return nil, false
		}
		in[name] = value
	}
	input, err := json.Marshal(in)
	return input, err == nil
}

// decideTranscribed decides a call of a real session, with the files that it needs.
func (w *workplace) decideTranscribed(t *testing.T, n int, line []byte) {
	t.Helper()
	var row struct {
		Tool, Cwd string
		Input     map[string]any
	}
	require.NoError(t, json.Unmarshal(line, &row), "line %d", n)
	for key, value := range row.Input {
		if text, ok := value.(string); ok && row.Cwd != "" {
			row.Input[key] = strings.ReplaceAll(text, row.Cwd, w.dir)
		}
	}
	if path, ok := row.Input["file_path"].(string); ok {
		if !filepath.IsAbs(path) {
			path = filepath.Join(w.dir, path)
		}
		w.prepare(t, row.Tool, path, row.Input["old_string"])
	}
	input, err := json.Marshal(row.Input)
	require.NoError(t, err)
	w.decide(t, row.Tool, pegboard.Call{Name: row.Tool, Input: input})
}

// prepare makes the file of a call as it was: none for Write, and one that was read for
// Edit.
func (w *workplace) prepare(t *testing.T, tool, path string, old any) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	if tool == "Write" {
		require.NoError(t, os.RemoveAll(path))
		return
	}
	content := fmt.Appendf(nil, "<%v>\n", old)
	require.NoError(t, os.WriteFile(path, content, 0o600))
	filetools.Note(w.session, path, 0, content)
}

// decide counts what becomes of a call.
func (w *workplace) decide(t *testing.T, group string, c pegboard.Call) {
	t.Helper()
	d := w.pool.Decide(t.Context(), c)
	if w.tally[group] == nil {
		w.tally[group] = &tally{behaviors: map[policy.Behavior]int{}}
	}
	w.tally[group].calls++
	w.tally[group].behaviors[d.Behavior]++
	if d.Behavior != policy.Allow {
		t.Logf("%v %s %.200s: %s", d.Behavior, c.Name, c.Input, d.Reason)
	}
}

// A tally counts calls by what becomes of them.
type tally struct {
	calls     int
	behaviors map[policy.Behavior]int
}

func (c *tally) per100(b policy.Behavior) float64 {
	return 100 * float64(c.behaviors[b]) / float64(max(c.calls, 1))
}

// tallies are those of each tool, and of the tools of servers.
type tallies map[string]*tally

func (ts tallies) sum(groups ...string) *tally {
	all := &tally{behaviors: map[policy.Behavior]int{}}
	for _, g := range groups {
		if ts[g] != nil {
			all.calls += ts[g].calls
			for b, n := range ts[g].behaviors {
				all.behaviors[b] += n
			}
		}
	}
	return all
}

func (ts tallies) String() string {
	show := func(name string, groups ...string) string {
		c := ts.sum(groups...)
		return fmt.Sprintf("%s %.0f+%.0f", name, c.per100(policy.Ask), c.per100(policy.Deny))
	}
	texts := []string{show("sessions", "Bash", "Edit", "Read", "Write")}
	for _, g := range []string{"Bash", "Edit", "Read", "Write", "servers"} {
		texts = append(texts, show(g, g))
	}
	return strings.Join(texts, ", ")
}
