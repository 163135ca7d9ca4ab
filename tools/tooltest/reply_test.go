package tooltest_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func TestReplyEndings(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, tt := range []struct {
		name    string
		reply   tooltest.Reply
		want    error // nil: none
		text    string
		isError bool
	}{
		{name: "empty", text: "(T ran and returned nothing)"},
		{name: "text", reply: tooltest.Reply{Text: "a"}, text: "a"},
		{name: "result", reply: tooltest.Reply{Result: &pegboard.Result{Parts: []pegboard.Part{{Text: "a"}}, IsError: true}}, text: "a", isError: true},
		{name: "error", reply: tooltest.Reply{Err: broken, Text: "not seen"}, want: broken, text: "broken", isError: true},
		{name: "panic", reply: tooltest.Reply{Panic: broken}, want: pegboard.ErrPanic, isError: true},
		{name: "panic carries its value", reply: tooltest.Reply{Panic: broken}, want: broken, isError: true},
		{name: "goexit", reply: tooltest.Reply{Goexit: true}, want: pegboard.ErrPanic, isError: true},
		{name: "lonely barrier", reply: tooltest.Reply{Barrier: &tooltest.Barrier{N: 2, Timeout: time.Millisecond}},
			want: nil, text: "barrier of 2 calls: only 1 ran at the same time", isError: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out := tooltest.Run(t.Context(), tooltest.NewFake("T", tt.reply), nil, `{}`)
			require.Equal(t, tt.isError, out.Result.IsError)
			if tt.want != nil {
				require.ErrorIs(t, out.Err, tt.want)
			}
			if tt.text != "" {
				require.Equal(t, tt.text, out.Result.Text())
			}
		})
	}
}

func TestReplyResultIsCopied(t *testing.T) {
	t.Parallel()
	fake := tooltest.NewFake("T", tooltest.Reply{Result: pegboard.TextResult("a")})
	tooltest.Run(t.Context(), fake, nil, `{}`).Result.Parts[0].Text = "changed by a hook"
	require.Equal(t, "a", tooltest.Run(t.Context(), fake, nil, `{}`).Result.Text())
}

func TestReplySleep(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		stubborn bool
		cancel   time.Duration // 0: never
		took     time.Duration
		want     error
	}{
		{name: "to the end", took: time.Hour},
		{name: "cancelled", cancel: time.Minute, took: time.Minute, want: pegboard.ErrCancelled},
		{name: "stubborn", stubborn: true, cancel: time.Minute, took: time.Minute + pegboard.DefaultGrace, want: pegboard.ErrDetached},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.cancel > 0 {
					time.AfterFunc(tt.cancel, cancel)
				}
				fake := tooltest.NewFake("T", tooltest.Reply{Sleep: time.Hour, Stubborn: tt.stubborn})
				start := time.Now()
				out := tooltest.Run(ctx, fake, nil, `{}`)
				require.Equal(t, tt.took, time.Since(start))
				require.ErrorIs(t, out.Err, tt.want)
				time.Sleep(time.Hour) // a call that was left behind ends
			})
		})
	}
}

func TestReplyEmits(t *testing.T) {
	t.Parallel()
	var heard []string
	e := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventProgress {
			heard = append(heard, e.Text)
		}
	}}
	e.Run(t.Context(), poolOf(t, tooltest.NewFake("T", tooltest.Reply{Emit: []string{"a", "b"}})), tooltest.Call("T", `{}`))
	require.Equal(t, []string{"a", "b"}, heard)
}
