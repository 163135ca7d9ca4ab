package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestCodeGetsValues: what a tool returns, what hooks make of it, and what code gets that
// made the call.
func TestCodeGetsValues(t *testing.T) {
	t.Parallel()
	data := map[string]any{"n": 1}
	image := pegboard.Part{MIME: "image/png", Data: []byte("\x89PNG")}
	text := func(s string) []pegboard.Part { return []pegboard.Part{{Text: s}} }
	redact := func(_ context.Context, h *pegboard.HookCall) error {
		r := *h.Outcome.Result
		r.Parts = text("[removed]")
		h.Outcome.Result = &r
		return nil
	}
	inPlace := func(_ context.Context, h *pegboard.HookCall) error {
		h.Outcome.Result.Parts[0].Text = "[removed]"
		return nil
	}
	fails := func(_ context.Context, h *pegboard.HookCall) error {
		r := *h.Outcome.Result
		r.IsError = true
		h.Outcome.Result = &r
		return nil
	}
	for _, tt := range []struct {
		name   string
		result pegboard.Result
		err    error
		hook   func(context.Context, *pegboard.HookCall) error
		want   any
		kind   string // of the error, if there is one
		says   string
		data   any // of the error
	}{
		{name: "a value", result: pegboard.Result{Parts: text("for the model"), Data: data, Value: "for code"}, want: "for code"},
		{name: "data", result: pegboard.Result{Parts: text("for the model"), Data: data}, want: data},
		{name: "text", result: pegboard.Result{Parts: []pegboard.Part{{Text: "a"}, {Text: "b"}}}, want: "a\nb"},
		{name: "nothing", want: ""},
		{name: "an image", result: pegboard.Result{Parts: []pegboard.Part{{Text: "a"}, image}}, want: []any{
			map[string]any{"type": "text", "text": "a"}, map[string]any{"type": "image", "mimeType": "image/png", "data": "iVBORw=="},
		}},
		{name: "a document", result: pegboard.Result{Parts: []pegboard.Part{{MIME: "application/pdf", Data: []byte("%PDF")}}}, want: []any{
			map[string]any{"type": "resource", "mimeType": "application/pdf", "data": "JVBERg=="},
		}},
		{name: "a reference", result: pegboard.Result{Parts: []pegboard.Part{{Tool: "Found"}}}, want: []any{
			map[string]any{"type": "tool_reference", "tool_name": "Found"},
		}},
		{name: "a failure with a value", result: pegboard.Result{Parts: text("Exit code 1."), IsError: true, Value: data}, want: data},
		{name: "a failure", result: pegboard.Result{Parts: text("It broke."), IsError: true, Data: data}, kind: pegboard.KindFailed, says: "It broke.", data: data},
		{name: "an error", err: errors.New("it broke"), kind: pegboard.KindFailed, says: "it broke"},
		{name: "a partial result", result: pegboard.Result{Parts: text("half"), Value: "half"}, err: errors.New("it broke"), kind: pegboard.KindFailed, says: "it broke\nhalf"},
		{name: "a failure for code only", result: pegboard.Result{Parts: text("a part"), Data: data, Value: &pegboard.CodeError{Kind: pegboard.KindTimeout, Text: "not all"}}, kind: pegboard.KindTimeout, says: "not all", data: data},
		{name: "denied in the middle", err: fmt.Errorf("%w: no", pegboard.ErrDenied), kind: pegboard.KindDenied, says: "no"},

		{name: "a hook removes text", result: pegboard.Result{Parts: text("secret"), Data: data, Value: "secret"}, hook: redact, want: "[removed]"},
		{name: "a hook removes text in its place", result: pegboard.Result{Parts: text("secret"), Data: data}, hook: inPlace, want: "[removed]"},
		{name: "a hook removes text of a failure", result: pegboard.Result{Parts: text("secret"), IsError: true, Data: data}, hook: redact, kind: pegboard.KindFailed, says: "[removed]"},
		{name: "a hook removes text of a failure with a value", result: pegboard.Result{Parts: text("secret"), IsError: true, Value: data}, hook: redact, want: "[removed]"},
		{name: "a hook removes text of a failure for code only", result: pegboard.Result{Parts: text("secret"), Data: data, Value: &pegboard.CodeError{Kind: pegboard.KindTimeout, Text: "secret"}}, hook: redact, kind: pegboard.KindFailed, says: "[removed]"},
		{name: "a hook makes it a failure", result: pegboard.Result{Parts: text("text"), Data: data, Value: "text"}, hook: fails, kind: pegboard.KindFailed, says: "text"},
		{name: "a hook that changes nothing", result: pegboard.Result{Parts: text("text"), Value: data}, hook: func(context.Context, *pegboard.HookCall) error { return nil }, want: data},
		{name: "a hook replaces data", result: pegboard.Result{Parts: text("text"), Data: data}, want: "other", hook: func(_ context.Context, h *pegboard.HookCall) error {
			h.Outcome.Result = &pegboard.Result{Parts: h.Outcome.Result.Parts, Data: "other"}
			return nil
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			inner, err := pegboard.BuildRaw([]byte(`{"type":"object"}`), pegboard.Definition[json.RawMessage, *pegboard.Result]{
				Info: pegboard.Info{Name: "Inner"}, Description: "Is called.",
				Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
					if tt.err != nil && tt.result.Parts == nil {
						return nil, tt.err
					}
					r := tt.result
					return &r, tt.err
				},
			})
			require.NoError(t, err)
			cfg := bypass(t)
			cfg.Hooks.Post, cfg.Hooks.PostFailure = tt.hook, tt.hook
			value, err := valueOf(t, session(t, cfg), inner)
			if tt.kind == "" {
				require.NoError(t, err)
				require.Equal(t, tt.want, value)
				return
			}
			failed := (*pegboard.CodeError)(nil)
			require.ErrorAs(t, err, &failed)
			require.Equal(t, "Inner", failed.Tool)
			require.Equal(t, tt.kind, failed.Kind)
			require.Contains(t, failed.Error(), tt.says)
			require.NotContains(t, failed.Error(), "secret")
			require.Equal(t, tt.data, failed.Data)
			if tt.err != nil {
				require.ErrorIs(t, err, tt.err)
			}
		})
	}
}

// valueOf returns what code gets that calls a tool.
func valueOf(t *testing.T, s *pegboard.Session, tool pegboard.Tool) (value any, err error) {
	t.Helper()
	outer := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Outer"}, Description: "Calls.",
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			out := c.Run(ctx, call("2", tool.Info().Name, `{}`))[0]
			value, err = out.Value()
			return "done", nil
		},
	})
	e := executor(pegboard.Executor{})
	out := e.Run(t.Context(), registryOf(t, tool, outer).AssemblePool(s, pegboard.PoolConfig{}), call("1", "Outer", `{}`))
	require.NoError(t, out[0].Err)
	return value, err
}

// TestKindsOfFailuresForCode: code tells failures apart that happen before a tool runs.
func TestKindsOfFailuresForCode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		want string
	}{
		{pegboard.ErrUnknownTool, pegboard.KindUnknownTool},
		{pegboard.ErrInvalidInput, pegboard.KindInvalidInput},
		{pegboard.ErrDenied, pegboard.KindDenied},
		{fmt.Errorf("%w: %w", pegboard.ErrDenied, pegboard.ErrNoApprover), pegboard.KindDenied},
		{pegboard.ErrCancelled, pegboard.KindCancelled},
		{fmt.Errorf("%w: %w", pegboard.ErrCancelled, pegboard.ErrTimeout), pegboard.KindTimeout},
		{pegboard.ErrPanic, pegboard.KindCrashed},
		{&pegboard.BudgetError{}, pegboard.KindBudget},
		{errors.New("other"), pegboard.KindFailed},
	} {
		o := pegboard.Outcome{Call: &pegboard.Call{Name: "T"}, Result: pegboard.TextResult("text"), Err: tt.err}
		_, err := o.Value()
		failed := (*pegboard.CodeError)(nil)
		require.ErrorAs(t, err, &failed)
		require.Equal(t, tt.want, failed.Kind, "%v", tt.err)
		require.ErrorIs(t, err, tt.err)
	}
}
