package shell

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestChildTellsLateOutputApart from that of the code that runs.
func TestChildTellsLateOutputApart(t *testing.T) {
	t.Parallel()
	c := &child{captured: newREPLCapture(nil), replyReady: make(chan struct{}, 1)}
	c.frames = frames{token: []byte(testToken), onText: c.capture, onReply: c.queueReply}
	var emitted []string
	emit := func(line string) { emitted = append(emitted, line) }

	c.write([]byte("early\n"))
	number, late := c.beginCode(emit, nil)
	require.Equal(t, 1, number)
	require.Equal(t, "early\n", late.Text())
	c.write([]byte("now\n" + testToken + `.{"done":1}` + "\nlate\n"))
	require.Equal(t, "now\nlate\n", c.endCode().output().Text())
	c.write([]byte("later\n"))
	number, late = c.beginCode(emit, nil)
	require.Equal(t, 2, number)
	require.Equal(t, "later\n", late.Text())
	require.Empty(t, c.endCode().output().Text())
	require.Equal(t, []string{"now", "late"}, emitted)
}

// TestChildHandsOutReplies: in their order, no more than asked for, and none behind
// the end of code.
func TestChildHandsOutReplies(t *testing.T) {
	t.Parallel()
	c := &child{replyReady: make(chan struct{}, 1)}
	for _, r := range []reply{{Begun: 1}, {Call: 1}, {Call: 2}, {Done: 1}, {Call: 3}} {
		c.queueReply(r)
	}
	for _, want := range [][]reply{{{Begun: 1}, {Call: 1}}, {{Call: 2}, {Done: 1}}, {{Call: 3}}} {
		<-c.replyReady
		require.Equal(t, want, c.takeReplies(2))
	}
	require.Empty(t, c.replyReady)
	require.Empty(t, c.takeReplies(2))
}

const testToken = "\x1eTOKEN"

// taken is what frames made of an output.
type taken struct {
	plain   string
	replies []string
	err     error
}

// takeApart writes an output in pieces of the given size.
func takeApart(output string, size int) taken {
	var got taken
	var plain bytes.Buffer
	f := frames{
		token:  []byte(testToken),
		onText: func(p []byte) { plain.Write(p) },
		onReply: func(r reply) {
			got.replies = append(got.replies, fmt.Sprintf("%d %d %s %s", r.Done, r.Call, r.Name, string(r.Input)))
		},
	}
	for p := []byte(output); len(p) > 0 && got.err == nil; p = p[min(size, len(p)):] {
		piece := bytes.Clone(p[:min(size, len(p))])
		got.err = f.write(piece)
		clear(piece) // it is not ours to keep
	}
	got.plain = plain.String()
	return got
}

func TestFrames(t *testing.T) {
	t.Parallel()
	const done = testToken + `.{"done":1}` + "\n"
	for _, tt := range []struct {
		name, output, plain string
		replies             []string
		fails               bool
	}{
		{name: "nothing"},
		{name: "plain", output: "a\nb", plain: "a\nb"},
		{name: "one frame", output: done, replies: []string{"1 0  "}},
		{name: "within a line", output: "a" + done + "b", plain: "ab", replies: []string{"1 0  "}},
		{name: "in pieces", output: testToken + "+{\"call\":2,\n" + "between\n" + testToken + "+\"name\":\"Re\n" + testToken + ".ad\",\"input\":{}}\n", plain: "between\n", replies: []string{"0 2 Read {}"}},
		{name: "several", output: done + done + "a" + done, plain: "a", replies: []string{"1 0  ", "1 0  ", "1 0  "}},
		{name: "the beginning of a token", output: "\x1e\x1eTOK" + done, plain: "\x1e\x1eTOK", replies: []string{"1 0  "}},
		{name: "a token that never ends", output: testToken + strings.Repeat("a", 2*maxFrame), fails: true},
		{name: "no mark", output: testToken + "\n", fails: true},
		{name: "another mark", output: testToken + "?{}\n", fails: true},
		{name: "no JSON", output: testToken + ".{\n", fails: true},
		{name: "neither", output: testToken + ".{}\n", fails: true},
		{name: "both", output: testToken + `.{"done":1,"call":1}` + "\n", fails: true},
		{name: "negative", output: testToken + `.{"done":1,"call":-1}` + "\n", fails: true},
		{name: "too large", output: strings.Repeat(testToken+"+"+strings.Repeat(" ", 4000)+"\n", maxReply/4000+1), fails: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, size := range []int{1 << 20, 4096, 7, 2, 1} {
				got := takeApart(tt.output, size)
				require.Equal(t, tt.fails, errors.Is(got.err, errBadReply), "pieces of %d bytes: %v", size, got.err)
				if !tt.fails {
					require.Equal(t, taken{tt.plain, tt.replies, nil}, got, "pieces of %d bytes", size)
				}
				if len(tt.output) > 1<<20 {
					break // byte by byte it would take minutes
				}
			}
		})
	}
}

// FuzzFrames: what is printed and replied is the same however the output is cut,
// and what is no frame is passed on whole.
func FuzzFrames(f *testing.F) {
	f.Add("a", `{"done":1}`, "b", 3)
	f.Add("\x1eTOKE", `{"call":1,"name":"x","input":"`+testToken[1:]+`"}`, testToken[:4], 1)
	f.Add(testToken, "{", testToken+".\n", 2)
	f.Fuzz(func(t *testing.T, before, message, after string, size int) {
		size = 1 + max(size, -(size+1))%64
		whole := before + testToken + "." + message + "\n" + after
		small, large := takeApart(whole, size), takeApart(whole, len(whole))
		require.Equal(t, large.replies, small.replies)
		require.Equal(t, large.err == nil, small.err == nil)
		if large.err != nil {
			require.ErrorIs(t, small.err, errBadReply)
			return
		}
		require.Equal(t, large.plain, small.plain)
		if !strings.Contains(whole[:len(whole)-len(after)-1], testToken) || strings.Count(whole, testToken) > 1 || strings.Contains(message, "\n") {
			return
		}
		require.Len(t, large.replies, 1)
		rest := before + after
		require.Equal(t, rest[:len(rest)-overlap([]byte(after), []byte(testToken))], large.plain)
	})
}
