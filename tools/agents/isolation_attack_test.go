package agents_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// A serverInput is the input of a tool of a server.
type serverInput struct {
	Path  string   `json:"path,omitempty"`
	Paths []string `json:"paths,omitempty"`
	Text  string   `json:"text,omitempty"`
}

// serverTool returns a tool of a server, which says nothing of what it touches.
func serverTool(name string, readOnly bool) pegboard.Tool {
	d := pegboard.Definition[serverInput, string]{
		Info: pegboard.Info{Name: name}, Description: "Does something with files.",
		Call: func(context.Context, serverInput, *pegboard.Call) (string, error) { return "done", nil },
	}
	if readOnly {
		d.Inspect = func(serverInput, *pegboard.Call) pegboard.Traits { return pegboard.Traits{ReadOnly: true} }
	}
	return pegboard.Build(d)
}

// TestIsolationOfFurtherTools has tools that agents usually have beside Write and Bash.
func TestIsolationOfFurtherTools(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	c.write("n.ipynb", `{"cells":[{"id":"a","cell_type":"code","source":[],"metadata":{},"outputs":[],"execution_count":null}],"metadata":{},"nbformat":4,"nbformat_minor":5}`)
	c.git("add", "-A")
	c.git("commit", "-qm", "notebook")
	before := c.state()
	loop := does(t, func(m attempt) {
		denied := func(name string, input map[string]any) {
			t.Helper()
			o := m.call(name, input)
			require.ErrorIs(t, o.Err, pegboard.ErrDenied, "%s %v: %s", name, input, o.Result.Text())
			require.Contains(t, o.Result.Text(), "worktree")
			require.Equal(t, before, c.state())
		}
		patch := func(path string) string { return "*** Begin Patch\n" + path + "\n*** End Patch\n" }
		for _, main := range []string{c.dir, "../../.."} {
			m.call("Read", map[string]any{"file_path": main + "/n.ipynb"})
			denied("NotebookEdit", map[string]any{"notebook_path": main + "/n.ipynb", "cell_id": "a", "new_source": "x"})
			denied("MultiEdit", map[string]any{"file_path": main + "/src/a.txt", "edits": []any{map[string]any{"old_string": "one", "new_string": "two"}}})
			for _, text := range []string{"*** Add File: " + main + "/src/new\n+x", "*** Delete File: " + main + "/src/a.txt", "*** Update File: src/a.txt\n*** Move to: " + main + "/src/new\n@@\n-one\n+two", "*** Update File: " + main + "/src/a.txt\n@@\n-one\n+two", "*** Add File: link/new\n+x"} {
				denied("apply_patch", map[string]any{"input": patch(text)})
			}
		}
		for _, code := range []string{"open('" + c.dir + "/src/new', 'w')", "import os; os.chdir('../../..'); open('src/new', 'w')", "1 + 1"} {
			denied("REPL", map[string]any{"language": "python", "code": code})
		}
		for _, input := range []map[string]any{
			{"path": c.dir + "/src/new"}, {"path": "file://" + c.dir + "/src/new"}, {"path": c.dir + "/x/../src/new"}, {"path": c.dir}, {"path": c.dir + "/.git/config"}, {"paths": []any{"x", c.dir + "/src/new"}},
			{"path": m.a.Session.Dir() + "/../../../src/new"}, {"path": m.a.Session.Dir() + "/link/new"}, {"text": "echo x > " + c.dir + "/src/new"}, {"text": "cd " + c.dir + "; make"},
		} {
			denied("mcp__files__write", input)
			require.NoError(t, m.call("mcp__files__read", input).Err)
		}
		for _, input := range []map[string]any{{"path": m.a.Session.Dir() + "/src/new"}, {"path": "/nowhere"}, {"text": "about " + c.dir + "-other/x"}, {"text": "in " + m.a.Session.Dir() + "/src/a.txt."}} {
			o := m.call("mcp__files__write", input)
			require.NoError(t, o.Err, "%v", input)
		}
	})
	h := c.house(loop, pegboard.ModeBypass, pegboard.RuleSet{})
	require.NoError(t, h.registry.Add(files.MultiEdit(files.WriteOptions{}), files.ApplyPatch(files.WriteOptions{}), shell.REPL(shell.REPLOptions{})))
	_, err := h.registry.Attach("files", serverTool("write", false), serverTool("read", true))
	require.NoError(t, err)
	r := data(t, h.call(t, map[string]any{"isolation": "worktree"}))
	require.Empty(t, r.WorktreePath, r.Notes)
	require.Equal(t, before, c.state())
}

// TestWorktreeIncludeFollowsNoLinks has links among the files that .worktreeinclude names, and
// on the way to them.
func TestWorktreeIncludeFollowsNoLinks(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	outside := filepath.Join(filepath.Dir(c.dir), "outside")
	require.NoError(t, os.Mkdir(outside, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(outside, "x.env"), []byte("secret"), 0o600))
	c.write(".worktreeinclude", "*.env\n/out/\n/link/\n")
	c.write(".gitignore", "*.env\n/out\n")
	c.git("add", "-A")
	c.git("commit", "-qm", "include")
	c.write("src/in-src.env", "a")
	for name, to := range map[string]string{"file.env": filepath.Join(outside, "x.env"), "main.env": filepath.Join(c.dir, "src/a.txt"), "out": outside, "up.env": "../src"} {
		require.NoError(t, os.Symlink(to, filepath.Join(c.dir, name)))
	}
	loop := does(t, func(m attempt) {
		dir := m.a.Session.Dir()
		require.FileExists(t, filepath.Join(dir, "src/in-src.env"))
		for _, name := range []string{"file.env", "main.env", "out", "up.env"} {
			_, err := os.Lstat(filepath.Join(dir, name))
			require.ErrorIs(t, err, os.ErrNotExist, name)
		}
		require.NoError(t, m.bash("echo b > src/in-src.env").Err)
	})
	h := c.house(loop, pegboard.ModeBypass, pegboard.RuleSet{})
	data(t, h.call(t, map[string]any{"isolation": "worktree"}))
	text, err := os.ReadFile(filepath.Join(c.dir, "src/in-src.env"))
	require.NoError(t, err)
	require.Equal(t, "a", string(text))
	require.NoDirExists(t, filepath.Join(outside, "in-src.env"))
}
