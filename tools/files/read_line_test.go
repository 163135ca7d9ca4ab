package files_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

func TestReadShowsTheRestOfALine(t *testing.T) {
	t.Parallel()
	small := files.Read(files.ReadOptions{MaxLineLength: 5})
	for _, tt := range []struct {
		name, text string
		input      map[string]any
		want       string
		refuse     bool
	}{
		{name: "the middle", text: "a\nabcdefghijklm\nb\n", input: map[string]any{"offset": 2, "byte_offset": 5},
			want: "[PARTIAL view: lines 2 to 2 of 3; the file has 18 bytes. Go on with offset 3.]\n[Line 2 is shown from its byte 5 on.]\n     2\tfghij … [3 more bytes in this line; go on with offset 2 and byte_offset 10]"},
		{name: "the end", text: "abcdefg\r\n", input: map[string]any{"byte_offset": 5}, want: "[Line 1 is shown from its byte 5 on.]\n     1\tfg"},
		{name: "with the next lines", text: "abcdefg\nbc\n", input: map[string]any{"byte_offset": 5, "limit": 9}, want: "[Line 1 is shown from its byte 5 on.]\n     1\tfg\n     2\tbc"},
		{name: "within a character", text: "äöü€x\n", input: map[string]any{"byte_offset": 7}, want: "[Line 1 is shown from its byte 9 on.]\n     1\tx"},
		{name: "in UTF-16", text: "\xff\xfea\x00\xe4\x00b\x00", input: map[string]any{"byte_offset": 3}, want: "[The file is UTF-16 (little endian) text, decoded here.]\n[Line 1 is shown from its byte 3 on.]\n     1\tb"},
		{name: "past the end of the line", text: "abc\ndefghi\n", input: map[string]any{"byte_offset": 3}, refuse: true,
			want: "Nothing to show: byte_offset 3 is past the end of line 1, which has 3 bytes. Use a smaller byte_offset."},
		{name: "past the end of the text", text: "abc", input: map[string]any{"offset": 2, "byte_offset": 3},
			want: "[Nothing to show: offset 2 is past the end, the file has 1 line. Use a smaller offset.]"},
		{name: "not in an image", text: "\x89PNG\r\n\x1a\n", input: map[string]any{"byte_offset": 3}, refuse: true, want: "is not shown by lines: leave out byte_offset."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{}, small)
			tt.input["file_path"] = g.put(t, "f", tt.text)
			out := g.call(t.Context(), t, "Read", tt.input)
			require.Equal(t, tt.refuse, out.Result.IsError)
			if tt.refuse {
				require.Contains(t, out.Result.Text(), tt.want)
				return
			}
			require.Equal(t, tt.want, out.Result.Text())
		})
	}
}

// TestReadOfPartsOfALineIsNeverUnchanged reads two parts of one line: the record of what
// the model has seen is by lines, and must not call the second part known.
func TestReadOfPartsOfALineIsNeverUnchanged(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{MaxLineLength: 1000}))
	path := g.put(t, "f", strings.Repeat("abcdefghi ", 1000))
	advice := regexp.MustCompile(`go on with offset 1 and byte_offset (\d+)\]`)
	var whole strings.Builder
	for input := map[string]any{"file_path": path, "offset": 1, "limit": 1}; ; {
		text := g.call(t.Context(), t, "Read", input).Result.Text()
		_, line, ok := strings.Cut(text, "     1\t")
		require.True(t, ok, text)
		part, _, _ := strings.Cut(line, " … [")
		whole.WriteString(part)
		next := advice.FindStringSubmatch(text)
		if next == nil {
			break
		}
		input = map[string]any{"file_path": path, "offset": 1, "limit": 1, "byte_offset": number(t, next[1])}
	}
	require.Equal(t, strings.Repeat("abcdefghi ", 1000), whole.String())
}

func TestGrepShowsTheMatchInALongLine(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{}), files.Grep(files.GrepOptions{}))
	path := g.put(t, "f", "first\n"+strings.Repeat("ä", 40_000)+"needle"+strings.Repeat("ö", 40_000))
	text := g.call(t.Context(), t, "Grep", map[string]any{"pattern": "needle", "output_mode": "content"}).Result.Text()
	require.Contains(t, text, "äneedleö")
	at := regexp.MustCompile(`f:(\d+):\[from byte (\d+)\] ä`).FindStringSubmatch(text)
	require.NotNil(t, at, text[:200])
	text = g.call(t.Context(), t, "Read", map[string]any{"file_path": path, "offset": number(t, at[1]), "byte_offset": number(t, at[2])}).Result.Text()
	require.Contains(t, text, "äneedleö")
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}
