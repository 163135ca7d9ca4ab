package files_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

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
		{name: "a long line is cut in the report", text: "a\n" + strings.Repeat("b", 5000) + "\n", input: edit("a\nb", "A\nb"), want: "A\n" + strings.Repeat("b", 5000) + "\n", says: []string{"[4700 more bytes in this line; Read shows them with offset 2 and byte_offset 300]"}},
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

// TestErrorsSayWhatIsWrongOnce: no words stand twice in the sentences of an error.
func TestErrorsSayWhatIsWrongOnce(t *testing.T) {
	t.Parallel()
	step := map[string]any{"old_string": "b\n", "new_string": "x"}
	for _, tt := range []struct {
		name  string
		now   string
		tool  string
		input map[string]any
	}{
		{name: "gone", now: "c\n", tool: "Edit", input: step},
		{name: "several", now: "b\nb\n", tool: "Edit", input: step},
		{name: "made already", now: "a long line that is new\n", tool: "Edit", input: map[string]any{"old_string": "b\n", "new_string": "a long line that is new"}},
		{name: "with a line that stands for others", now: "b\nc\n", tool: "Edit", input: map[string]any{"old_string": "b\n", "new_string": "// ... rest of the code ...\n"}},
		{name: "gone, several edits", now: "c\n", tool: "MultiEdit", input: map[string]any{"edits": []any{step}}},
		{name: "several, several edits", now: "b\nb\n", tool: "MultiEdit", input: map[string]any{"edits": []any{step}}},
		{name: "not exactly, several edits", now: "b \n", tool: "MultiEdit", input: map[string]any{"edits": []any{step}}},
		{name: "overwritten", now: "c\n", tool: "Write", input: map[string]any{"content": "x"}},
		{name: "overwritten by a patch", now: "c\n", tool: "apply_patch", input: map[string]any{"input": "*** Begin Patch\n*** Add File: f\n+x\n*** End Patch"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := editable(t, append(files.Tools(), files.MultiEdit(files.WriteOptions{}), files.ApplyPatch(files.WriteOptions{}))...)
			path := g.put(t, "f", "b\n")
			g.read(t, map[string]any{"file_path": path})
			g.put(t, "f", tt.now)
			input := maps.Clone(tt.input)
			if tt.tool != "apply_patch" {
				input["file_path"] = path
			}
			out := g.call(t.Context(), t, tt.tool, input)
			require.Error(t, out.Err)
			text, _, _ := strings.Cut(out.Result.Text(), "\n")
			words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" .,;:", r) })
			seen := map[string]bool{}
			for i := range len(words) - 3 {
				four := strings.Join(words[i:i+4], " ")
				require.False(t, seen[four], "%q stands twice in %s", four, text)
				seen[four] = true
			}
			require.LessOrEqual(t, strings.Count(strings.ToLower(text), "nothing was"), 1, text)
		})
	}
}

// TestEditSaysWhetherItsInputWasChanged: by a person, and not by the way it is written.
func TestEditSaysWhetherItsInputWasChanged(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		answer   string // %s stands for the file
		modified bool
		want     string
	}{
		{name: "as the model wrote it", want: "B\n"},
		{name: "written in another way", answer: `{"new_string": "B", "old_string": "b", "file_path": %s}`, want: "B\n"},
		{name: "another text", answer: `{"file_path": %s, "old_string": "b", "new_string": "C"}`, modified: true, want: "C\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var path []byte
			g := newGround(t, pegboard.SessionConfig{Ask: func(context.Context, *pegboard.Question) (policy.Decision, error) {
				d := policy.Decision{Behavior: policy.Allow}
				if tt.answer != "" {
					d.Input = fmt.Appendf(nil, tt.answer, path)
				}
				return d, nil
			}})
			name := g.put(t, "f", "b\n")
			path, _ = json.Marshal(name)
			g.read(t, map[string]any{"file_path": name})
			out := g.edit(t, name, "b", "B")
			require.NoError(t, out.Err)
			data, ok := out.Result.Data.(files.EditOutput)
			require.True(t, ok)
			require.Equal(t, tt.modified, data.UserModified)
			require.Equal(t, tt.want, content(t, name))
		})
	}
}
