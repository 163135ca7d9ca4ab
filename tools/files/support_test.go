package files_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

type ctx = context.Context

// ground is a directory and a session that works in it.
type ground struct {
	dir     string // by its real name
	session *pegboard.Session
	tools   []pegboard.Tool
	onEvent func(pegboard.Event)
}

// newGround returns a session in a new directory, with the tools given or all of
// the package. There is a directory around it that is outside.
func newGround(t testing.TB, cfg pegboard.SessionConfig, tools ...pegboard.Tool) *ground {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	cfg.Dir = filepath.Join(dir, "work")
	cfg.Breaker = pegboard.BreakerLimits{Repeats: -1, Denials: -1} // tests repeat themselves
	require.NoError(t, os.Mkdir(cfg.Dir, 0o755))
	s, err := pegboard.NewSession(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	if len(tools) == 0 {
		tools = files.Tools()
	}
	return &ground{dir: cfg.Dir, session: s, tools: tools}
}

// put writes a file below the directory and returns its path.
func (g *ground) put(t testing.TB, name, text string) string {
	t.Helper()
	p := filepath.Join(g.dir, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
	require.NoError(t, os.WriteFile(p, []byte(text), 0o644))
	return p
}

// call takes one call through an Executor.
func (g *ground) call(ctx context.Context, t testing.TB, name string, input map[string]any) pegboard.Outcome {
	t.Helper()
	raw, err := json.Marshal(input)
	require.NoError(t, err)
	var reg pegboard.Registry
	require.NoError(t, reg.Add(g.tools...))
	ex := pegboard.Executor{OnEvent: g.onEvent}
	return ex.Run(ctx, reg.AssemblePool(g.session, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: name, Input: raw})[0]
}

// message runs the calls of one message of the model, each with the name of its tool.
func (g *ground) message(t testing.TB, calls ...map[string]any) []pegboard.Outcome {
	t.Helper()
	var reg pegboard.Registry
	require.NoError(t, reg.Add(g.tools...))
	var message []pegboard.Call
	for i, input := range calls {
		input = maps.Clone(input)
		name, _ := input["tool"].(string)
		delete(input, "tool")
		raw, err := json.Marshal(input)
		require.NoError(t, err)
		message = append(message, pegboard.Call{ID: strconv.Itoa(i + 1), Name: name, Input: raw})
	}
	var ex pegboard.Executor
	return ex.Run(t.Context(), reg.AssemblePool(g.session, pegboard.PoolConfig{}), message...)
}

// read calls Read, which must succeed.
func (g *ground) read(t testing.TB, input map[string]any) (string, files.TextFile) {
	t.Helper()
	out := g.call(t.Context(), t, "Read", input)
	require.NoError(t, out.Err, out.Result.Text())
	data, ok := out.Result.Data.(files.ReadOutput)
	require.True(t, ok)
	require.Equal(t, "text", data.Type)
	text, ok := data.File.(files.TextFile)
	require.True(t, ok)
	return out.Result.Text(), text
}

// inDir returns an input as JSON, with the directory in place of {{dir}}.
func (g *ground) inDir(t testing.TB, input map[string]any) string {
	t.Helper()
	raw, err := json.Marshal(input)
	require.NoError(t, err)
	return strings.ReplaceAll(string(raw), "{{dir}}", g.dir)
}

// glob calls Glob, which must succeed.
func (g *ground) glob(t testing.TB, input map[string]any) (string, files.GlobOutput) {
	t.Helper()
	out := g.call(t.Context(), t, "Glob", input)
	require.NoError(t, out.Err, out.Result.Text())
	data, ok := out.Result.Data.(files.GlobOutput)
	require.True(t, ok)
	return out.Result.Text(), data
}

// rules returns permissions of the default mode.
func rules(t testing.TB, set policy.RuleSet) policy.Permissions {
	t.Helper()
	p, err := policy.New(policy.ModeDefault, set)
	require.NoError(t, err)
	return p
}

// yes is a person who allows everything.
func yes(context.Context, *pegboard.Question) (policy.Decision, error) {
	return policy.Decision{Behavior: policy.Allow}, nil
}

// link makes a symbolic link at path.
func link(t testing.TB, to, path string) {
	t.Helper()
	require.NoError(t, os.Symlink(to, path))
}

// editable is a session that may edit below its directory.
func editable(t testing.TB, tools ...pegboard.Tool) *ground {
	t.Helper()
	perms, err := policy.New(policy.ModeAcceptEdits)
	require.NoError(t, err)
	return newGround(t, pegboard.SessionConfig{Permissions: perms}, tools...)
}

// content returns what stands in the file at path.
func content(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

func (g *ground) edit(t testing.TB, name, from, to string) pegboard.Outcome {
	t.Helper()
	return g.call(t.Context(), t, "Edit", map[string]any{"file_path": name, "old_string": from, "new_string": to})
}

func (g *ground) write(t testing.TB, name, text string) pegboard.Outcome {
	t.Helper()
	return g.call(t.Context(), t, "Write", map[string]any{"file_path": name, "content": text})
}

// grep calls Grep, which must succeed.
func (g *ground) grep(t testing.TB, input map[string]any) (string, files.GrepOutput) {
	t.Helper()
	out := g.call(t.Context(), t, "Grep", input)
	require.NoError(t, out.Err, out.Result.Text())
	data, ok := out.Result.Data.(files.GrepOutput)
	require.True(t, ok)
	return out.Result.Text(), data
}

// show calls Read for a file that must be shown as an image.
func (g *ground) show(t testing.TB, name, data string) (*pegboard.Result, files.ImageFile) {
	t.Helper()
	out := g.call(t.Context(), t, "Read", map[string]any{"file_path": g.put(t, name, data)})
	require.NoError(t, out.Err)
	read, ok := out.Result.Data.(files.ReadOutput)
	require.True(t, ok)
	require.Equal(t, "image", read.Type)
	img, ok := read.File.(files.ImageFile)
	require.True(t, ok)
	require.Equal(t, pegboard.Part{MIME: img.MIME, Data: img.Data}, out.Result.Parts[0])
	require.Equal(t, int64(len(data)), img.OriginalSize)
	return out.Result, img
}

// notebook calls Read for what must be shown as a notebook.
func (g *ground) notebook(t testing.TB, input map[string]any) (*pegboard.Result, files.NotebookFile) {
	t.Helper()
	out := g.call(t.Context(), t, "Read", input)
	require.NoError(t, out.Err)
	read, ok := out.Result.Data.(files.ReadOutput)
	require.True(t, ok)
	require.Equal(t, "notebook", read.Type)
	file, ok := read.File.(files.NotebookFile)
	require.True(t, ok)
	return out.Result, file
}
