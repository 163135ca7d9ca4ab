package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

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

// suppliedTool returns a tool without a Call and with the output type Out.
func suppliedTool[Out any](result func(Out) *pegboard.Result) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, Out]{Info: pegboard.Info{Name: "T", ExternalResult: true}, Description: "For a test.", Result: result})
}

// suppliedRaw is suppliedTool for schemas that are data.
func suppliedRaw(t *testing.T, output string) pegboard.Tool {
	t.Helper()
	tool, err := pegboard.BuildRaw(json.RawMessage(`{"type":"object"}`), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: pegboard.Info{Name: "T", ExternalResult: true}, Description: "For a test.", OutputSchema: json.RawMessage(output),
	})
	require.NoError(t, err)
	return tool
}

// TestSupply supplies outputs of every kind. What is wrong with one is told to the host and
// not to the model, and the call stays open.
func TestSupply(t *testing.T) {
	t.Parallel()
	boom := errors.New("the tab crashed")
	tests := []struct {
		name  string
		tool  pegboard.Tool
		wrong []string // outputs
		says  string   // of the last wrong one
		out   pegboard.ExternalResult
		text  string
		data  any
		is    error
	}{
		{
			name: "a struct", tool: suppliedTool[page](nil),
			wrong: []string{``, ` `, `{`, `null`, `[]`, `"x"`, `{}`, `{"links":["a"]}`, `{"Title":"a"}`, `{"title":"a"} {}`, `{"title":"a","title":"b"}`, `{"title":"a","size":1}`, `{"title":1}`},
			says:  "title", out: pegboard.ExternalResult{Output: []byte(`{"title":"a"}`)}, text: `{"title":"a"}`, data: page{Title: "a"},
		},
		{
			name: "a pointer", tool: suppliedTool[*page](nil), wrong: []string{`null`, `{}`, `{"title":[]}`},
			says: "title", out: pegboard.ExternalResult{Output: []byte(`{"title":"a","links":["b"]}`)}, text: `{"title":"a","links":["b"]}`, data: &page{Title: "a", Links: []string{"b"}},
		},
		{
			name: "a text", tool: suppliedTool[string](nil), wrong: []string{`a`, `1`, `null`},
			says: "null is no string", out: pegboard.ExternalResult{Output: []byte(`"a\nb"`)}, text: "a\nb", data: "a\nb",
		},
		{
			name: "a list", tool: suppliedTool[[]int](nil), wrong: []string{`[1,"2"]`, `{}`},
			says: "object", out: pegboard.ExternalResult{Output: []byte(`[1,2]`)}, text: "[1,2]", data: []int{1, 2},
		},
		{
			name: "a duration, as encoding/json writes it", tool: suppliedTool[time.Duration](nil), wrong: []string{`"1s"`},
			says: "string", out: pegboard.ExternalResult{Output: []byte(`1000`)}, text: "1000", data: time.Microsecond,
		},
		{
			name: "mapped by Result", tool: suppliedTool(func(p page) *pegboard.Result { return pegboard.TextResult("title " + p.Title) }),
			out: pegboard.ExternalResult{Output: []byte(`{"title":"a"}`)}, text: "title a", data: page{Title: "a"},
		},
		{
			name: "any JSON", tool: suppliedRaw(t, ""), wrong: []string{`{`, `{"a":1,"a":2}`},
			says: "a", out: pegboard.ExternalResult{Output: []byte(`{"a": 1}`)}, text: `{"a": 1}`, data: json.RawMessage(`{"a": 1}`),
		},
		{
			name: "JSON of a schema", tool: suppliedRaw(t, `{"type":"object","properties":{"n":{"type":"integer","maximum":3}},"required":["n"]}`), wrong: []string{`{}`, `[]`, `{"n":4}`},
			says: "n", out: pegboard.ExternalResult{Output: []byte(`{"n":3}`)}, text: `{"n":3}`, data: json.RawMessage(`{"n":3}`),
		},
		{
			name: "a result", tool: suppliedTool[page](nil),
			out: pegboard.ExternalResult{Result: &pegboard.Result{Parts: []pegboard.Part{{Text: "words"}}, Data: 1}}, text: "words", data: 1,
		},
		{
			name: "an empty result", tool: suppliedTool[page](nil), out: pegboard.ExternalResult{Result: &pegboard.Result{}}, text: "(T ran and returned nothing)",
		},
		{name: "an error", tool: suppliedTool[page](nil), out: pegboard.ExternalResult{Err: boom}, is: boom, text: "the tab crashed"},
		{
			name: "an error and a part", tool: suppliedTool[page](nil),
			out: pegboard.ExternalResult{Output: []byte(`{"title":"a"}`), Err: boom}, is: boom, text: "the tab crashed\n" + `{"title":"a"}`, data: page{Title: "a"},
		},
		{name: "later", tool: suppliedTool[page](nil), out: pegboard.ExternalResult{Err: pegboard.ErrDeferred}, is: pegboard.ErrDeferred, text: "T has not been answered yet. The answer comes later."},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, pool := browsing(t, bypass(t), tc.tool)
			h := &host{execute: func(a *pegboard.ExternalCall) {
				require.ErrorIs(t, a.Submit(pegboard.ExternalResult{}), pegboard.ErrInvalidOutput)
				require.ErrorIs(t, a.Submit(pegboard.ExternalResult{Output: []byte(`{}`), Result: &pegboard.Result{}}), pegboard.ErrInvalidOutput)
				var last error
				for _, wrong := range tc.wrong {
					last = a.Submit(pegboard.ExternalResult{Output: []byte(wrong)})
					require.ErrorIs(t, last, pegboard.ErrInvalidOutput, wrong)
					require.Len(t, s.ExternalCalls(), 1, "the call stays open after %s", wrong)
				}
				if last != nil {
					require.ErrorContains(t, last, tc.says)
				}
				require.NoError(t, s.SubmitResult(a.ID, tc.out))
				require.ErrorIs(t, s.SubmitResult(a.ID, tc.out), pegboard.ErrNoExternalCall, "it was supplied")
			}}
			ex := executor(pegboard.Executor{OnEvent: h.listen})
			o := ex.Run(t.Context(), pool, call("", "T", `{}`))[0]
			require.ErrorIs(t, o.Err, tc.is)
			require.Equal(t, tc.is != nil, o.Result.IsError)
			require.Equal(t, tc.text, o.Result.Text())
			require.Equal(t, tc.data, o.Result.Data)
			require.Empty(t, s.ExternalCalls())
		})
	}
}

// A func of the tool's author that fails on an output fails the call, and harms no host.
func TestSupplyWhoseMappingPanics(t *testing.T) {
	t.Parallel()
	_, pool := browsing(t, bypass(t), suppliedTool(func(page) *pegboard.Result { panic("oh") }))
	h := &host{execute: func(a *pegboard.ExternalCall) { sayTitle(t, a, "a") }}
	ex := executor(pegboard.Executor{OnEvent: h.listen})
	o := ex.Run(t.Context(), pool, call("1", "T", `{}`))[0]
	require.ErrorIs(t, o.Err, pegboard.ErrPanic)
}

// prickly cannot be decoded.
type prickly struct{}

func (*prickly) UnmarshalJSON([]byte) error { panic("oh") }

func TestSupplyWhoseDecodingPanics(t *testing.T) {
	t.Parallel()
	s, pool := browsing(t, bypass(t), suppliedTool[prickly](nil))
	h := &host{execute: func(a *pegboard.ExternalCall) {
		require.ErrorIs(t, a.Submit(pegboard.ExternalResult{Output: []byte(`{}`)}), pegboard.ErrInvalidOutput)
		require.NoError(t, s.SubmitResult(a.ID, pegboard.ExternalResult{Result: pegboard.TextResult("otherwise")}))
	}}
	ex := executor(pegboard.Executor{OnEvent: h.listen})
	require.Equal(t, "otherwise", ex.Run(t.Context(), pool, call("1", "T", `{}`))[0].Result.Text())
}

// TestSupplyIsExplicit: a tool without a Call is never one by accident.
func TestSupplyIsExplicit(t *testing.T) {
	t.Parallel()
	does := func(ctx, struct{}, *pegboard.Call) (string, error) { return "", nil }
	tests := []struct {
		name  string
		info  pegboard.Info
		call  func(ctx, struct{}, *pegboard.Call) (string, error)
		field string
	}{
		{name: "no Call", field: "Call"},
		{name: "both", info: pegboard.Info{ExternalResult: true}, call: does, field: "Call"},
		{name: "cannot be detached", info: pegboard.Info{ExternalResult: true, Interrupt: pegboard.InterruptDetach}, field: "Info.Interrupt"},
		{name: "is not attempted again", info: pegboard.Info{ExternalResult: true, Retry: pegboard.RetryPolicy{Attempts: 2}}, field: "Info.Retry"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.info.Name = "T"
			_, err := pegboard.TryBuild(pegboard.Definition[struct{}, string]{Info: tc.info, Description: "For a test.", Call: tc.call})
			var wrong *pegboard.BuildError
			require.ErrorAs(t, err, &wrong)
			require.Equal(t, tc.field, wrong.Field)
			require.ErrorContains(t, err, "host executes")
		})
	}
}
