package files_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// editable is a session that may edit below its directory.
func editable(t testing.TB, tools ...pegboard.Tool) *ground {
	t.Helper()
	perms, err := pegboard.NewPermissions(pegboard.ModeAcceptEdits)
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

func TestEdit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		text     string
		read     map[string]any // nil: the whole file; empty: nothing
		meantime string         // the content after the read
		input    map[string]any
		want     string // empty: as it was
		says     []string
		match    string
	}{
		{name: "one place", text: "a\nb\nc\n", input: edit("b", "B"), want: "a\nB\nc\n", says: []string{"1 replacement", "     2\tB"}},
		{name: "unread", text: "a\n", read: map[string]any{}, input: edit("a", "b"), says: []string{"was not read", "Read it first"}},
		{name: "a range was read", text: "a\nb\nc\n", read: map[string]any{"offset": 2, "limit": 1}, input: edit("b", "B"), want: "a\nB\nc\n"},
		{name: "several places", text: "a\nb\na\n", input: edit("a", "A"), says: []string{"1", "3", "replace_all"}},
		{name: "all places", text: "a\nb\na\n", input: all(edit("a", "A")), want: "A\nb\nA\n", says: []string{"2 replacements"}},
		{name: "nowhere", text: "alpha\nbeta\ngamma\n", input: edit("delta epsilon", "x"), says: []string{"f:"}},
		{name: "changed elsewhere", text: "a\nb\n", meantime: "0\na\nb\n", input: edit("b", "B"), want: "0\na\nB\n", says: []string{"changed since it was read", "exactly once"}},
		{name: "changed, now twice", text: "a\nb\n", meantime: "b\na\nb\n", input: edit("b", "B"), says: []string{"changed since it was read", "     1\tb", "     3\tb"}},
		{name: "changed, all", text: "a\nb\n", meantime: "b\na\nb\n", input: all(edit("b", "B")), says: []string{"changed since it was read", "2 places"}},
		{name: "changed, gone", text: "a\nb\n", meantime: "a\nc\n", input: edit("b", "B"), says: []string{"changed since it was read", "What is there now", "     2\tc"}},
		{name: "changed, only alike now", text: "func f() {\n\tx := compute(1)\n\treturn x + 10\n}\n", meantime: "func f() {\n\tx := compute(1)\n\treturn x + 20\n}\n",
			input: edit("func f() {\n\tx := compute(1)\n\treturn x + 10\n}", "func f() {\n\tx := compute(2)\n\treturn x + 10\n}"), says: []string{"does not occur exactly any more", "     3\t\treturn x + 20"}},
		{name: "a long line is cut in the report", text: "a\n" + strings.Repeat("b", 5000) + "\n", input: edit("a\nb", "A\nb"), want: "A\n" + strings.Repeat("b", 5000) + "\n", says: []string{"[3000 more bytes in this line]"}},
		{name: "rewritten with the same bytes", text: "a\nb\na\n", meantime: "a\nb\na\n", input: all(edit("a", "A")), want: "A\nb\nA\n"},
		{name: "trailing space overlooked", text: "one \ntwo\n", input: edit("one\ntwo\n", "1\n2\n"), want: "1 \n2\n", says: []string{"does not occur exactly", "white space at line ends"}, match: "match without regard to white space at line ends"},
		{name: "equal texts", text: "a\n", input: edit("a", "a"), says: []string{"equal"}},
		{name: "placeholder", text: "a\nb\n", input: edit("a", "a\n// ... rest of the code unchanged ..."), says: []string{"..."}},
		{name: "empty old text, file with content", text: "a\n", input: edit("", "b"), says: []string{"empty"}},
		{name: "empty old text, empty file", text: "", input: edit("", "b\n"), want: "b\n"},
		{name: "windows line ends", text: "a\r\nb\r\nc", input: edit("a\nb", "a\nx\nb"), want: "a\r\nx\r\nb\r\nc"},
		{name: "byte order mark", text: "\uFEFFa\nb", input: edit("b", "B"), want: "\uFEFFa\nB"},
		{name: "UTF-16", text: "\xFF\xFEa\x00\n\x00", input: edit("a", "é"), want: "\xFF\xFE\xE9\x00\n\x00"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := editable(t)
			path := g.put(t, "f", tt.text)
			if tt.read == nil || len(tt.read) > 0 {
				in := map[string]any{"file_path": "f"}
				for k, v := range tt.read {
					in[k] = v
				}
				g.read(t, in)
			}
			if tt.meantime != "" {
				g.put(t, "f", tt.meantime)
			}
			tt.input["file_path"] = "f"
			before := content(t, path)
			out := g.call(t.Context(), t, "Edit", tt.input)
			text := out.Result.Text()
			for _, want := range tt.says {
				require.Contains(t, text, want)
			}
			if tt.want == "" {
				require.Error(t, out.Err, text)
				require.Equal(t, before, content(t, path))
				return
			}
			require.NoError(t, out.Err, text)
			require.Equal(t, tt.want, content(t, path))
			data, ok := out.Result.Data.(files.EditOutput)
			require.True(t, ok)
			require.NotNil(t, data.OriginalFile)
			require.NotEmpty(t, data.StructuredPatch)
			if tt.match != "" {
				require.Equal(t, tt.match, data.Match)
			}
		})
	}
}

func edit(from, to string) map[string]any {
	return map[string]any{"old_string": from, "new_string": to}
}

func all(in map[string]any) map[string]any {
	in["replace_all"] = true
	return in
}

// TestRefusedForAChangeTheNextEditPasses: a model that was refused once knows
// enough not to be refused again.
func TestRefusedForAChangeTheNextEditPasses(t *testing.T) {
	t.Parallel()
	g := editable(t)
	path := g.put(t, "f", "a\nb\n")
	g.read(t, map[string]any{"file_path": "f"})
	g.put(t, "f", "b\na\nb\n")
	require.Error(t, g.edit(t, "f", "b", "B").Err)
	require.NoError(t, g.edit(t, "f", "a\nb", "a\nB").Err)
	require.Equal(t, "b\na\nB\n", content(t, path))
	require.NoError(t, g.edit(t, "f", "a\nB", "a\nbb").Err, "it knows what it wrote")

	g.put(t, "f", "entirely\nother\n")
	require.ErrorContains(t, g.write(t, "f", "new\n").Err, "other")
	require.NoError(t, g.write(t, "f", "new\n").Err, "it was shown what it replaces")
	require.Equal(t, "new\n", content(t, path))
}

// TestAnEditIsNoReadOfTheRest: what was not seen before an edit of another place
// is not overwritten after it.
func TestAnEditIsNoReadOfTheRest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		text     string
		read     map[string]any // nil: nothing
		meantime string         // the content after the read
		refused  bool
	}{
		{name: "read whole", text: "a\nb\n", read: map[string]any{}},
		{name: "read in part", text: "a\nb\n", read: map[string]any{"limit": 1}, refused: true},
		{name: "changed by another", text: "a\nb\n", read: map[string]any{}, meantime: "a\nb\nmore\n", refused: true},
		{name: "empty", text: ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := editable(t)
			path := g.put(t, "f", tt.text)
			if tt.read != nil {
				tt.read["file_path"] = "f"
				g.read(t, tt.read)
			}
			if tt.meantime != "" {
				g.put(t, "f", tt.meantime)
			}
			require.NoError(t, g.edit(t, "f", strings.Split(tt.text, "\n")[0], "A").Err)
			before := content(t, path)
			if tt.refused {
				require.ErrorContains(t, g.write(t, "f", "new\n").Err, "in part only")
				require.Equal(t, before, content(t, path))
				g.read(t, map[string]any{"file_path": "f"})
			}
			require.NoError(t, g.write(t, "f", "new\n").Err)
			require.Equal(t, "new\n", content(t, path))
		})
	}
}

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

// TestInvariant11NoEditIsLost: fifty agents edit one file at once, under two
// names, and every edit is there in the end.
func TestInvariant11NoEditIsLost(t *testing.T) {
	t.Parallel()
	const agents = 50
	g := editable(t)
	var text strings.Builder
	for i := range agents {
		fmt.Fprintf(&text, "line %02d\r\n", i)
	}
	path := g.put(t, "f", text.String())
	require.NoError(t, os.Link(path, filepath.Join(g.dir, "other name")))
	g.read(t, map[string]any{"file_path": "f"})
	g.read(t, map[string]any{"file_path": "other name"})
	var wg sync.WaitGroup
	for i := range agents {
		s, err := g.session.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: fmt.Sprint(i)})
		require.NoError(t, err)
		name := []string{"f", "other name"}[i%2]
		wg.Go(func() {
			out := tooltest.Run(t.Context(), files.Edit(files.WriteOptions{}), s,
				fmt.Sprintf(`{"file_path":%q,"old_string":"line %02d","new_string":"edited %02d"}`, name, i, i))
			if out.Err != nil {
				t.Errorf("agent %d: %v", i, out.Err)
			}
		})
	}
	wg.Wait()
	require.Equal(t, strings.ReplaceAll(text.String(), "line", "edited"), content(t, path))
}

func TestForksKnowWhatTheirParentHadRead(t *testing.T) {
	t.Parallel()
	g := editable(t)
	g.put(t, "before", "a\n")
	g.put(t, "after", "a\n")
	g.read(t, map[string]any{"file_path": "before"})
	fork, err := g.session.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent})
	require.NoError(t, err)
	g.read(t, map[string]any{"file_path": "after"})
	tool := files.Edit(files.WriteOptions{})
	require.NoError(t, tooltest.Run(t.Context(), tool, fork, `{"file_path":"before","old_string":"a","new_string":"b"}`).Err)
	require.ErrorContains(t, tooltest.Run(t.Context(), tool, fork, `{"file_path":"after","old_string":"a","new_string":"b"}`).Err, "was not read")
	files.Forget(g.session)
	require.ErrorContains(t, g.edit(t, "after", "a", "b").Err, "was not read")
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

func TestDiagnosesAreShown(t *testing.T) {
	t.Parallel()
	var asked []string
	o := files.WriteOptions{Diagnose: func(_ context.Context, path string) string {
		asked = append(asked, path)
		return "\nline 1: no such thing\n"
	}}
	g := editable(t, files.Write(o), files.Edit(o), files.Read(files.ReadOptions{}))
	for _, out := range []pegboard.Outcome{g.write(t, "f", "a\n"), g.edit(t, "f", "a", "b")} {
		require.NoError(t, out.Err)
		require.True(t, strings.HasSuffix(out.Result.Text(), "\nline 1: no such thing"), out.Result.Text())
	}
	path := filepath.Join(g.dir, "f")
	require.Equal(t, []string{path, path}, asked)
}

func TestFilesThatAreTooLarge(t *testing.T) {
	t.Parallel()
	o := files.WriteOptions{MaxBytes: 10}
	g := editable(t, files.Edit(o), files.Read(files.ReadOptions{}))
	g.put(t, "f", "0123456789a")
	g.read(t, map[string]any{"file_path": "f"})
	require.ErrorContains(t, g.edit(t, "f", "0", "1").Err, "11 bytes")
}

// TestLinksAndModesSurvive: what the tools see of a file is its content.
func TestLinksAndModesSurvive(t *testing.T) {
	t.Parallel()
	g := editable(t)
	path := g.put(t, "dir/f", "a\n")
	require.NoError(t, os.Chmod(path, 0o750))
	link(t, "dir/f", filepath.Join(g.dir, "link"))
	require.NoError(t, os.Link(path, filepath.Join(g.dir, "second")))
	for i, name := range []string{"link", "dir/f", "second"} {
		g.read(t, map[string]any{"file_path": name})
		require.NoError(t, g.edit(t, name, strings.Repeat("a", i+1), strings.Repeat("a", i+2)).Err)
	}
	fi, err := os.Lstat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o750), fi.Mode())
	second, err := os.Lstat(filepath.Join(g.dir, "second"))
	require.NoError(t, err)
	require.True(t, os.SameFile(fi, second))
	to, err := os.Readlink(filepath.Join(g.dir, "link"))
	require.NoError(t, err)
	require.Equal(t, "dir/f", to)
	require.Equal(t, "aaaa\n", content(t, path))
}

func TestWritersKeepTheContract(t *testing.T) {
	t.Parallel()
	o := files.WriteOptions{}
	require.NoError(t, tooltest.Check(files.Write(o), `{"file_path":"a","content":"b"}`))
	require.NoError(t, tooltest.Check(files.Edit(o), `{"file_path":"a","old_string":"b","new_string":"c"}`))
	require.NoError(t, tooltest.Check(files.NotebookEdit(o), `{"notebook_path":"a.ipynb","cell_id":"b","new_source":"c"}`))
}
