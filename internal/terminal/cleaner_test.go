package terminal_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/terminal"
)

// TestClean: what is left of a text.
func TestClean(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, want string
		replaced         int64
	}{
		{name: "nothing"},
		{name: "plain", text: "one\n\ttwo\n", want: "one\n\ttwo\n"},
		{name: "no line end", text: "one\ntwo", want: "one\ntwo"},
		{name: "colours", text: "\x1b[1;31mred\x1b[0m and \x1b[38;5;12mblue\x1b[m", want: "red and blue"},
		{name: "a title", text: "\x1b]0;make\x07done\n", want: "done\n"},
		{name: "a link", text: "\x1b]8;;https://example.com\x1b\\here\x1b]8;;\x1b\\", want: "here"},
		{name: "a character set", text: "\x1b(Bplain\x0e\x0f", want: "plain"},
		{name: "two characters", text: "\x1b7saved\x1b8\x1bM", want: "saved"},
		{name: "a bell", text: "ready\x07\n", want: "ready\n"},
		{name: "an unfinished sequence", text: "a\x1b[1;3", want: "a"},
		{name: "no sequence", text: "a\x1b\nb\x1b[\nc\x1b]0;d\ne\x1b\x1b[mf\x1b[é", want: "a\nb\nc\ne" + "f" + "é"},
		{name: "a bar", text: "\r 1%\r 50%\r100%\n", want: "100%\n", replaced: 7},
		{name: "a bar that has not ended", text: " 1%\r 50%\r", want: " 50%", replaced: 3},
		{name: "a shorter end", text: "downloading\rdone\n", want: "done\n", replaced: 11},
		{name: "blanks over it", text: "50%\r   \rdone\n", want: "done\n", replaced: 6},
		{name: "lines with carriage returns", text: "one\r\ntwo\r\r\n", want: "one\ntwo\n"},
		{name: "nothing after it", text: "one\r\x1b[0m\n", want: "one\n"},
		{name: "erased", text: "50%\r\x1b[Kdone\n", want: "done\n", replaced: 3},
		{name: "erased, and nothing after it", text: "50%\r\x1b[K\n50%\x1b[2K\n", want: "\n\n", replaced: 6},
		{name: "erased to the end", text: "50%\x1b[K\n", want: "50%\n"},
		{name: "erased, then to the first column", text: "50%\x1b[2K\x1b[1Gdone\x1b[Gend\n", want: "end\n", replaced: 7},
		{name: "to another column", text: "a\x1b[20Gb\n", want: "ab\n"},
		{name: "backspaces", text: "|\b/\b-\bdone ü\b\u00fc\n\b\b", want: "done ü\n"},
		{name: "bold and underlined", text: "N\bNA\bA _\bx\n", want: "NA x\n"},
		{name: "not UTF-8", text: "a\xff\r\xfe\n", want: "\xfe\n", replaced: 2},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tc.want, terminal.Clean(tc.text))
			for step := 1; step <= 3; step++ {
				got, replaced := inPieces([]byte(tc.text), step)
				require.Equal(t, tc.want, got, "in pieces of %d bytes", step)
				require.Equal(t, tc.replaced, replaced)
			}
		})
	}
}

func inPieces(text []byte, step int) (string, int64) {
	var c terminal.Cleaner
	var got []byte
	for ; len(text) > 0; text = text[min(step, len(text)):] {
		got = c.Append(got, text[:min(step, len(text))])
	}
	return string(append(got, c.Rest()...)), c.Replaced()
}

// TestALongBarIsShort: 86 KB of it are one line.
func TestALongBarIsShort(t *testing.T) {
	t.Parallel()
	var bar strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&bar, "\r\x1b[32m%5d\x1b[0m", i)
	}
	require.Equal(t, " 9999\n", terminal.Clean(bar.String()+"\n"))
}

// TestAVeryLongLineStays: no more of it is held back than a limit, and nothing lost.
func TestAVeryLongLineStays(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100_000)
	var c terminal.Cleaner
	got := c.Append(nil, []byte(long))
	require.Len(t, got, len(long))
	require.Empty(t, c.Rest())
	got = c.Append(got, []byte("y\rz\x1b[2K\n"+long))
	require.Equal(t, long+"y\rz\n"+long, string(append(got, c.Rest()...)))
	require.Zero(t, c.Replaced())
	got = c.Append(nil, []byte("\na\rb\n"))
	require.Equal(t, "\nb\n", string(got))
}

// TestPlainTextIsPassedOnAtOnce but for the unfinished line.
func TestPlainTextIsPassedOnAtOnce(t *testing.T) {
	t.Parallel()
	var c terminal.Cleaner
	require.Equal(t, "one\n", string(c.Append(nil, []byte("one\ntw"))))
	require.Equal(t, "tw", string(c.Rest()))
	require.Equal(t, "two\n", string(c.Append(nil, []byte("o\n"))))
	require.Empty(t, c.Rest())
}

// FuzzCleaner: the pieces do not matter, line ends stay, no escape character does, and
// nothing is left to clean.
func FuzzCleaner(f *testing.F) {
	f.Add([]byte("a\rb\x1b[2Kc\bd\x1b]0;t\x07\n\x1b(B"), 1)
	f.Add([]byte("\x1b[31mred\x1b[0m\r\n\x1b"), 3)
	f.Fuzz(func(t *testing.T, text []byte, step int) {
		whole := terminal.Clean(string(text))
		pieces, _ := inPieces(text, max(1, step))
		require.Equal(t, whole, pieces)
		require.Equal(t, bytes.Count(text, []byte{'\n'}), strings.Count(whole, "\n"))
		require.NotContains(t, whole, "\x1b")
		if len(text) < 64<<10 {
			require.Equal(t, whole, terminal.Clean(whole))
			require.NotContains(t, whole, "\r")
		}
	})
}

func BenchmarkCleaner(b *testing.B) {
	text := []byte(strings.Repeat("a line of a log, as they are\n", 2000))
	var to []byte
	var c terminal.Cleaner
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		to = c.Append(to[:0], text)
	}
}
