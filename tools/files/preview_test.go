package files_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// dialog is a person who is shown a preview, and allows the call or not.
type dialog struct {
	allow bool
	shown pegboard.Diff
	err   error
	asked int
}

func (d *dialog) ask(ctx context.Context, q *pegboard.Question) (policy.Decision, error) {
	d.asked++
	var diffs []pegboard.Diff
	if diffs, d.err = q.Preview(ctx); len(diffs) > 0 {
		d.shown = diffs[0]
	}
	if d.allow {
		return policy.Decision{Behavior: policy.Allow}, nil
	}
	return policy.Decision{Behavior: policy.Deny, Reason: "not now"}, nil
}

// asking is a session that asks d before it writes.
func asking(t testing.TB, d *dialog, tools ...pegboard.Tool) *ground {
	t.Helper()
	return newGround(t, pegboard.SessionConfig{Ask: d.ask}, tools...)
}

// previewCase is a call of one of the tools on a file.
type previewCase struct {
	name     string
	file     string  // empty: "f"
	text     *string // nil: there is no file
	unread   bool
	meantime string // the content after the read
	tool     string
	input    map[string]any

	diff string // as Unified writes it
	made bool   // it makes the file
	says string // of the refusal that nobody is asked about; empty: the call would pass
}

func previewCases() []previewCase {
	text := func(s string) *string { return &s }
	cell := func(id, source string) map[string]any { return map[string]any{"cell_id": id, "new_source": source} }
	write := func(content string) map[string]any { return map[string]any{"content": content} }
	return []previewCase{
		{name: "edit", text: text("a\nb\nc\n"), tool: "Edit", input: edit("b", "B"), diff: "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"},
		{name: "all", text: text("b\nb\n"), tool: "Edit", input: all(edit("b", "c")), diff: "@@ -1,2 +1,2 @@\n-b\n-b\n+c\n+c\n"},
		{name: "two hunks", text: text("b\n1\n2\n3\n4\n5\n6\n7\nb\n"), tool: "Edit", input: all(edit("b", "c")), diff: "@@ -1,4 +1,4 @@\n-b\n+c\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+c\n"},
		{name: "not found exactly", text: text("  a\n  b\n"), tool: "Edit", input: edit("a\nb", "a\nB"), diff: "@@ -1,2 +1,2 @@\n   a\n-  b\n+  B\n"},
		{name: "changed elsewhere since", text: text("a\nb\n"), meantime: "A\nb\n", tool: "Edit", input: edit("b", "B"), diff: "@@ -1,2 +1,2 @@\n A\n-b\n+B\n"},
		{name: "windows line ends", text: text("a\r\nb\r\n"), tool: "Edit", input: edit("a\n", "a\nx\n"), diff: "@@ -1,2 +1,3 @@\n a\n+x\n b\n"},
		{name: "byte order mark", text: text("\uFEFFa\n"), tool: "Edit", input: edit("a", "b"), diff: "@@ -1 +1 @@\n-a\n+b\n"},
		{name: "UTF-16", text: text("\xFF\xFEa\x00\n\x00"), tool: "Edit", input: edit("a", "é"), diff: "@@ -1 +1 @@\n-a\n+é\n"},
		{name: "Latin-1", text: text("\xE9\na\n"), tool: "Edit", input: edit("a", "b"), diff: "@@ -1,2 +1,2 @@\n \uFFFD\n-a\n+b\n"},
		{name: "no end of line", text: text("a"), tool: "Edit", input: edit("a", "b"), diff: "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"},
		{name: "new by an edit", tool: "Edit", input: edit("", "a\nb\n"), made: true, diff: "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{name: "empty file filled", text: text(""), tool: "Edit", input: edit("", "a\n"), diff: "@@ -0,0 +1 @@\n+a\n"},
		{name: "old text absent", text: text("a\n"), tool: "Edit", input: edit("zzzzz", "x"), says: "not in the file"},
		{name: "old text twice", text: text("a\na\n"), tool: "Edit", input: edit("a", "x"), says: "lines 1, 2"},
		{name: "unread", text: text("a\n"), unread: true, tool: "Edit", input: edit("a", "x"), says: "was not read"},
		{name: "changed at the place since", text: text("a\nb\n"), meantime: "a\nother\n", tool: "Edit", input: edit("b", "B"), says: "other"},
		{name: "no such file", tool: "Edit", input: edit("a", "x"), says: "does not exist"},
		{name: "a notebook", file: "n.ipynb", text: text(notebookText), tool: "Edit", input: edit("Title", "x"), says: "NotebookEdit"},
		{name: "no text", text: text("a\x00b"), unread: true, tool: "Edit", input: edit("a", "x"), says: "cannot be edited"},

		{name: "write", text: text("a\nb\n"), tool: "Write", input: write("a\nc\n"), diff: "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"},
		{name: "write the same", text: text("a\n"), tool: "Write", input: write("a\n")},
		{name: "write other line ends", text: text("a\nb\n"), tool: "Write", input: write("a\r\nb\r\n")},
		{name: "new", tool: "Write", input: write("a\r\nb"), made: true, diff: "@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n"},
		{name: "new and empty", tool: "Write", input: write(""), made: true},
		{name: "new, no text", tool: "Write", input: write("a\x00"), says: "NUL"},
		{name: "write unread", text: text("a\n"), unread: true, tool: "Write", input: write("b"), says: "was not read"},
		{name: "write changed", text: text("a\n"), meantime: "other\n", tool: "Write", input: write("b"), says: "other"},

		{name: "cell", file: "n.ipynb", text: text(notebookText), tool: "NotebookEdit", input: cell("bb", "# Other"), diff: "# Other"},
		{name: "unknown cell", file: "n.ipynb", text: text(notebookText), tool: "NotebookEdit", input: cell("zz", "x"), says: "has 2"},
		{name: "unread notebook", file: "n.ipynb", text: text(notebookText), unread: true, tool: "NotebookEdit", input: cell("bb", "x"), says: "Read it first"},
		{name: "no notebook", file: "n.ipynb", tool: "NotebookEdit", input: cell("bb", "x"), says: "does not exist"},
	}
}

// setUp returns a session that knows the file as the case says, and the path.
func (tc *previewCase) setUp(t *testing.T, d *dialog) (g *ground, path string) {
	t.Helper()
	if tc.file == "" {
		tc.file = "f"
	}
	field := "file_path"
	if tc.tool == "NotebookEdit" {
		field = "notebook_path"
	}
	tc.input[field] = tc.file
	g = asking(t, d)
	if tc.text != nil {
		g.put(t, tc.file, *tc.text)
		if !tc.unread {
			require.NoError(t, g.call(t.Context(), t, "Read", map[string]any{"file_path": tc.file}).Err)
		}
	}
	if tc.meantime != "" {
		g.put(t, tc.file, tc.meantime)
	}
	return g, filepath.Join(g.dir, tc.file)
}

// TestPreviewIsWhatTheCallDoes runs each call after its preview and compares.
func TestPreviewIsWhatTheCallDoes(t *testing.T) {
	t.Parallel()
	for _, tc := range previewCases() {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d := &dialog{allow: true}
			g, path := tc.setUp(t, d)
			before := tree(t, g.dir)
			out := g.call(t.Context(), t, tc.tool, tc.input)
			if tc.says != "" {
				require.ErrorIs(t, out.Err, pegboard.ErrInvalidInput)
				require.ErrorContains(t, out.Err, tc.says)
				require.Contains(t, out.Result.Text(), tc.says)
				require.Equal(t, before, tree(t, g.dir))
				require.Zero(t, d.asked, "a change that cannot be made is not put to the user")
				return
			}
			require.Equal(t, 1, d.asked)
			require.NoError(t, d.err)
			require.NoError(t, out.Err, out.Result.Text())
			require.Equal(t, path, d.shown.Path)
			require.Equal(t, tc.made, d.shown.New)
			require.Zero(t, d.shown.Omitted)
			if tc.tool == "NotebookEdit" {
				require.Contains(t, d.shown.Unified(), tc.diff)
				return
			}
			require.Equal(t, tc.diff, d.shown.Unified())
			require.Equal(t, []pegboard.Diff{d.shown}, out.Result.Diffs)
			if !tc.made {
				require.Equal(t, patchOf(t, out), d.shown.Hunks)
			}
		})
	}
}

// patchOf returns what the tool itself says that it changed.
func patchOf(t *testing.T, out pegboard.Outcome) []pegboard.Hunk {
	t.Helper()
	if data, ok := out.Result.Data.(files.EditOutput); ok {
		return data.StructuredPatch
	}
	data, ok := out.Result.Data.(files.WriteOutput)
	require.True(t, ok)
	return data.StructuredPatch
}

// TestPreviewChangesNothing: the file stays, nothing appears beside it, and what
// the preview says does not count as shown to the model.
func TestPreviewChangesNothing(t *testing.T) {
	t.Parallel()
	for _, tc := range previewCases() {
		if tc.says != "" {
			continue // it has no preview
		}
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d := &dialog{}
			g, _ := tc.setUp(t, d)
			before := tree(t, g.dir)
			require.ErrorIs(t, g.call(t.Context(), t, tc.tool, tc.input).Err, pegboard.ErrDenied)
			first := *d
			require.ErrorIs(t, g.call(t.Context(), t, tc.tool, tc.input).Err, pegboard.ErrDenied)
			require.Equal(t, before, tree(t, g.dir))
			require.Equal(t, first.shown, d.shown)
		})
	}
}

// tree returns what lies below dir: what it is called, its mode, time and content.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		entry := fmt.Sprint(path, info.Mode(), info.ModTime())
		if !e.IsDir() {
			entry += content(t, path)
		}
		all = append(all, entry)
		return nil
	}))
	return all
}

func TestPreviewMakesNoDirectories(t *testing.T) {
	t.Parallel()
	d := &dialog{}
	g := asking(t, d)
	require.Error(t, g.write(t, "x/y/f", "a").Err)
	require.NoError(t, d.err)
	require.True(t, d.shown.New)
	require.NoDirExists(t, filepath.Join(g.dir, "x"))
}

// renamed is a wrapper of a host.
type renamed struct{ pegboard.Tool }

func (r renamed) Info() pegboard.Info { return pegboard.Info{Name: "Patch"} }

// TestPreviewGoesByTheTool: a name promises nothing.
func TestPreviewGoesByTheTool(t *testing.T) {
	t.Parallel()
	type other struct {
		FilePath string `json:"file_path"`
		Content  string `json:"content"`
	}
	inner := files.Write(files.WriteOptions{})
	for _, tc := range []struct {
		name string
		tool pegboard.Tool
		ok   bool
	}{
		{name: "Write", tool: inner, ok: true},
		{name: "Patch", tool: renamed{inner}},
		{name: "Write of another package", tool: pegboard.Build(pegboard.Definition[other, string]{
			Info: pegboard.Info{Name: "Write"}, Description: "d",
			Call: func(context.Context, other, *pegboard.Call) (string, error) { return "", nil },
		})},
		{name: "Glob", tool: files.Glob(files.GlobOptions{})},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var asked *pegboard.Question
			var err, unwrapped error
			g := newGround(t, pegboard.SessionConfig{Ask: func(ctx context.Context, q *pegboard.Question) (policy.Decision, error) {
				asked = q
				_, err = q.Preview(ctx)
				own := *q
				own.Tool = inner
				_, unwrapped = own.Preview(ctx)
				return policy.Decision{Behavior: policy.Deny}, nil
			}}, tc.tool)
			g.call(t.Context(), t, tc.tool.Info().Name, map[string]any{"file_path": "f", "content": "a"})
			if tc.name == "Glob" { // which nobody asks about
				_, err = (&pegboard.Question{Tool: tc.tool, Call: &pegboard.Call{Name: "Glob"}}).Preview(t.Context())
			} else {
				require.NotNil(t, asked)
			}
			if tc.ok {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, pegboard.ErrNoPreview)
			if tc.name == "Patch" {
				require.NoError(t, unwrapped, "the host knows its wrapper")
			}
		})
	}
}

func TestPreviewOfACallThatWasNotDecided(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	raw := fmt.Sprintf(`{"file_path":%q,"content":"a"}`, filepath.Join(dir, "f"))
	q := &pegboard.Question{Tool: files.Write(files.WriteOptions{}), Call: &pegboard.Call{Name: "Write", Input: []byte(raw)}}
	_, err := q.Preview(t.Context())
	require.ErrorContains(t, err, "Executor")
	q.Call.Input = []byte(`{"file_path":"f"}`)
	_, err = q.Preview(t.Context())
	require.ErrorIs(t, err, pegboard.ErrInvalidInput)
	q.Call.Input = []byte(`{"file_path":"f/","content":"a"}`)
	_, err = q.Preview(t.Context())
	require.ErrorContains(t, err, "names a directory")
}

// TestPreviewOpensWhatWasDecided: a link that leads elsewhere by now is refused.
func TestPreviewOpensWhatWasDecided(t *testing.T) {
	t.Parallel()
	d := &dialog{}
	var g *ground
	var moved error
	g = newGround(t, pegboard.SessionConfig{Ask: func(ctx context.Context, q *pegboard.Question) (policy.Decision, error) {
		dir := filepath.Join(g.dir, "d")
		moved = errors.Join(os.Rename(dir, dir+" before"), os.Symlink("secret", dir))
		return d.ask(ctx, q)
	}})
	g.put(t, "d/f", "a\n")
	g.put(t, "secret/f", "secret\n")
	g.read(t, map[string]any{"file_path": "d/f"})
	require.Error(t, g.write(t, "d/f", "b").Err)
	require.NoError(t, moved)
	require.ErrorContains(t, d.err, "leads elsewhere now")
	require.NotContains(t, d.err.Error(), "secret\n")
}

func TestPreviewHasTheLimitsOfTheTool(t *testing.T) {
	t.Parallel()
	d := &dialog{}
	g := asking(t, d, files.Edit(files.WriteOptions{MaxBytes: 10, AllowUnread: true}))
	g.put(t, "f", "0123456789a")
	require.ErrorContains(t, g.edit(t, "f", "0", "1").Err, "11 bytes")
	require.Zero(t, d.asked)

	g.put(t, "f", "0123456789")
	require.Error(t, g.edit(t, "f", "0", "1").Err)
	require.NoError(t, d.err)
}

func TestPreviewIsCut(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("x", 99)
	for _, tc := range []struct {
		name    string
		content string
		lines   []int // of each hunk
		omitted int
	}{
		{name: "all of it", content: strings.Repeat(line+"\n", 10_000), lines: []int{10_000}},
		{name: "too many lines", content: strings.Repeat(line+"\n", 20_000), lines: []int{files.MaxDiff / 101}, omitted: 20_000 - files.MaxDiff/101},
		{name: "nothing after the gap", content: "a\n" + strings.Repeat("x", files.MaxDiff) + "\nb\n", lines: []int{1}, omitted: 2},
		{name: "one line", content: strings.Repeat("x", files.MaxDiff), omitted: 1},
		{name: "just fits", content: strings.Repeat("x", files.MaxDiff-2), lines: []int{1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d := &dialog{}
			require.Error(t, asking(t, d).write(t, "f", tc.content).Err)
			require.NoError(t, d.err)
			require.Equal(t, tc.omitted, d.shown.Omitted)
			require.Len(t, d.shown.Hunks, len(tc.lines))
			for i, h := range d.shown.Hunks {
				require.Equal(t, tc.lines[i], h.NewLines)
				require.Zero(t, h.OldLines)
			}
		})
	}
}

// TestPreviewThatIsCutIsOneStretch: it counts the lines that it has, of all kinds,
// and shows nothing behind the place where it ends.
func TestPreviewThatIsCutIsOneStretch(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("y", files.MaxDiff)
	for _, tc := range []struct {
		name          string
		text, content string
		want          []pegboard.Hunk
		omitted       int
	}{
		{
			name: "in a hunk", text: "1\n2\n3\n4\n5\n", content: "1\n2\nx\n" + long + "\n4\n5\n", omitted: 3,
			want: []pegboard.Hunk{{OldStart: 1, OldLines: 3, NewStart: 1, NewLines: 3, Lines: []string{" 1", " 2", "-3", "+x"}}},
		},
		{
			name: "with a hunk behind", text: "a\n1\n2\n3\n4\n5\n6\n7\nb\n", content: long + "\n1\n2\n3\n4\n5\n6\n7\nc\n", omitted: 9,
			want: []pegboard.Hunk{{OldStart: 1, OldLines: 1, NewStart: 1, Lines: []string{"-a"}}},
		},
		{
			name: "before a line without an end", text: "", content: long[:files.MaxDiff-2],
			want: []pegboard.Hunk{{OldStart: 1, NewStart: 1, NewLines: 1, Lines: []string{"+" + long[:files.MaxDiff-2], `\ No newline at end of file`}}},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d := &dialog{}
			g := asking(t, d)
			g.put(t, "f", tc.text)
			g.read(t, map[string]any{"file_path": "f"})
			require.Error(t, g.write(t, "f", tc.content).Err)
			require.NoError(t, d.err)
			require.Equal(t, tc.want, d.shown.Hunks)
			require.Equal(t, tc.omitted, d.shown.Omitted)
		})
	}
}

// TestPreviewWaitsForNobody: a diagnosis that takes long holds the file.
func TestPreviewWaitsForNobody(t *testing.T) {
	t.Parallel()
	diagnosing, proceed := make(chan struct{}), make(chan struct{})
	d := &dialog{}
	slow := files.Write(files.WriteOptions{Diagnose: func(context.Context, string) ([]string, error) {
		close(diagnosing)
		<-proceed
		return nil, nil
	}})
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Edit(f)"}, Ask: []string{"Write"}})
	require.NoError(t, err)
	g := newGround(t, pegboard.SessionConfig{Permissions: perms, Ask: func(ctx context.Context, q *pegboard.Question) (policy.Decision, error) {
		if d.asked > 0 {
			return d.ask(ctx, q)
		}
		d.asked++
		return policy.Decision{Behavior: policy.Allow}, nil
	}}, slow)
	var wg sync.WaitGroup
	wg.Go(func() { g.write(t, "f", "a\n") })
	<-diagnosing
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out := g.call(ctx, t, "Write", map[string]any{"file_path": "f", "content": "b\n"})
	require.ErrorIs(t, out.Err, pegboard.ErrDenied)
	require.NoError(t, d.err)
	require.Equal(t, "@@ -1 +1 @@\n-a\n+b\n", d.shown.Unified())
	close(proceed)
	wg.Wait()
}

func TestPreviewEndsWithItsContext(t *testing.T) {
	t.Parallel()
	var err error
	g := newGround(t, pegboard.SessionConfig{Ask: func(ctx context.Context, q *pegboard.Question) (policy.Decision, error) {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		_, err = q.Preview(ctx)
		return policy.Decision{Behavior: policy.Deny}, nil
	}})
	require.Error(t, g.write(t, "f", "b").Err)
	require.ErrorIs(t, err, context.Canceled)
}
