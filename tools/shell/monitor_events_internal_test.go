package shell

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMonitorEvents: what becomes of pieces of output.
func TestMonitorEvents(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxEventSize)
	tests := []struct {
		name      string
		pieces    []string
		want      string
		overflown bool
	}{
		{name: "nothing"},
		{name: "a line", pieces: []string{"one\n"}, want: "1 event:\n    one"},
		{name: "a line in pieces", pieces: []string{"o", "n", "e\ntw", "o\n"}, want: "2 events:\n    one\n    two"},
		{name: "a last line without its end", pieces: []string{"one\ntwo"}, want: "2 events:\n    one\n    two"},
		{name: "blank lines", pieces: []string{"\n  \n\t\none\r\n\n"}, want: "1 event:\n    one"},
		{name: "as long as may be", pieces: []string{long, "\n"}, want: "1 event:\n    " + long},
		{name: "longer", pieces: []string{long, "y", "z\none\n"}, want: "2 events:\n    " + long + "…\n    one"},
		{name: "longer, cut within a character", pieces: []string{"x" + strings.Repeat("ü", maxEventSize) + "\n"}, want: "1 event:\n    x" + strings.Repeat("ü", maxEventSize/2-1) + "…"},
		{name: "invalid UTF-8", pieces: []string{"a\xffb\n"}, want: "1 event:\n    a\ufffdb"},
		{name: "invalid UTF-8 that grows", pieces: []string{strings.Repeat("a\xff", maxEventSize/2) + "\n"}, want: "1 event:\n    " + strings.Repeat("a\ufffd", maxEventSize/4) + "…"},
		{name: "what would move a cursor", pieces: []string{"a\x1b[2Jb\x01c\u2028d\n"}, want: "1 event:\n    ab c d"},
		{name: "a progress bar", pieces: []string{"\r 1%\r 50", "%\r100%\nend \r"}, want: "2 events:\n    100%\n    end"},
		{name: "as many as may be", pieces: []string{strings.Repeat("a\n", maxEvents)}, want: "20 events:" + strings.Repeat("\n    a", maxEvents)},
		{name: "more", pieces: []string{strings.Repeat("a\n", maxEvents+5)}, want: "25 events, the first 20 of them here, all in its output file:" + strings.Repeat("\n    a", maxEvents), overflown: true},
		{name: "too long together", pieces: []string{strings.Repeat(long+"\n", 9)}, want: "9 events, the first 8 of them here, all in its output file:" + strings.Repeat("\n    "+long, 8), overflown: true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := newMonitorEvents()
			for _, p := range tc.pieces {
				f.write([]byte(p))
			}
			f.finish()
			require.Equal(t, tc.want != "", len(f.ready) == 1)
			text, overflown := f.drain()
			require.Equal(t, tc.want, text)
			require.Equal(t, tc.overflown, overflown)
			require.Empty(t, f.ready)
			again, _ := f.drain()
			require.Empty(t, again)
		})
	}
}

// FuzzMonitorEvents: whatever is printed, what is told is bounded, and no line of it is
// ours but the first.
func FuzzMonitorEvents(f *testing.F) {
	f.Add([]byte("one\ntwo"), 3)
	f.Add([]byte("a\xff\r\n\x1b[0m\u2028\n"), 1)
	f.Fuzz(func(t *testing.T, printed []byte, step int) {
		feed := newMonitorEvents()
		for step = max(1, step); len(printed) > 0; printed = printed[min(step, len(printed)):] {
			feed.write(printed[:min(step, len(printed))])
		}
		feed.finish()
		text, _ := feed.drain()
		if text == "" {
			return
		}
		require.LessOrEqual(t, len(text), maxMessageSize+maxEvents*len("\n    …")+100)
		require.Equal(t, text, strings.ToValidUTF8(text, "?"))
		lines := strings.Split(text, "\n")
		require.Regexp(t, `^[0-9]+ events?[:,]`, lines[0])
		for _, line := range lines[1:] {
			require.Greater(t, len(line), len("    "))
			require.True(t, strings.HasPrefix(line, "    "))
		}
	})
}
