package files_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

func TestReadShowsText(t *testing.T) {
	t.Parallel()
	small := files.Read(files.ReadOptions{}.With(files.ReadLimits{Lines: 3, LineLength: 5, Bytes: 120}))
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
	g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{MaxTokens: 1 << 20}.With(files.ReadLimits{Again: true})))
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
			require.Contains(t, file.Content, fmt.Sprintf("[%d more bytes", len(long)-files.MaxLineLength))
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
				Pre: func(context.Context, *pegboard.HookCall) (policy.Decision, error) {
					p := filepath.Join(g.dir, tc.swap)
					return policy.Decision{}, errors.Join(os.RemoveAll(p), os.Symlink(tc.to, p))
				},
			}})
			g.put(t, "d/f", "harmless\n")
			g.put(t, "../out/f", "TOPSECRET\n")
			out := g.call(t.Context(), t, "Read", map[string]any{"file_path": "d/f"})
			require.Equal(t, policy.Allow, out.Decision.Behavior)
			require.True(t, out.Result.IsError)
			require.Contains(t, out.Result.Text(), "leads elsewhere now")
			require.NotContains(t, out.Result.Text(), "TOPSECRET")
		})
	}
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

// FuzzRead takes windows of arbitrary texts apart in the simplest way and
// compares.
func FuzzRead(f *testing.F) {
	f.Add("a\r\nb\n\r\r\nc", 2, 2)
	f.Add("\n\n\n", 3, 9)
	f.Add("é€\U0001F600\r\ny", 2, 1)
	f.Fuzz(func(t *testing.T, text string, offset, limit int) {
		if offset < 1 || limit < 1 || !utf8.ValidString(text) || strings.HasPrefix(text, "\uFEFF") || strings.Contains(text, "\x00") {
			t.Skip("not an input that the schema accepts, or text that Read shows otherwise")
		}
		g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{MaxTokens: 1 << 30}.With(files.ReadLimits{LineLength: math.MaxInt, Bytes: 1 << 30})))
		out := g.call(t.Context(), t, "Read", map[string]any{"file_path": g.put(t, "f", text), "offset": offset, "limit": limit})
		data, ok := out.Result.Data.(files.ReadOutput)
		if !ok || data.Type == "image" {
			t.Skip("it begins like an image or a PDF")
		}
		got, ok := data.File.(files.TextFile)
		require.True(t, ok)

		want := simplyLines(text)
		require.Equal(t, len(want), got.TotalLines)
		want = want[min(offset-1, len(want)):]
		require.Equal(t, len(want) > limit, got.Partial)
		want = want[:min(limit, len(want))]
		require.Equal(t, len(want), got.NumLines)
		require.Equal(t, strings.Join(want, "\n"), got.Content)
	})
}

// FuzzReadWithinLine reads one line in parts, each from the byte where the one before it
// ended, and compares them with the line.
func FuzzReadWithinLine(f *testing.F) {
	f.Add("abc€\U0001F600déf", 1)
	f.Add(strings.Repeat("ä", 50), 7)
	f.Add("a", 1)
	f.Fuzz(func(t *testing.T, line string, width int) {
		if width < 1 || width > 1<<20 || len(line) > 500 || !utf8.ValidString(line) || strings.HasPrefix(line, "\uFEFF") || strings.ContainsAny(line, "\x00\r\n") {
			t.Skip("no line that Read shows as it is")
		}
		g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{}.With(files.ReadLimits{LineLength: width})))
		path := g.put(t, "f", "# text\n"+line+"\n")
		var whole strings.Builder
		for whole.Len() < len(line) {
			out := g.call(t.Context(), t, "Read", map[string]any{"file_path": path, "offset": 2, "byte_offset": whole.Len(), "limit": 1})
			data, ok := out.Result.Data.(files.ReadOutput)
			require.True(t, ok, out.Result.Text())
			got, ok := data.File.(files.TextFile)
			require.True(t, ok)
			rest := line[whole.Len():]
			part := rest[:min(len(rest), len(string([]rune(rest)[:min(width, utf8.RuneCountInString(rest))])))]
			want := part
			if n := len(rest) - len(part); n > 0 {
				want = fmt.Sprintf("%s … [%d more bytes in this line; go on with offset 2 and byte_offset %d]", part, n, whole.Len()+len(part))
			}
			require.Equal(t, want, got.Content)
			whole.WriteString(part)
		}
		require.Equal(t, line, whole.String())
	})
}

func simplyLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if last := len(lines) - 1; lines[last] == "" {
		lines = lines[:last]
	}
	for i, l := range lines {
		if l, ok := strings.CutSuffix(l, "\n"); ok {
			lines[i] = strings.TrimSuffix(l, "\r")
		}
	}
	return lines
}

// The corners of the images in these tests, clockwise from the top left.
var corners = [4]color.NRGBA{{R: 255, A: 255}, {G: 255, A: 255}, {B: 255, A: 255}, {R: 255, G: 255, A: 255}}

// quarters returns an image of four quarters in the colours of corners.
func quarters(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			at := 0
			switch right, low := x >= w/2, y >= h/2; {
			case right && low:
				at = 2
			case right:
				at = 1
			case low:
				at = 3
			}
			img.SetNRGBA(x, y, corners[at])
		}
	}
	return img
}

// noise returns an image that no encoder makes small.
func noise(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = byte(rnd.Uint32())
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	return img
}

// encoded returns img in the format of a media type.
func encoded(t testing.TB, kind string, img image.Image) string {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch kind {
	case "image/png":
		err = png.Encode(&b, img)
	case "image/jpeg":
		err = jpeg.Encode(&b, img, &jpeg.Options{Quality: 95})
	case "image/gif":
		err = gif.Encode(&b, img, nil)
	case "image/bmp":
		err = bmp.Encode(&b, img)
	case "image/tiff":
		err = tiff.Encode(&b, img, nil)
	}
	require.NoError(t, err)
	return b.String()
}

// webpPixel is a lossless WebP of one red pixel: a signature, the size, no
// transform, no colour cache, one group of prefix codes of one symbol each.
func webpPixel(t testing.TB) string {
	t.Helper()
	// 0x2F; 14 bits 0, 14 bits 0, alpha 0, version 000; then, low bits first:
	// 0 transform, 0 cache, 0 meta, and five simple codes: green 0, red 255,
	// blue 0, alpha 255, distance 0.
	bits := "0" + "0" + "0"
	for _, symbol := range []int{0, 255, 0, 255, 0} {
		if symbol == 0 {
			bits += "1" + "0" + "0" + "0"
			continue
		}
		bits += "1" + "0" + "1" // simple, one symbol, of eight bits
		for i := range 8 {
			bits += fmt.Sprint(symbol >> i & 1)
		}
	}
	body := []byte{0x2F, 0, 0, 0, 0}
	for i := 0; i < len(bits); i += 8 {
		var b byte
		for j, c := range bits[i:min(i+8, len(bits))] {
			b |= byte(c-'0') << j
		}
		body = append(body, b)
	}
	for len(body)%2 != 0 {
		body = append(body, 0)
	}
	out := append([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, uint32(12+len(body)))...)
	out = append(out, "WEBPVP8L"...)
	return string(append(binary.LittleEndian.AppendUint32(out, uint32(len(body))), body...))
}

// withOrientation puts an EXIF segment into a JPEG.
func withOrientation(data string, order binary.AppendByteOrder, o uint16) string {
	mark := "II*\x00"
	if order.String() == binary.BigEndian.String() {
		mark = "MM\x00*"
	}
	exif := append([]byte("Exif\x00\x00"), mark...)
	exif = order.AppendUint32(exif, 8)
	exif = order.AppendUint16(exif, 2)
	exif = append(order.AppendUint32(order.AppendUint16(order.AppendUint16(exif, 0x0100), 3), 1), 0, 0, 0, 0) // the width
	exif = order.AppendUint32(order.AppendUint16(order.AppendUint16(exif, 0x0112), 3), 1)
	exif = append(order.AppendUint16(exif, o), 0, 0)
	exif = order.AppendUint32(exif, 0)
	segment := binary.BigEndian.AppendUint16([]byte{0xFF, 0xE1}, uint16(len(exif)+2))
	return data[:2] + string(segment) + string(exif) + data[2:]
}

// TestReadShowsSmallImagesAsTheyAre compares bytes.
func TestReadShowsSmallImagesAsTheyAre(t *testing.T) {
	t.Parallel()
	images := map[string]string{"image/webp": webpPixel(t)}
	for _, kind := range []string{"image/png", "image/jpeg", "image/gif"} {
		images[kind] = encoded(t, kind, quarters(40, 30))
	}
	images["image/jpeg"] = withOrientation(images["image/jpeg"], binary.BigEndian, 1)
	for kind, data := range images {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{}.With(files.ReadLimits{ImageBytes: int64(len(data)), ImageEdge: 40})))
			result, img := g.show(t, "i", data)
			require.Len(t, result.Parts, 1)
			require.Equal(t, data, string(img.Data))
			require.Equal(t, kind, img.MIME)
			require.Equal(t, img.Dimensions.OriginalWidth, img.Dimensions.DisplayWidth)

			out := g.call(t.Context(), t, "Read", map[string]any{"file_path": g.put(t, "i", data+"x")})
			require.True(t, out.Result.IsError)
			require.Contains(t, out.Result.Text(), fmt.Sprintf("%d bytes, more than the %d that are decoded", len(data)+1, len(data)))
		})
	}
}

// TestReadMakesImagesSmaller checks the size, the corners and what is said.
func TestReadMakesImagesSmaller(t *testing.T) {
	t.Parallel()
	tests := []struct {
		kind, becomes string
		w, h          int
		wantW, wantH  int
		says          string
	}{
		{kind: "image/png", becomes: "image/png", w: 200, h: 100, wantW: 50, wantH: 25, says: "[The image has 200 x 100 pixels and is shown as image/png with 50 x 25; multiply coordinates by 4 to get those in the file.]"},
		{kind: "image/png", becomes: "image/png", w: 60, h: 90, wantW: 33, wantH: 50, says: "60 x 90 pixels and is shown as image/png with 33 x 50"},
		{kind: "image/png", becomes: "image/png", w: 51, h: 51, wantW: 50, wantH: 50, says: "51 x 51 pixels"},
		{kind: "image/png", becomes: "image/png", w: 1001, h: 4, wantW: 50, wantH: 1, says: "1001 x 4 pixels"},
		{kind: "image/jpeg", becomes: "image/jpeg", w: 200, h: 200, wantW: 50, wantH: 50, says: "is shown as image/jpeg with 50 x 50"},
		{kind: "image/gif", becomes: "image/png", w: 200, h: 100, wantW: 50, wantH: 25, says: "with 50 x 25; multiply coordinates by 4 to get those in the file.]"},
		{kind: "image/bmp", becomes: "image/png", w: 40, h: 20, wantW: 40, wantH: 20, says: "[The image has 40 x 20 pixels and is shown as image/png.]"},
		{kind: "image/tiff", becomes: "image/png", w: 100, h: 50, wantW: 50, wantH: 25, says: "is shown as image/png with 50 x 25"},
	}
	for _, tc := range tests {
		t.Run(fmt.Sprint(tc.kind, tc.w, tc.h), func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{}.With(files.ReadLimits{ImageEdge: 50})))
			result, img := g.show(t, "i", encoded(t, tc.kind, quarters(tc.w, tc.h)))
			require.Contains(t, result.Text(), tc.says)
			require.Equal(t, tc.becomes, img.MIME)
			require.Equal(t, files.Dimensions{OriginalWidth: tc.w, OriginalHeight: tc.h, DisplayWidth: tc.wantW, DisplayHeight: tc.wantH}, img.Dimensions)
			shown, kind, err := image.Decode(bytes.NewReader(img.Data))
			require.NoError(t, err)
			require.Equal(t, tc.becomes, "image/"+kind)
			require.Equal(t, image.Pt(tc.wantW, tc.wantH), shown.Bounds().Size())
			if tc.wantH > 1 {
				requireCorners(t, shown, corners)
			}
		})
	}
}

// requireCorners compares points well inside the quarters of img.
func requireCorners(t testing.TB, img image.Image, want [4]color.NRGBA) {
	t.Helper()
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	for i, p := range []image.Point{{w / 5, h / 5}, {w * 4 / 5, h / 5}, {w * 4 / 5, h * 4 / 5}, {w / 5, h * 4 / 5}} {
		r, g, b, _ := img.At(p.X, p.Y).RGBA()
		require.InDelta(t, want[i].R, r>>8, 24, "corner %d", i)
		require.InDelta(t, want[i].G, g>>8, 24, "corner %d", i)
		require.InDelta(t, want[i].B, b>>8, 24, "corner %d", i)
	}
}

// TestReadTurnsPhotographs shows each of the eight orientations upright. The
// table names the corners that are seen, as EXIF defines the orientations: which
// side of what is seen the first row and the first column of the file are.
func TestReadTurnsPhotographs(t *testing.T) {
	t.Parallel()
	seen := map[uint16][4]int{
		1: {0, 1, 2, 3}, 2: {1, 0, 3, 2}, 3: {2, 3, 0, 1}, 4: {3, 2, 1, 0},
		5: {0, 3, 2, 1}, 6: {3, 0, 1, 2}, 7: {2, 1, 0, 3}, 8: {1, 2, 3, 0},
	}
	for o, at := range seen {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			for _, edge := range []int{1000, 50} {
				t.Run(fmt.Sprint(o, order, edge), func(t *testing.T) {
					t.Parallel()
					g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{}.With(files.ReadLimits{ImageEdge: edge})))
					_, img := g.show(t, "i", withOrientation(encoded(t, "image/jpeg", quarters(160, 80)), order, o))
					shown, err := jpeg.Decode(bytes.NewReader(img.Data))
					require.NoError(t, err)
					want := image.Pt(min(160, edge), min(80, edge/2+edge%2))
					if edge == 50 {
						want.Y = 25
					}
					if o > 4 {
						want.X, want.Y = want.Y, want.X
					}
					require.Equal(t, want, shown.Bounds().Size())
					require.Equal(t, want, image.Pt(img.Dimensions.DisplayWidth, img.Dimensions.DisplayHeight))
					var corner [4]color.NRGBA
					for i, from := range at {
						corner[i] = corners[from]
					}
					requireCorners(t, shown, corner)
				})
			}
		}
	}
}

// TestReadMakesHeavyImagesLighter encodes what has too many bytes for its size.
func TestReadMakesHeavyImagesLighter(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{})
	heavy := encoded(t, "image/png", noise(700, 500))
	require.Greater(t, len(heavy), 1_000_000)
	_, img := g.show(t, "png", heavy)
	require.Equal(t, "image/jpeg", img.MIME)
	require.LessOrEqual(t, len(img.Data), 500_000)

	_, img = g.show(t, "jpeg", encoded(t, "image/jpeg", noise(1500, 800)))
	require.Equal(t, "image/jpeg", img.MIME)
	require.Less(t, int64(len(img.Data)), img.OriginalSize)

	// What cannot be made lighter stays as it is.
	var worst bytes.Buffer
	require.NoError(t, jpeg.Encode(&worst, noise(1560, 1500), &jpeg.Options{Quality: 40}))
	require.Greater(t, worst.Len(), 500_000)
	_, img = g.show(t, "least", worst.String())
	require.Equal(t, worst.Bytes(), img.Data)
}

// TestReadPutsTransparencyOnWhite shows what is transparent as white in a JPEG,
// and as it is in a PNG.
func TestReadPutsTransparencyOnWhite(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{}.With(files.ReadLimits{ImageEdge: 1200})))
	half := noise(1600, 1600)
	for y := range 800 {
		for i := range 1600 * 4 {
			half.Pix[y*half.Stride+i] = 0
		}
	}
	_, img := g.show(t, "heavy", encoded(t, "image/png", half))
	require.Equal(t, "image/jpeg", img.MIME)
	shown, err := jpeg.Decode(bytes.NewReader(img.Data))
	require.NoError(t, err)
	r, _, _, _ := shown.At(600, 100).RGBA()
	require.InDelta(t, 255, r>>8, 8)

	_, img = g.show(t, "light", encoded(t, "image/png", image.NewNRGBA(image.Rect(0, 0, 2000, 10))))
	shown, err = png.Decode(bytes.NewReader(img.Data))
	require.NoError(t, err)
	_, _, _, a := shown.At(5, 0).RGBA()
	require.Zero(t, a)
}

// TestReadShowsTheFirstPictureOfAnAnimation has a first picture that covers only
// a part of the canvas.
func TestReadShowsTheFirstPictureOfAnAnimation(t *testing.T) {
	t.Parallel()
	red := color.Palette{color.NRGBA{}, color.NRGBA{R: 255, A: 255}}
	first := image.NewPaletted(image.Rect(100, 0, 200, 100), red)
	second := image.NewPaletted(image.Rect(0, 0, 200, 100), red)
	for i := range first.Pix {
		first.Pix[i] = 1
	}
	var b bytes.Buffer
	require.NoError(t, gif.EncodeAll(&b, &gif.GIF{
		Image: []*image.Paletted{first, second}, Delay: []int{1, 1}, Config: image.Config{ColorModel: red, Width: 200, Height: 100},
	}))
	g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{}.With(files.ReadLimits{ImageEdge: 100})))
	_, img := g.show(t, "i", b.String())
	shown, err := png.Decode(bytes.NewReader(img.Data))
	require.NoError(t, err)
	_, _, _, left := shown.At(20, 25).RGBA()
	r, _, _, right := shown.At(80, 25).RGBA()
	require.Equal(t, [3]uint32{0, 0xFFFF, 0xFFFF}, [3]uint32{left, r, right})
}

// pngClaiming returns a PNG that says it has that size, with one pixel of data.
func pngClaiming(t testing.TB, w, h uint32) string {
	t.Helper()
	data := []byte(encoded(t, "image/png", quarters(1, 1)))
	binary.BigEndian.PutUint32(data[16:], w)
	binary.BigEndian.PutUint32(data[20:], h)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	return string(data)
}

func TestReadRefusesImages(t *testing.T) {
	t.Parallel()
	whole := encoded(t, "image/png", quarters(40, 30))
	animated, err := hex.DecodeString("524946461600000057454250565038580a0000000200000031000031000000")
	require.NoError(t, err)
	tests := []struct {
		name, data, says string
	}{
		{name: "a bomb", data: pngClaiming(t, 100_000, 100_000), says: "100000 x 100000 pixels are more than the 50000000 that are decoded; make a smaller copy"},
		{name: "sides that do not fit 32 bits together", data: pngClaiming(t, 1<<31-1, 1<<31-1), says: "damaged"},
		{name: "a false size", data: pngClaiming(t, 1000, 1000), says: "it cannot be decoded; the file may be damaged"},
		{name: "cut off", data: whole[:len(whole)/2], says: "it cannot be decoded; the file may be damaged"},
		{name: "only a header", data: whole[:20], says: "its header cannot be decoded; the file may be damaged"},
		{name: "JPEG without content", data: "\xff\xd8\xff\xe0\x00\x02", says: "damaged"},
		{name: "a large animated WebP", data: string(animated), says: "it cannot be decoded"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{}.With(files.ReadLimits{ImageEdge: 49})))
			out := g.call(t.Context(), t, "Read", map[string]any{"file_path": g.put(t, "i", tc.data)})
			require.True(t, out.Result.IsError)
			require.NotErrorIs(t, out.Err, pegboard.ErrPanic)
			require.Contains(t, out.Result.Text(), tc.says)
		})
	}
	g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{}.With(files.ReadLimits{ImageEdge: 50})))
	_, img := g.show(t, "small", string(animated))
	require.Equal(t, animated, img.Data, "nobody says that what this package cannot decode is damaged")
}

func TestReadTakesTextForText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"BM is how a bitmap begins", "II*"} {
		g := newGround(t, pegboard.SessionConfig{})
		_, file := g.read(t, map[string]any{"file_path": g.put(t, "f", text)})
		require.Equal(t, text, file.Content)
	}
}

// FuzzReadImage feeds arbitrary EXIF data to the reader of orientations: the
// image is shown whatever they are.
func FuzzReadImage(f *testing.F) {
	f.Add([]byte("II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00"))
	f.Add([]byte("MM\x00*\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, exif []byte) {
		exif = exif[:min(len(exif), 60_000)]
		plain := encoded(t, "image/jpeg", quarters(8, 4))
		segment := binary.BigEndian.AppendUint16([]byte{0xFF, 0xE1}, uint16(len(exif)+8))
		g := newGround(t, pegboard.SessionConfig{})
		_, img := g.show(t, "i", plain[:2]+string(segment)+"Exif\x00\x00"+string(exif)+plain[2:])
		size := image.Pt(img.Dimensions.DisplayWidth, img.Dimensions.DisplayHeight)
		require.True(t, size == image.Pt(8, 4) || size == image.Pt(4, 8), "%v", size)
	})
}

func TestReadShowsTheRestOfALine(t *testing.T) {
	t.Parallel()
	small := files.Read(files.ReadOptions{}.With(files.ReadLimits{LineLength: 5}))
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
	g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{}.With(files.ReadLimits{LineLength: 1000})))
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
