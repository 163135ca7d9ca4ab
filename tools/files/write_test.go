package files_test

import (
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
