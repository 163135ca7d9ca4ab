package files_test

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
