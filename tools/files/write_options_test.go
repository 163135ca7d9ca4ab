package files_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

func TestWritesHonourRules(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		deny  string
		tool  string
		input string
		path  string // that must not be there, or be as it was
	}{
		{name: "edit denied", deny: "Edit(f)", tool: "Edit", input: `{"file_path":"f","old_string":"a","new_string":"b"}`, path: "f"},
		{name: "reading denied, editing too", deny: "Read(f)", tool: "Edit", input: `{"file_path":"f","old_string":"a","new_string":"b"}`, path: "f"},
		{name: "reading denied, making too", deny: "Read(new)", tool: "Write", input: `{"file_path":"new","content":"b"}`, path: "new"},
		{name: "reading denied, making by an edit too", deny: "Read(new)", tool: "Edit", input: `{"file_path":"new","old_string":"","new_string":"b"}`, path: "new"},
		{name: "Edit rule on Write", deny: "Edit(f)", tool: "Write", input: `{"file_path":"f","content":"b"}`, path: "f"},
		{name: "Edit rule on a notebook", deny: "Edit(*.ipynb)", tool: "NotebookEdit", input: `{"notebook_path":"n.ipynb","cell_id":"a","new_source":"b"}`, path: "n.ipynb"},
		{name: "protected", tool: "Write", input: `{"file_path":".git/hooks/pre-commit","content":"b"}`, path: ".git/hooks/pre-commit"},
		{name: "of the harness", tool: "Write", input: `{"file_path":".harness/settings","content":"b"}`, path: ".harness/settings"},
		{name: "of the harness through a link", tool: "Edit", input: `{"file_path":"link/settings","old_string":"","new_string":"b"}`, path: ".harness/settings"},
		{name: "of the harness in other letters", tool: "Write", input: `{"file_path":".HARNESS/settings","content":"b"}`, path: ".HARNESS/settings"},
		{name: "of the harness by another name", tool: "Write", input: `{"file_path":"hard","content":"b"}`, path: "keys"},
		{name: "outside", tool: "Write", input: `{"file_path":"../out","content":"b"}`, path: "../out"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			set := pegboard.RuleSet{}
			if tt.deny != "" {
				set.Deny = []string{tt.deny}
			}
			perms, err := pegboard.NewPermissions(pegboard.ModeAcceptEdits, set)
			require.NoError(t, err)
			o := files.WriteOptions{AllowUnread: true, ConfigDirs: []string{".harness", "keys"}}
			g := newGround(t, pegboard.SessionConfig{Permissions: perms}, files.Write(o), files.Edit(o), files.NotebookEdit(o))
			g.put(t, "f", "a")
			require.NoError(t, os.Mkdir(filepath.Join(g.dir, ".harness"), 0o700))
			link(t, ".harness", filepath.Join(g.dir, "link"))
			require.NoError(t, os.Link(g.put(t, "keys", "a"), filepath.Join(g.dir, "hard")))
			var reg pegboard.Registry
			require.NoError(t, reg.Add(g.tools...))
			out := (&pegboard.Executor{}).Run(t.Context(), reg.AssemblePool(g.session, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: tt.tool, Input: []byte(tt.input)})[0]
			require.ErrorIs(t, out.Err, pegboard.ErrDenied)
			b, err := os.ReadFile(filepath.Join(g.dir, filepath.FromSlash(tt.path)))
			if err == nil {
				require.Equal(t, "a", string(b))
			} else {
				require.ErrorIs(t, err, fs.ErrNotExist)
			}
		})
	}
}

// TestHarnessDirectoryIsClosedInEveryMode: no mode and nobody who is asked opens
// it.
func TestHarnessDirectoryIsClosedInEveryMode(t *testing.T) {
	t.Parallel()
	perms, err := pegboard.NewPermissions(pegboard.ModeBypass, pegboard.RuleSet{Allow: []string{"Write", "Edit(**)"}})
	require.NoError(t, err)
	o := files.WriteOptions{ConfigDirs: []string{"~/.harness"}}
	g := newGround(t, pegboard.SessionConfig{Permissions: perms, Ask: yes, Home: t.TempDir()}, files.Write(o))
	out := g.write(t, "~/.harness/settings.json", "{}")
	require.ErrorIs(t, out.Err, pegboard.ErrDenied)
	require.Contains(t, out.Result.Text(), "configuration")
	require.NoDirExists(t, filepath.Join(g.session.Home(), ".harness"))
}

func TestAllowUnread(t *testing.T) {
	t.Parallel()
	g := editable(t, files.Edit(files.WriteOptions{AllowUnread: true}), files.Write(files.WriteOptions{AllowUnread: true}))
	path := g.put(t, "f", "a\nb\n")
	require.NoError(t, g.edit(t, "f", "b", "B").Err)
	require.Equal(t, "a\nB\n", content(t, path))
	require.NoError(t, g.write(t, "f", "new").Err)
	require.Equal(t, "new", content(t, path))
}

func TestFilesThatAreTooLarge(t *testing.T) {
	t.Parallel()
	o := files.WriteOptions{MaxBytes: 10}
	g := editable(t, files.Edit(o), files.Read(files.ReadOptions{}))
	g.put(t, "f", "0123456789a")
	g.read(t, map[string]any{"file_path": "f"})
	require.ErrorContains(t, g.edit(t, "f", "0", "1").Err, "11 bytes")
}
