package shell

import (
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
	number, late := c.beginCode(emit)
	require.Equal(t, 1, number)
	require.Equal(t, "early\n", late.Text())
	c.write([]byte("now\n" + testToken + `.{"done":1}` + "\nlate\n"))
	require.Equal(t, "now\nlate\n", c.endCode().Text())
	c.write([]byte("later\n"))
	number, late = c.beginCode(emit)
	require.Equal(t, 2, number)
	require.Equal(t, "later\n", late.Text())
	require.Empty(t, c.endCode().Text())
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
