package files_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

func TestReadShowsText(t *testing.T) {
	t.Parallel()
	small := files.Read(files.ReadOptions{MaxLines: 3, MaxLineLength: 5, MaxBytes: 120})
	tests := []struct {
		name  string
		text  string
		input map[string]any
		want  string
		file  files.TextFile
	}{
		{name: "lines", text: "a\n\nb\n", want: "     1\ta\n     2\t\n     3\tb",
			file: files.TextFile{Content: "a\n\nb", NumLines: 3, StartLine: 1, TotalLines: 3}},
		{name: "no end of the last line", text: "a\nb", want: "     1\ta\n     2\tb",
			file: files.TextFile{Content: "a\nb", NumLines: 2, StartLine: 1, TotalLines: 2}},
		{name: "one empty line", text: "\n", want: "     1\t",
			file: files.TextFile{NumLines: 1, StartLine: 1, TotalLines: 1}},
		{name: "empty", text: "", want: "[The file exists but is empty.]",
			file: files.TextFile{StartLine: 1}},
		{name: "only a byte order mark", text: "\uFEFF", want: "[The file exists but is empty.]",
			file: files.TextFile{StartLine: 1}},
		{name: "a byte order mark", text: "\uFEFFa", want: "     1\ta",
			file: files.TextFile{Content: "a", NumLines: 1, StartLine: 1, TotalLines: 1}},
		{name: "carriage returns", text: "a\r\n\r\nb\rc\r", want: "     1\ta\n     2\t\n     3\tb\rc\r",
			file: files.TextFile{Content: "a\n\nb\rc\r", NumLines: 3, StartLine: 1, TotalLines: 3}},
		{name: "more lines than are shown", text: "a\nb\nc\nd\ne\n",
			want: "[PARTIAL view: lines 1 to 3 of 5; the file has 10 bytes. Go on with offset 4.]\n     1\ta\n     2\tb\n     3\tc",
			file: files.TextFile{Content: "a\nb\nc", NumLines: 3, StartLine: 1, TotalLines: 5, Partial: true}},
		{name: "the rest", text: "a\nb\nc\nd\ne", input: map[string]any{"offset": 4}, want: "     4\td\n     5\te",
			file: files.TextFile{Content: "d\ne", NumLines: 2, StartLine: 4, TotalLines: 5}},
		{name: "a window", text: "a\nb\nc\nd\ne\n", input: map[string]any{"offset": 2, "limit": 1},
			want: "[PARTIAL view: lines 2 to 2 of 5; the file has 10 bytes. Go on with offset 3.]\n     2\tb",
			file: files.TextFile{Content: "b", NumLines: 1, StartLine: 2, TotalLines: 5, Partial: true}},
		{name: "a limit beyond the default", text: "a\nb\nc\nd\n", input: map[string]any{"limit": 4}, want: "     1\ta\n     2\tb\n     3\tc\n     4\td",
			file: files.TextFile{Content: "a\nb\nc\nd", NumLines: 4, StartLine: 1, TotalLines: 4}},
		{name: "just as many lines as are shown", text: "a\nb\nc\n", want: "     1\ta\n     2\tb\n     3\tc",
			file: files.TextFile{Content: "a\nb\nc", NumLines: 3, StartLine: 1, TotalLines: 3}},
		{name: "an offset past the end", text: "a\nb", input: map[string]any{"offset": 3},
			want: "[Nothing to show: offset 3 is past the end, the file has 2 lines. Use a smaller offset.]",
			file: files.TextFile{StartLine: 3, TotalLines: 2}},
		{name: "a huge offset", text: "a\n", input: map[string]any{"offset": math.MaxInt32, "limit": math.MaxInt32},
			want: "[Nothing to show: offset 2147483647 is past the end, the file has 1 line. Use a smaller offset.]",
			file: files.TextFile{StartLine: math.MaxInt32, TotalLines: 1}},
		{name: "a long line", text: "abcdefg\r\nh\n", want: "     1\tabcde … [2 more bytes in this line; go on with offset 1 and byte_offset 5]\n     2\th",
			file: files.TextFile{Content: "abcde … [2 more bytes in this line; go on with offset 1 and byte_offset 5]\nh", NumLines: 2, StartLine: 1, TotalLines: 2}},
		{name: "characters, not bytes", text: "äöü€\U0001F600\nääääää\n", want: "     1\täöü€\U0001F600\n     2\täääää … [2 more bytes in this line; go on with offset 2 and byte_offset 10]",
			file: files.TextFile{Content: "äöü€\U0001F600\näääää … [2 more bytes in this line; go on with offset 2 and byte_offset 10]", NumLines: 2, StartLine: 1, TotalLines: 2}},
		{name: "too many bytes", text: "abcdefg\nabcdefg\nc\n",
			want: "[PARTIAL view: lines 1 to 1 of 3; the file has 18 bytes. One call shows 120 bytes at most. Go on with offset 2.]\n     1\tabcde … [2 more bytes in this line; go on with offset 1 and byte_offset 5]",
			file: files.TextFile{Content: "abcde … [2 more bytes in this line; go on with offset 1 and byte_offset 5]", NumLines: 1, StartLine: 1, TotalLines: 3, Partial: true}},
		{name: "not UTF-8", text: "a\xff\xfeb\nc",
			want: "[Some bytes are not UTF-8 text; each run of them is shown as \uFFFD. Do not write this text back.]\n     1\ta\uFFFDb\n     2\tc",
			file: files.TextFile{Content: "a\uFFFDb\nc", NumLines: 2, StartLine: 1, TotalLines: 2}},
		{name: "the character that stands for such bytes", text: "\uFFFD", want: "     1\t\uFFFD",
			file: files.TextFile{Content: "\uFFFD", NumLines: 1, StartLine: 1, TotalLines: 1}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{}, small)
			input := map[string]any{"file_path": g.put(t, "f", tc.text)}
			for k, v := range tc.input {
				input[k] = v
			}
			text, file := g.read(t, input)
			require.Equal(t, tc.want, text)
			tc.file.FilePath = filepath.Join(g.dir, "f")
			got, err := json.Marshal(file)
			require.NoError(t, err)
			want, err := json.Marshal(tc.file)
			require.NoError(t, err)
			require.JSONEq(t, string(want), string(got))
		})
	}
}

// TestReadNumbersLikeCat compares whole random files, and windows of them, with
// cat and sed.
func TestReadNumbersLikeCat(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"cat", "sed"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is the oracle of this test and not installed")
		}
	}
	g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{MaxTokens: 1 << 20, NoUnchanged: true}))
	rnd := rand.New(rand.NewPCG(5, 5))
	for i := range 40 {
		path := g.put(t, fmt.Sprint(i), randomText(rnd))
		numbered := output(t, "cat", "-n", path)
		if numbered == "" {
			continue
		}
		text, file := g.read(t, map[string]any{"file_path": path})
		require.False(t, file.Partial)
		require.Equal(t, strings.TrimSuffix(numbered, "\n"), text)

		first, count := 1+rnd.IntN(file.TotalLines), 1+rnd.IntN(20)
		window := output(t, "sed", "-n", fmt.Sprintf("%d,%dp", first, first+count-1), path)
		_, file = g.read(t, map[string]any{"file_path": path, "offset": first, "limit": count})
		require.Equal(t, strings.TrimSuffix(window, "\n"), file.Content)
		require.Equal(t, strings.Count(numbered, "\n")+missingEnd(numbered), file.TotalLines)
	}
}

func missingEnd(text string) int {
	if strings.HasSuffix(text, "\n") {
		return 0
	}
	return 1
}

// randomText returns lines of printable characters, some of them long, with an
// end of the last line or without.
func randomText(rnd *rand.Rand) string {
	var b strings.Builder
	for range rnd.IntN(60) {
		for range []int{0, 3, 40, 1900}[rnd.IntN(4)] {
			b.WriteString([]string{"a", "ß", "\t", " ", "日", "\U0001F600", "\u00a0", "\u2028"}[rnd.IntN(8)])
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), []string{"\n", ""}[rnd.IntN(2)])
}

func output(t testing.TB, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).Output()
	require.NoError(t, err)
	return string(out)
}

// TestReadOfEveryChunkBorder puts line ends, long lines and the end of the file
// at and around the places where one reading of the file ends.
func TestReadOfEveryChunkBorder(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{})
	const chunk = 64 << 10
	for delta := -2; delta <= 2; delta++ {
		long := strings.Repeat("x", chunk+delta)
		for _, end := range []string{"", "\n", "\r\n"} {
			path := g.put(t, "f", long+end)
			_, file := g.read(t, map[string]any{"file_path": path})
			require.Equal(t, 1, file.TotalLines)
			require.Contains(t, file.Content, fmt.Sprintf("[%d more bytes", len(long)-files.DefaultMaxLineLength))
		}
		path := g.put(t, "f", long+"\r\nlast")
		text, _ := g.read(t, map[string]any{"file_path": path, "offset": 2})
		require.Equal(t, "     2\tlast", text)
	}
}

func TestReadLeavesTheRestOfAHugeFileAlone(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{})
	path := g.put(t, "huge", strings.Repeat("line\n", 5000))
	require.NoError(t, os.Truncate(path, 1<<40)) // nobody reads that in a test
	text, file := g.read(t, map[string]any{"file_path": path})
	require.Equal(t, 2000, file.NumLines)
	require.Equal(t, -1, file.TotalLines)
	require.Contains(t, text, "[PARTIAL view: lines 1 to 2000, more lines follow; the file has 1099511627776 bytes. Go on with offset 2001.]\n     1\tline\n")
}

func TestReadStopsWhenCancelled(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{})
	path := g.put(t, "huge", "")
	require.NoError(t, os.WriteFile(path, bytes.Repeat([]byte("x\n"), 8<<10), 0o644))
	require.NoError(t, os.Truncate(path, 1<<40))
	ctx, cancel := context.WithCancel(t.Context())
	g.onEvent = func(e pegboard.Event) {
		if e.Kind == pegboard.EventStarted {
			cancel()
		}
	}
	out := g.call(ctx, t, "Read", map[string]any{"file_path": path, "offset": math.MaxInt32})
	require.ErrorIs(t, out.Err, pegboard.ErrCancelled)
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		text  string // of the file f
		input map[string]any
		says  []string
	}{
		{name: "missing", input: map[string]any{"file_path": "F.txt"}, says: []string{"F.txt does not exist", "The working directory is", "Did you mean", "f.txt?"}},
		{name: "missing directory", input: map[string]any{"file_path": "dri/g"}, says: []string{"does not exist", "Did you mean", "dir?"}},
		{name: "nothing like it", input: map[string]any{"file_path": "unheard-of"}, says: []string{"does not exist. The working directory is"}},
		{name: "directory", input: map[string]any{"file_path": "dir"}, says: []string{"is a directory", "Glob"}},
		{name: "below a file", input: map[string]any{"file_path": "f.txt/x"}, says: []string{"could not be read: not a directory"}},
		{name: "binary", text: "abc\x00def", says: []string{"binary", "application/octet-stream", "7 bytes"}},
		{name: "archive", text: "PK\x03\x04\x00\x00", says: []string{"binary", "application/zip"}},
		{name: "PDF", text: "%PDF-1.7\n", says: []string{"PDF document (9 bytes)", "pdftotext"}},
		{name: "pages where nothing shows PDF", text: "a", input: map[string]any{"file_path": "f.txt", "pages": "1"}, says: []string{`unknown property "pages"`}},
		{name: "UTF-32", text: "\xff\xfe\x00\x00a\x00\x00\x00", says: []string{"binary", "application/octet-stream"}},
		{name: "NUL in the name", input: map[string]any{"file_path": "a\x00b"}, says: []string{"NUL"}},
		{name: "empty name", input: map[string]any{"file_path": ""}, says: []string{"file_path"}},
		{name: "offset below zero", input: map[string]any{"file_path": "f.txt", "offset": -1}, says: []string{"offset"}},
		{name: "limit below zero", input: map[string]any{"file_path": "f.txt", "limit": -1}, says: []string{"limit"}},
		{name: "unknown field", input: map[string]any{"file_path": "f.txt", "line": 3}, says: []string{"line"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{})
			g.put(t, "f.txt", tc.text)
			g.put(t, "dir/g", "")
			if tc.input == nil {
				tc.input = map[string]any{"file_path": "f.txt"}
			}
			out := g.call(t.Context(), t, "Read", tc.input)
			require.Error(t, out.Err)
			require.True(t, out.Result.IsError)
			for _, s := range tc.says {
				require.Contains(t, out.Result.Text(), s)
			}
		})
	}
}

func TestReadGoesWhereALinkLeads(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{})
	g.put(t, "a", "text\n")
	secret := g.put(t, "../secret", "TOPSECRET\n")
	link(t, "a", filepath.Join(g.dir, "in"))
	link(t, "../secret", filepath.Join(g.dir, "out"))
	link(t, "self", filepath.Join(g.dir, "self"))

	text, file := g.read(t, map[string]any{"file_path": "in"})
	require.Equal(t, "     1\ttext", text)
	require.Equal(t, filepath.Join(g.dir, "in"), file.FilePath)
	for _, path := range []string{"out", "../secret", secret} {
		out := g.call(t.Context(), t, "Read", map[string]any{"file_path": path})
		require.ErrorIs(t, out.Err, pegboard.ErrDenied)
		require.NotContains(t, out.Result.Text(), "TOPSECRET")
	}
	out := g.call(t.Context(), t, "Read", map[string]any{"file_path": "self"})
	require.True(t, out.Result.IsError)
	require.Contains(t, out.Result.Text(), "circles")
}

// TestReadOpensWhatWasDecided puts a link in the place of the file, or of its
// directory, after the path was resolved and before it is opened.
func TestReadOpensWhatWasDecided(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, swap, to string
	}{
		{name: "the file", swap: "d/f", to: "../../out/f"},
		{name: "its directory", swap: "d", to: "../out"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var g *ground
			g = newGround(t, pegboard.SessionConfig{Hooks: pegboard.Hooks{
				Pre: func(context.Context, *pegboard.HookCall) (pegboard.Decision, error) {
					p := filepath.Join(g.dir, tc.swap)
					return pegboard.Decision{}, errors.Join(os.RemoveAll(p), os.Symlink(tc.to, p))
				},
			}})
			g.put(t, "d/f", "harmless\n")
			g.put(t, "../out/f", "TOPSECRET\n")
			out := g.call(t.Context(), t, "Read", map[string]any{"file_path": "d/f"})
			require.Equal(t, pegboard.Allow, out.Decision.Behavior)
			require.True(t, out.Result.IsError)
			require.Contains(t, out.Result.Text(), "leads elsewhere now")
			require.NotContains(t, out.Result.Text(), "TOPSECRET")
		})
	}
}

func TestReadLineForm(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{
		Line: func(n int, text string) string { return fmt.Sprintf("%d→%s", n, text) },
	}))
	text, file := g.read(t, map[string]any{"file_path": g.put(t, "f", "a\nb\n")})
	require.Equal(t, "1→a\n2→b", text)
	require.Equal(t, "a\nb", file.Content)
}

// TestReadTakesZeroForTheDefault, as other harnesses do.
func TestReadTakesZeroForTheDefault(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{})
	g.put(t, "f.txt", "one\ntwo\n")
	out := g.call(t.Context(), t, "Read", map[string]any{"file_path": "f.txt", "offset": 0, "limit": 0})
	require.NoError(t, out.Err)
	require.Contains(t, out.Result.Text(), "one")
	require.Contains(t, out.Result.Text(), "two")
}
