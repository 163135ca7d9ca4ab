package shell_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// TestREPLEndsWhatMakesNoSense: code that meddles with the protocol, or floods it,
// loses its interpreter and nothing else.
func TestREPLEndsWhatMakesNoSense(t *testing.T) {
	t.Parallel()
	needProgram(t, "python3")
	const forge = "import os, time\ndef frame(s): os.write(1, (tools._link.token + s + '\\n').encode())\n"
	for _, tt := range []struct {
		name, code, says string
		failed           bool
	}{
		{name: "no frame", code: forge + "frame('?')\nwhile True: pass", says: "its replies could not be read", failed: true},
		{name: "no JSON", code: forge + "frame('.{')\nwhile True: pass", says: "its replies could not be read", failed: true},
		{name: "the end of other code", code: forge + "frame('.{\"done\":99}')\n5", says: "5"},
		{name: "its own end", code: forge + "frame('.{\"done\":1}')\n5", says: ""},
		{name: "a call with no input", code: forge + "frame('.{\"call\":9,\"name\":\"Read\"}')\n5", says: "5"},
		{
			name:   "too many calls while one runs",
			code:   "from threading import Thread\nfor i in range(6): Thread(target=lambda: tools.Wait(text='a' * (15 << 20)), daemon=True).start()\ntools.Wait(text='')",
			says:   "more calls of tools than can wait",
			failed: true,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := &replBench{t: t, language: shell.Python}
			b.open(shell.REPLOptions{}, replEcho("Read"), untilItEnds())
			out := b.run(t.Context(), map[string]any{"code": tt.code})
			require.Equal(t, tt.failed, out.Result.IsError, out.Result.Text())
			require.Contains(t, out.Result.Text(), tt.says)
			require.Contains(t, b.must("7"), "7")
		})
	}
}

// untilItEnds is a tool that ends when its script does.
func untilItEnds() pegboard.Tool {
	type input struct {
		Text string `json:"text"`
	}
	return pegboard.Build(pegboard.Definition[input, string]{
		Info: pegboard.Info{Name: "Wait"}, Description: "Waits.",
		Call: func(ctx context.Context, _ input, _ *pegboard.Call) (string, error) {
			<-ctx.Done()
			return "", context.Cause(ctx)
		},
	})
}
