package files_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		files map[string]string
		reads []map[string]any
		path  string
		text  string
		want  string // empty: refused, and nothing written
		says  string
	}{
		{name: "new", path: "f", text: "a\r\nb", want: "a\r\nb", says: "Made"},
		{name: "new, empty", path: "f", text: "", says: "Made"},
		{name: "new directories", path: "x/y/f", text: "a", want: "a"},
		{name: "below a file", files: map[string]string{"x": ""}, path: "x/f", text: "a", says: "List the directories above"},
		{name: "over an unread file", files: map[string]string{"f": "old"}, path: "f", text: "a", says: "was not read"},
		{name: "over a read file", files: map[string]string{"f": "old"}, reads: []map[string]any{{}}, path: "f", text: "a\n", want: "a\n", says: "Replaced"},
		{name: "over a file read in part", files: map[string]string{"f": "a\nb\nc\n"}, reads: []map[string]any{{"limit": 1}}, path: "f", text: "x", says: "in part only: from line 2 on"},
		{name: "over a file read in part, UTF-16", files: map[string]string{"f": "\xFF\xFEa\x00\n\x00b\x00\n\x00"}, reads: []map[string]any{{"limit": 1}}, path: "f", text: "x", says: "from line 1 on"},
		{name: "over a file with a line that is too long", files: map[string]string{"f": strings.Repeat("a", 5000)}, reads: []map[string]any{{}}, path: "f", text: "x", says: "use Edit"},
		{name: "over a file read in parts", files: map[string]string{"f": "a\nb\nc\n"}, reads: []map[string]any{{"limit": 2}, {"offset": 3}}, path: "f", text: "x", want: "x"},
		{name: "keeps line ends and mark", files: map[string]string{"f": "\uFEFFa\r\nb\r\n"}, reads: []map[string]any{{}}, path: "f", text: "x\ny\n", want: "\uFEFFx\r\ny\r\n"},
		{name: "over a binary file", files: map[string]string{"f": "a\x00b"}, path: "f", text: "x", says: "remove it first"},
		{name: "of a directory", path: "new/", text: "a", says: "names a directory"},
		{name: "of a directory, with a dot", path: "new/.", text: "a", says: "names a directory"},
		{name: "in a file of dots", path: "new...", text: "a", want: "a"},
		{name: "over a directory", files: map[string]string{"d/f": ""}, path: "d", text: "x", says: "directory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := editable(t)
			for name, text := range tt.files {
				g.put(t, name, text)
			}
			for _, in := range tt.reads {
				in["file_path"] = tt.path
				g.read(t, in)
			}
			out := g.write(t, tt.path, tt.text)
			require.Contains(t, out.Result.Text(), tt.says)
			if tt.want == "" && tt.text != "" {
				require.Error(t, out.Err)
				for name, text := range tt.files {
					require.Equal(t, text, content(t, filepath.Join(g.dir, filepath.FromSlash(name))))
				}
				return
			}
			require.NoError(t, out.Err, out.Result.Text())
			require.Equal(t, tt.want, content(t, filepath.Join(g.dir, filepath.FromSlash(tt.path))))
		})
	}
}

// TestWriteOverAFileThatOthersChanged does not say that it was read in part only, and the
// call succeeds when the advice is followed.
func TestWriteOverAFileThatOthersChanged(t *testing.T) {
	t.Parallel()
	const text = "a\nb\nc\n"
	const changed = "changed since it was read, and nothing was written."
	whole, part := []map[string]any{{}}, []map[string]any{{"limit": 1}}
	for _, tt := range []struct {
		name  string
		reads []map[string]any
		edit  bool // after the reads
		now   string
		says  string
	}{
		{name: "grown", reads: whole, now: text + "d\n", says: changed},
		{name: "shorter", reads: whole, now: "a\n", says: changed},
		{name: "changed", reads: whole, now: "a\nB\nc\n", says: changed},
		{name: "one of two parts changed", reads: []map[string]any{{"limit": 2}, {"offset": 3}}, now: "A\nb\nc\n", says: changed},
		{name: "read in part, and grown", reads: part, now: text + "d\n", says: changed},
		{name: "read in part", reads: part, now: text, says: "was read in part only: from line 2 on"},
		{name: "edited, and grown", reads: whole, edit: true, now: "a\nb\nX\nd\n", says: changed},
		{name: "read in part and edited", reads: part, edit: true, now: "a\nb\nX\n", says: "was read in part only"},
		{name: "grown too much to be shown", reads: whole, now: text + strings.Repeat("d\n", 300), says: changed + " Read it again."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := editable(t)
			path := g.put(t, "f", text)
			for _, in := range tt.reads {
				in = maps.Clone(in)
				in["file_path"] = path
				g.read(t, in)
			}
			if tt.edit {
				require.NoError(t, g.edit(t, "f", "c", "X").Err)
			}
			if content(t, path) != tt.now {
				g.put(t, "f", tt.now)
			}
			out := g.write(t, "f", "new")
			require.ErrorContains(t, out.Err, tt.says)
			if !strings.Contains(out.Result.Text(), "may be repeated") {
				g.read(t, map[string]any{"file_path": "f"})
			}
			require.NoError(t, g.write(t, "f", "new").Err)
		})
	}
}

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
			set := policy.RuleSet{}
			if tt.deny != "" {
				set.Deny = []string{tt.deny}
			}
			perms, err := policy.New(policy.ModeAcceptEdits, set)
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
	perms, err := policy.New(policy.ModeBypass, policy.RuleSet{Allow: []string{"Write", "Edit(**)"}})
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
