package files_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
)

// utf16Text returns text in UTF-16 with a byte order mark.
func utf16Text(order binary.AppendByteOrder, text string) string {
	return string(units(order, append([]uint16{0xFEFF}, utf16.Encode([]rune(text))...)...))
}

func units(order binary.AppendByteOrder, all ...uint16) (b []byte) {
	for _, u := range all {
		b = order.AppendUint16(b, u)
	}
	return b
}

func TestReadDecodesUTF16(t *testing.T) {
	t.Parallel()
	const little, big = "[The file is UTF-16 (little endian) text, decoded here.]\n", "[The file is UTF-16 (big endian) text, decoded here.]\n"
	const broken = "[Some bytes are not UTF-16 text; each run of them is shown as \uFFFD. Do not write this text back.]\n"
	tests := []struct {
		name  string
		data  string
		input map[string]any
		want  string
	}{
		{name: "little endian", data: utf16Text(binary.LittleEndian, "a\r\nß日\U0001F600\r\n"), want: little + "     1\ta\n     2\tß日\U0001F600"},
		{name: "big endian", data: utf16Text(binary.BigEndian, "a\nb"), want: big + "     1\ta\n     2\tb"},
		{name: "nothing but the mark", data: "\xff\xfe", want: little + "[The file exists but is empty.]"},
		{name: "a window", data: utf16Text(binary.LittleEndian, "a\nb\nc\n"), input: map[string]any{"offset": 2, "limit": 1},
			want: little + "[PARTIAL view: lines 2 to 2 of 3; the file has 14 bytes. Go on with offset 3.]\n     2\tb"},
		{name: "half a pair", data: string(units(binary.LittleEndian, 0xFEFF, 'a', 0xD800, 'b')), want: little + broken + "     1\ta\uFFFDb"},
		{name: "half a unit", data: "\xfe\xff\x00ab", want: big + broken + "     1\ta\uFFFD"},
		{name: "a second mark", data: utf16Text(binary.BigEndian, "\uFEFFa"), want: big + "     1\t\uFEFFa"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{})
			input := map[string]any{"file_path": g.put(t, "f", tc.data)}
			for k, v := range tc.input {
				input[k] = v
			}
			text, _ := g.read(t, input)
			require.Equal(t, tc.want, text)
		})
	}
}

// TestReadLeavesTheRestOfAHugeUTF16FileAlone reads a window at the beginning of
// a file that takes long to read.
func TestReadLeavesTheRestOfAHugeUTF16FileAlone(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{})
	path := g.put(t, "huge", utf16Text(binary.LittleEndian, strings.Repeat("line\n", 10_000)))
	require.NoError(t, os.Truncate(path, 1<<40))
	_, file := g.read(t, map[string]any{"file_path": path})
	require.Equal(t, 2000, file.NumLines)
	require.Equal(t, -1, file.TotalLines)
}

// TestReadRemembersTheBytesItShowed reads windows of random files in all
// encodings and compares what is remembered with the bytes in the file, which a
// simple search of line ends finds.
func TestReadRemembersTheBytesItShowed(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(7, 7))
	opts := files.ReadOptions{MaxTokens: 1 << 30}.With(files.ReadLimits{Lines: 1 << 30, Bytes: 1 << 30, LineLength: 1 << 30})
	g := newGround(t, pegboard.SessionConfig{}, files.Read(opts))
	state := reads.Of(g.session)
	for i := range 20 {
		text := randomText(rnd) + "\nend"
		for name, data := range map[string]string{
			"UTF-8": text, "UTF-8 with a mark": "\uFEFF" + text,
			"little": utf16Text(binary.LittleEndian, text), "big": utf16Text(binary.BigEndian, text),
		} {
			path := g.put(t, fmt.Sprint(name, i), data)
			total := len(simplyLines(text))
			first, count := 1+rnd.IntN(total), 1+rnd.IntN(20)
			g.read(t, map[string]any{"file_path": path, "offset": first, "limit": count})

			before := strings.Join(splitLines(text, 0, first-1), "")
			shown := strings.Join(splitLines(text, first-1, first-1+count), "")
			from, to := place(name, before, shown, len(data))
			require.Equal(t, reads.Current, state.Knowledge(path, []byte(data)), name)
			fi, err := os.Stat(path)
			require.NoError(t, err)
			require.Equal(t, "1", state.ShownBy(path, reads.View{
				Info: fi, Size: fi.Size(), Changed: fi.ModTime(), From: int64(from), To: int64(to), Sum: sha256.Sum256([]byte(data[from:to])),
			}), "%s: lines %d to %d are bytes %d to %d", name, first, first+count-1, from, to)
		}
	}
}

// splitLines returns the lines from to to with their ends.
func splitLines(text string, from, to int) []string {
	all := strings.SplitAfter(text, "\n")
	return all[min(from, len(all)):min(to, len(all))]
}

// place returns where shown stands in the file, behind before.
func place(encoding, before, shown string, size int) (from, to int) {
	width := func(s string) int { return len(s) }
	mark := 0
	switch encoding {
	case "UTF-8 with a mark":
		mark = 3
	case "little", "big":
		mark = 2
		width = func(s string) int { return 2 * len(utf16.Encode([]rune(s))) }
	}
	from = mark + width(before)
	to = min(size, from+width(shown))
	if before == "" {
		from = 0
	}
	return from, to
}

// FuzzReadUTF16 reads arbitrary bytes as UTF-16. A whole view must stand for the
// whole file, whatever is wrong in it.
func FuzzReadUTF16(f *testing.F) {
	f.Add([]byte("a\x00\n\x00b\x00"), true)
	f.Add([]byte("\xd8\x00\xd8\x00\xdc\x00\x00"), false)
	f.Fuzz(func(t *testing.T, units []byte, little bool) {
		data := "\xfe\xff" + string(units)
		if little {
			data = "\xff\xfe" + string(units)
		}
		g := newGround(t, pegboard.SessionConfig{})
		out := g.call(t.Context(), t, "Read", map[string]any{"file_path": g.put(t, "f", data)})
		require.NotErrorIs(t, out.Err, pegboard.ErrPanic)
		if out.Result.IsError {
			require.Contains(t, out.Result.Text(), "binary")
			return
		}
		if !readText(t, out).Partial {
			require.Equal(t, reads.Current, reads.Of(g.session).Knowledge(filepath.Join(g.dir, "f"), []byte(data)))
		}
	})
}
