package files_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/files"
)

func TestMultiEdit(t *testing.T) {
	t.Parallel()
	step := func(old, now string) map[string]any { return map[string]any{"old_string": old, "new_string": now} }
	all := func(old, now string) map[string]any {
		return map[string]any{"old_string": old, "new_string": now, "replace_all": true}
	}
	const text = "one\ntwo\nthree\ntwo\n"
	for _, tt := range []struct {
		name     string
		text     string // "" for no file
		unread   bool
		meantime string // what the file becomes after it was read
		edits    []map[string]any
		want     string // "" if nothing may change
		says     []string
	}{
		{name: "several", text: text, edits: []map[string]any{step("one", "1"), step("three\ntwo", "3\n2")}, want: "1\ntwo\n3\n2\n",
			says: []string{"2 edits, 2 replacements.\n     1\t1\n     2\ttwo\n     3\t3\n     4\t2"}},
		{name: "in the text that the edits before leave", text: text, edits: []map[string]any{step("one", "two"), all("two", "2"), step("three", "one")}, want: "2\n2\none\n2\n", says: []string{"3 edits, 5 replacements"}},
		{name: "the second is not possible", text: text, edits: []map[string]any{step("one", "1"), step("four", "4"), step("three", "3")}, says: []string{"edits[1]: the old text is not in the file"}},
		{name: "the last is ambiguous", text: text, edits: []map[string]any{step("one", "1"), step("two", "2")}, says: []string{"edits[1]: the old text is not unique: it is found at lines 2, 4"}},
		{name: "ambiguous after an edit only", text: text, edits: []map[string]any{step("one", "three"), step("three", "3")}, says: []string{"edits[1]: the old text is not unique: it is found at lines 1, 3"}},
		{name: "what an edit took away", text: text, edits: []map[string]any{step("one\n", ""), step("one", "1")}, says: []string{"edits[1]"}},
		{name: "not exactly", text: "a  \nb\nc\n", edits: []map[string]any{step("c", "C"), step("a\nb\n", "a\nB\n")}, want: "a  \nB\nC\n",
			says: []string{"The old_string of edits[1] does not occur exactly as given; what was replaced is a match without regard to white space at line ends. Check it."}},
		{name: "a new file", edits: []map[string]any{step("", "a\nb\n"), step("b", "c")}, want: "a\nc\n", says: []string{"Made ", "2 edits, 1 replacement."}},
		{name: "no file", edits: []map[string]any{step("a", "b")}, says: []string{"does not exist", "If the first old_string is empty, a new file is made."}},
		{name: "an empty old text", text: text, edits: []map[string]any{step("one", "1"), step("", "x")}, says: []string{"edits[1]: old_string is empty, which only the first edit may be"}},
		{name: "an empty first old text and a file", text: text, edits: []map[string]any{step("", "x")}, says: []string{"edits[0]: the old text is empty, but the file is not"}},
		{name: "equal texts", text: text, edits: []map[string]any{step("one", "one")}, says: []string{"edits[0]: old_string and new_string are equal"}},
		{name: "no edits", text: text, edits: []map[string]any{}, says: []string{"edits"}},
		{name: "unread", text: text, unread: true, edits: []map[string]any{step("one", "1")}, says: []string{"was not read. Read it first"}},
		{name: "changed elsewhere", text: text, meantime: "0\n" + text, edits: []map[string]any{step("one", "1"), step("three", "3")}, want: "0\n1\ntwo\n3\ntwo\n"},
		{name: "changed, and not there any more", text: text, meantime: "1\ntwo\n", edits: []map[string]any{step("two", "2"), step("one", "x")}, says: []string{"edits[1]: the file changed since it was read, and old_string is not in it", "read it again"}},
		{name: "changed, and not exact any more", text: text, meantime: "one \ntwo\n", edits: []map[string]any{step("one\ntwo\n", "x\n")}, says: []string{"changed since it was read", "read it again"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := editable(t, files.MultiEdit(files.WriteOptions{}), files.Read(files.ReadOptions{}))
			if tt.text != "" {
				g.put(t, "f", tt.text)
				if !tt.unread {
					g.read(t, map[string]any{"file_path": "f"})
				}
			}
			before := tt.text
			if tt.meantime != "" {
				before = tt.meantime
				g.put(t, "f", tt.meantime)
			}
			out := g.call(t.Context(), t, "MultiEdit", map[string]any{"file_path": "f", "edits": tt.edits})
			for _, want := range tt.says {
				require.Contains(t, out.Result.Text(), want)
			}
			if tt.want == "" {
				require.Error(t, out.Err)
				if before == "" {
					require.NoFileExists(t, g.dir+"/f")
				} else {
					require.Equal(t, before, content(t, g.dir+"/f"))
				}
				return
			}
			require.NoError(t, out.Err, out.Result.Text())
			require.Equal(t, tt.want, content(t, g.dir+"/f"))
			data, ok := out.Result.Data.(files.MultiEditOutput)
			require.True(t, ok)
			require.Len(t, data.Matches, len(tt.edits))
			require.Len(t, out.Result.Diffs, 1)
			if tt.text == "" {
				require.Nil(t, data.OriginalFile)
			} else {
				require.Equal(t, before, *data.OriginalFile)
			}
		})
	}
}

func TestMultiEditRefusesNotebooks(t *testing.T) {
	t.Parallel()
	g := editable(t, append(files.Tools(), files.MultiEdit(files.WriteOptions{}))...)
	g.put(t, "n.ipynb", notebookText)
	out := g.call(t.Context(), t, "MultiEdit", map[string]any{"file_path": "n.ipynb", "edits": []any{map[string]any{"old_string": "Title", "new_string": "x"}}})
	require.ErrorContains(t, out.Err, "Use NotebookEdit")
}
