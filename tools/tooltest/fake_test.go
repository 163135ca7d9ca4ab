package tooltest_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// poolOf returns a pool of tools in which everything is allowed.
func poolOf(t *testing.T, tools ...pegboard.Tool) *pegboard.Pool {
	t.Helper()
	s, err := tooltest.NewSession(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	var r pegboard.Registry
	require.NoError(t, r.Add(tools...))
	return r.AssemblePool(s, pegboard.PoolConfig{})
}

func TestFakeGivesRepliesInTurn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		replies []tooltest.Reply
		want    []string
	}{
		{name: "none", want: []string{"ok", "ok"}},
		{name: "one", replies: []tooltest.Reply{{Text: "a"}}, want: []string{"a", "a"}},
		{name: "the last repeats", replies: []tooltest.Reply{{Text: "a"}, {Text: "b"}}, want: []string{"a", "b", "b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fake := tooltest.NewFake("Bash", tt.replies...)
			for _, want := range tt.want {
				out := tooltest.Run(t.Context(), fake, nil, `{}`)
				require.NoError(t, out.Err)
				require.Equal(t, want, out.Result.Text())
			}
		})
	}
}

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

// TestBarrierProvesOverlap has exclusive calls as a control: they cannot meet.
func TestBarrierProvesOverlap(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name        string
		concurrency pegboard.Concurrency
		meet        bool
	}{
		{name: "shared", concurrency: pegboard.Shared, meet: true},
		{name: "exclusive", concurrency: pegboard.Exclusive},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fake := tooltest.FakeConfig{Name: "T", Traits: pegboard.Traits{Concurrency: tt.concurrency}}.New(
					tooltest.Reply{Barrier: &tooltest.Barrier{N: 3}, Text: "met"})
				call := tooltest.Call("T", `{}`)
				var e pegboard.Executor
				for _, out := range e.Run(t.Context(), poolOf(t, fake), call, call, call) {
					require.Equal(t, tt.meet, out.Err == nil, "%v", out.Err)
				}
			})
		})
	}
}

func TestFakeRecordsCalls(t *testing.T) {
	t.Parallel()
	fake := tooltest.FakeConfig{
		Name:        "Read",
		InputSchema: `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`,
		Traits:      pegboard.Traits{Concurrency: pegboard.Shared},
	}.New()
	require.Empty(t, fake.Calls())
	calls := []pegboard.Call{tooltest.Call("Read", `{"path":"a"}`), tooltest.Call("Read", `{"pth":"b"}`), tooltest.Call("Read", `{"path":"c"}`)}
	var e pegboard.Executor
	e.Run(t.Context(), poolOf(t, fake), calls...)
	require.ElementsMatch(t, []string{`{"path":"a"}`, `{"path":"c"}`}, inputsOf(fake.Calls()), "what was refused is no call")

	fake.Calls()[0].Input[0] = 'X'
	require.NotContains(t, string(fake.Calls()[0].Input), "X", "Calls returns copies")
}

func inputsOf(calls []pegboard.Call) []string {
	var inputs []string
	for _, c := range calls {
		inputs = append(inputs, string(c.Input))
	}
	return inputs
}

func TestFakeConfig(t *testing.T) {
	t.Parallel()
	fake := tooltest.FakeConfig{
		Name: "Edit", Aliases: []string{"Change"}, Description: "Edits.", RequiresUser: true,
		Traits: pegboard.Traits{Concurrency: pegboard.PerTarget, Destructive: true},
		Targets: func(input json.RawMessage) []pegboard.Target {
			var in struct{ Path string }
			if err := json.Unmarshal(input, &in); err != nil {
				return nil
			}
			return []pegboard.Target{{Kind: pegboard.TargetPath, Value: in.Path}}
		},
	}.New()
	require.Equal(t, pegboard.Info{Name: "Edit", Aliases: []string{"Change"}, RequiresUser: true}, fake.Info())
	d, ok := fake.Declare(nil)
	require.True(t, ok)
	require.Equal(t, "Edits.", d.Description)
	require.JSONEq(t, `{"type":"object"}`, string(d.InputSchema))
	c := tooltest.Call("Edit", `{"path":"a"}`)
	require.Equal(t, pegboard.Traits{
		Targets:     []pegboard.Target{{Kind: pegboard.TargetPath, Value: "a"}},
		Concurrency: pegboard.PerTarget, Destructive: true,
	}, fake.Traits(&c))
}

func TestFakeIsCautious(t *testing.T) {
	t.Parallel()
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
	require.NoError(t, err)
	fake := tooltest.NewFake("Bash")
	out := tooltest.Run(t.Context(), fake, s, `{}`)
	require.ErrorIs(t, out.Err, pegboard.ErrDenied)
	require.Empty(t, fake.Calls())
	require.NoError(t, s.Close(t.Context()))
}

func TestFakePanicsOnWrongSource(t *testing.T) {
	t.Parallel()
	require.PanicsWithValue(t, "tooltest: fake tool: tool without a name: Info.Name: is empty", func() { tooltest.NewFake("") })
	require.Panics(t, func() { tooltest.FakeConfig{Name: "T", InputSchema: `{"type":1}`}.New() })
}

func TestStandInKeepsAllButTheCall(t *testing.T) {
	t.Parallel()
	fake := tooltest.StandIn(shout(), tooltest.Reply{Text: "scripted"})
	require.Equal(t, shout().Info(), fake.Info())
	out := tooltest.Run(t.Context(), fake, nil, `{"text":"hello"}`)
	require.Equal(t, "scripted", out.Result.Text())
	require.True(t, out.Call.ReadOnly())
	require.ErrorIs(t, tooltest.Run(t.Context(), fake, nil, `{"txt":"hello"}`).Err, pegboard.ErrInvalidInput)
	require.Equal(t, "ok", tooltest.Run(t.Context(), tooltest.StandIn(shout()), nil, `{"text":"a"}`).Result.Text())
}
