package edit_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/edit"
)

// randomFile returns the bytes of a text in a random encoding with random line
// ends; uniform says that all lines end alike.
func randomFile(t *testing.T, random *rand.Rand, uniform bool) []byte {
	t.Helper()
	ends := []string{"\n", "\r\n"}
	if uniform {
		ends = [][]string{{"\n"}, {"\r\n"}, {"\r"}}[random.IntN(3)]
	}
	var text strings.Builder
	for range random.IntN(20) {
		text.WriteString([]string{"", "a", "\tb c", "é“q”", "\U0001F600", " d ", "f("}[random.IntN(7)])
		text.WriteString(ends[random.IntN(len(ends))])
	}
	if random.IntN(2) == 0 {
		text.WriteString("last")
	}
	switch random.IntN(4) {
	case 0:
		return []byte(text.String())
	case 1:
		return []byte("\ufeff" + text.String())
	case 2:
		return inUTF16(text.String(), true)
	}
	return inUTF16(text.String(), false)
}

func inUTF16(text string, little bool) []byte {
	var units []uint16
	for _, r := range "\ufeff" + text {
		if r >= 0x10000 {
			units = append(units, uint16(0xd800+(r-0x10000)>>10), uint16(0xdc00+(r-0x10000)&0x3ff))
			continue
		}
		units = append(units, uint16(r))
	}
	var data []byte
	for _, u := range units {
		pair := []byte{byte(u >> 8), byte(u)}
		if little {
			pair[0], pair[1] = pair[1], pair[0]
		}
		data = append(data, pair...)
	}
	return data
}

func TestBytesOutsideOfAnEditStay(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	edits := 0
	for range effort.Of(t, 3000) {
		data := randomFile(t, random, false)
		text := parse(t, string(data))
		view := text.String()
		if view == "" {
			continue
		}
		from := boundary(view, random.IntN(len(view)))
		to := boundary(view, from+1+random.IntN(len(view)-from))
		old := view[from:to]
		if old == "" || strings.Count(view, old) != 1 {
			continue
		}
		change, err := text.Replace(edit.Replacement{Old: old, New: "<\n>"})
		var ambiguous *edit.AmbiguousError
		if errors.As(err, &ambiguous) { // overlapping hits
			continue
		}
		require.NoError(t, err)
		edits++
		require.Equal(t, view[:from]+"<\n>"+view[to:], change.New)
		// The bytes before and behind come from cutting the file at the places
		// that the text names.
		before, behind := encodedSize(data, view, from), len(data)-encodedSize(data, view, to)
		require.Equal(t, string(data[:before]), string(change.Data[:before]), "%q %q", data, old)
		require.True(t, bytes.HasSuffix(change.Data, data[len(data)-behind:]), "%q %q", data, old)

		back, err := parse(t, string(change.Data)).Replace(edit.Replacement{Old: "<\n>", New: old})
		require.NoError(t, err)
		require.Equal(t, view, back.New)
		if !text.Mixed() && !strings.HasPrefix(text.LineEnd(), "\n") {
			require.Equal(t, string(data), string(back.Data))
		}
	}
	if effort.Full(t) {
		require.Greater(t, edits, 300)
	}
}

// boundary moves an offset back to where a character begins.
func boundary(text string, at int) int {
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// encodedSize counts the bytes of the file that stand for the beginning of its
// text, in another way than the package: it walks the file.
func encodedSize(data []byte, view string, upTo int) int {
	unit, at := 1, 0
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		unit, at = 2, 2
	case bytes.HasPrefix(data, []byte("\ufeff")):
		at = 3
	}
	for _, r := range view[:upTo] {
		size := utf8.RuneLen(r)
		if unit == 2 {
			size = 2
			if r >= 0x10000 {
				size = 4
			}
		}
		if r == '\n' && bytes.IndexByte(data[at:at+unit], '\r') >= 0 && at+unit < len(data) && bytes.IndexByte(data[at+unit:at+2*unit], '\n') >= 0 {
			size += unit
		}
		at += size
	}
	return at
}

func TestRewriteOfTheSameTextIsTheSameFile(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	for n := range effort.Of(t, 600) {
		data := randomFile(t, random, n%2 == 0)
		text := parse(t, string(data))
		change, err := text.Rewrite(text.String())
		require.NoError(t, err)
		require.Equal(t, string(data), string(change.Data))
		require.Empty(t, change.Spans)
	}
}

func TestPiecesOfARewriteKeepTheirBytes(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 8))
	for range effort.Of(t, 600) {
		data := randomFile(t, random, false)
		text := parse(t, string(data))
		change, err := text.Rewrite("new line\n" + text.String())
		require.NoError(t, err)
		mark := encodedSize(data, "", 0)
		require.True(t, bytes.HasSuffix(change.Data, data[mark:]), "%q\n%q", data, change.Data)
	}
}

func FuzzReplace(f *testing.F) {
	f.Add([]byte("\ta\r\n\tb\n"), "  a\n  b", "  a\n  c", false)
	f.Add([]byte("\ufeffcaf\u00e9 \u201cx\u201d\u2026\r\n"), "cafe\u0301 \"x\"...", "cafe\u0301 \"y\"...", true)
	f.Add([]byte("\xff\xfea\x00\n\x00"), "a\n", "b", false)
	f.Add([]byte("caf\xe9 x"), "x", "y", true)
	f.Add([]byte("func f() {\n\ta\n\tb()\n\tc\n}\n"), "func f() {\n\ta\n\tc\n}", "func f() {\n\ta\n\td\n}", false)
	f.Add([]byte("the quick brown fox\njumps"), "the quick brwn fox", "the quick brwn dog", false)
	f.Add([]byte("a\r\r\nb\rc"), "\r\nb", "\r", false)
	f.Fuzz(func(t *testing.T, data []byte, old, wanted string, all bool) {
		text, err := edit.Parse(data)
		if err != nil {
			return
		}
		require.True(t, utf8.ValidString(text.String()))
		change, err := text.Replace(edit.Replacement{Old: old, New: wanted, All: all})
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.NotEqual(t, change.Old, change.New)
		again := parse(t, string(change.Data))
		require.Equal(t, again.String(), change.New)
		// What stands before the first place is as it was. A "\r" at the seam may
		// join a "\n", so the line before is not looked at.
		lines := bytes.SplitAfter(data, []byte("\n"))
		if n := change.Spans[0].Old.First - 2; n > 0 && n < len(lines) && text.LineEnd() != "\r" && !strings.HasPrefix(text.Encoding(), "UTF-16") {
			require.True(t, bytes.HasPrefix(change.Data, bytes.Join(lines[:n], nil)))
		}
	})
}

func FuzzRewrite(f *testing.F) {
	f.Add([]byte("a\r\nb\n"), "a\nc\nb\n")
	f.Add([]byte("\xfe\xff\x00a"), "b\r\n")
	f.Fuzz(func(t *testing.T, data []byte, content string) {
		text, err := edit.Parse(data)
		if err != nil {
			return
		}
		change, err := text.Rewrite(content)
		if err != nil {
			return
		}
		require.Equal(t, parse(t, string(change.Data)).String(), change.New)
		if !strings.Contains(content, "\r") && !strings.Contains(text.String(), "\r") {
			require.Equal(t, strings.TrimPrefix(content, "\ufeff"), change.New)
		}
	})
}

func BenchmarkFuzzy(b *testing.B) {
	random := rand.New(rand.NewPCG(9, 10))
	var file strings.Builder
	for n := range 5000 {
		fmt.Fprintf(&file, "\tvalue%d := compute(%d, other%d)\n", n%50, random.IntN(1000), random.IntN(50))
	}
	lines := strings.Split(file.String(), "\n")
	for _, size := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("absent/%d", size), func(b *testing.B) {
			old := strings.ReplaceAll(strings.Join(lines[2000:2000+size], "\n"), "compute", "konputtee")
			for b.Loop() {
				_, err := parse(b, file.String()).Replace(edit.Replacement{Old: old, New: "x"})
				require.Error(b, err)
			}
		})
		b.Run(fmt.Sprintf("similar/%d", size), func(b *testing.B) {
			old := strings.Replace(strings.Join(lines[2000:2000+size], "\n"), "compute", "komputte", 1) + "\n\tend9()"
			for b.Loop() {
				if _, err := parse(b, file.String()).Replace(edit.Replacement{Old: old, New: "x"}); err == nil {
					b.Fatal("it is not there")
				}
			}
		})
	}
}

// TestEscapesNeverChangeMore edits with a level of escapes too many or too few, in both
// texts alike. The result is that of the edit as it was meant, or an error.
func TestEscapesNeverChangeMore(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	backslashes := strings.NewReplacer("\n", `\n`, "\t", `\t`, `"`, `\"`, `\`, `\\`)
	entities := strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;", `"`, "&quot;")
	words := []string{"ab", "c ", "\"", "\\", "\n", "\t", "<", ">", "&", "x=1", "(", "é", "'"}
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(words[random.IntN(len(words))])
		}
		return b.String()
	}
	made := 0
	for range effort.Of(t, 20000) {
		encode := []*strings.Replacer{backslashes, entities}[random.IntN(2)].Replace
		before, old, wanted, after := text(random.IntN(5)), text(1+random.IntN(8)), text(random.IntN(8)), text(random.IntN(5))
		if random.IntN(2) == 0 { // most edits keep most of the text
			wanted = old[:boundary(old, random.IntN(len(old)))] + text(random.IntN(3))
		}
		file, r, want := before+old+after, edit.Replacement{Old: encode(old), New: encode(wanted)}, before+wanted+after
		if random.IntN(2) == 0 {
			file, r, want = encode(file), edit.Replacement{Old: old, New: wanted}, encode(want)
		}
		change, err := parse(t, file).Replace(r)
		if err != nil || change.Level != edit.Escapes {
			continue
		}
		made++
		require.Equal(t, want, change.New, "%q: %q", file, r)
	}
	if effort.Full(t) {
		require.Greater(t, made, 500)
	}
}
