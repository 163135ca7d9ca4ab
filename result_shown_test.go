package pegboard_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// shownTool returns a tool whose results tell shown what the model is sent. Its input says
// what becomes of the call.
func shownTool(shown func(*pegboard.Session, pegboard.Outcome)) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct {
		Become string `json:"become,omitempty"`
	}, *pegboard.Result]{
		Info: pegboard.Info{Name: "T"}, Description: "For a test.",
		Call: func(_ ctx, in struct {
			Become string `json:"become,omitempty"`
		}, _ *pegboard.Call) (*pegboard.Result, error) {
			r := pegboard.TextResult("text")
			r.Shown = shown
			if in.Become == "error" {
				return r, errors.New("no")
			}
			r.IsError = in.Become == "failed"
			return r, nil
		},
	})
}

// TestShown: a result is told that it is shown when the model is sent it, and once.
func TestShown(t *testing.T) {
	t.Parallel()
	replace := func(text string) func(context.Context, *pegboard.HookCall) error {
		return func(_ context.Context, h *pegboard.HookCall) error {
			changed := *h.Outcome.Result
			changed.Parts = []pegboard.Part{{Text: text}}
			h.Outcome.Result = &changed
			return nil
		}
	}
	for _, tt := range []struct {
		name  string
		hooks pegboard.Hooks
		calls []pegboard.Call
		want  []string // call and text
	}{
		{name: "sent", calls: []pegboard.Call{call("1", "T", `{}`)}, want: []string{"1 text"}},
		{name: "several", calls: []pegboard.Call{call("1", "T", `{}`), call("2", "T", `{}`)}, want: []string{"1 text", "2 text"}},
		{name: "a failure that the tool reports", calls: []pegboard.Call{call("1", "T", `{"become":"failed"}`)}, want: []string{"1 text"}},
		{name: "beside an error", calls: []pegboard.Call{call("1", "T", `{"become":"error"}`)}},
		{name: "not run", calls: []pegboard.Call{call("1", "T", `{"other":1}`)}},
		{name: "of a script", calls: []pegboard.Call{call("1", "Script", `{}`)}},
		{name: "changed by a hook", hooks: pegboard.Hooks{Post: replace("other")}, calls: []pegboard.Call{call("1", "T", `{}`)}, want: []string{"1 other"}},
		{name: "changed at the end", hooks: pegboard.Hooks{Batch: func(_ context.Context, outs []pegboard.Outcome) error {
			changed := *outs[0].Result
			changed.Parts = []pegboard.Part{{Text: "last"}}
			outs[0].Result = &changed
			return nil
		}}, calls: []pegboard.Call{call("1", "T", `{}`)}, want: []string{"1 last"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg := bypass(t)
			cfg.Hooks = tt.hooks
			s := session(t, cfg)
			var got []string
			tool := shownTool(func(told *pegboard.Session, o pegboard.Outcome) {
				require.Same(t, s, told)
				got = append(got, o.Call.ID+" "+o.Result.Text())
			})
			script, _ := script("Script", call("in", "T", `{}`))
			ex := executor(pegboard.Executor{})
			ex.Run(t.Context(), registryOf(t, tool, script).AssemblePool(s, pegboard.PoolConfig{}), tt.calls...)
			require.Equal(t, tt.want, got)
		})
	}
}

// TestShownInAStream: results of a reply that was abandoned are not sent.
func TestShownInAStream(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		end   func(*pegboard.Stream)
		shown bool
	}{
		{name: "finished", end: func(s *pegboard.Stream) { s.Finish(pegboard.FinishToolCalls) }, shown: true},
		{name: "abandoned", end: func(s *pegboard.Stream) { s.Abandon(nil) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			shown := false
			ended := make(chan struct{})
			ex := executor(pegboard.Executor{StartWritesEarly: true, OnEvent: func(e pegboard.Event) {
				if e.Kind == pegboard.EventFinished {
					close(ended)
				}
			}})
			st := ex.Stream(t.Context(), registryOf(t, shownTool(func(*pegboard.Session, pegboard.Outcome) { shown = true })).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}))
			st.Submit(call("1", "T", `{}`))
			<-ended // so that the call itself succeeds
			tt.end(st)
			for o := range st.Outcomes() {
				require.NoError(t, o.Err)
			}
			require.Equal(t, tt.shown, shown)
		})
	}
}

// TestShownThatCrashes loses no outcome, nor the news of another.
func TestShownThatCrashes(t *testing.T) {
	t.Parallel()
	told := 0
	tool := shownTool(func(*pegboard.Session, pegboard.Outcome) { told++; panic("boom") })
	ex := executor(pegboard.Executor{})
	outs := ex.Run(t.Context(), registryOf(t, tool).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), call("1", "T", `{}`), call("2", "T", `{}`))
	for _, o := range outs {
		require.NoError(t, o.Err)
		require.Equal(t, "text", o.Result.Text())
	}
	require.Equal(t, 2, told)
}
