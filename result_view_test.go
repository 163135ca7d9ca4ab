package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// resulting is a tool that returns a result and an error.
func resulting(r *pegboard.Result, err error) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[touch, *pegboard.Result]{
		Info: pegboard.Info{Name: "Note"}, Description: "For a test.",
		Call: func(ctx, touch, *pegboard.Call) (*pegboard.Result, error) { return r, err },
	})
}

func TestOutcomeView(t *testing.T) {
	t.Parallel()
	text := func(s string) *pegboard.Result { return pegboard.TextResult(s) }
	document := pegboard.Part{MIME: "application/pdf", Data: []byte("x")}
	diffs := []pegboard.Diff{{Path: "/a"}}
	long := strings.Repeat("x", 300)
	tests := []struct {
		name   string
		result *pegboard.Result
		err    error
		after  string
		failed bool
		diffs  []pegboard.Diff
		search string
	}{
		{name: "a line", result: &pegboard.Result{Parts: text("a\nb").Parts, Line: "Read\n2 lines", SearchText: "ab"}, after: "Read ⏎ 2 lines", search: "ab"},
		{name: "a text", result: text(" all good\n"), after: "all good", search: " all good\n"},
		{name: "two lines", result: text("a\nb"), after: "a (and 1 more line)", search: "a\nb"},
		{name: "many lines", result: text("\n a \n\nb\nc\n"), after: "a (and 3 more lines)", search: "\n a \n\nb\nc\n"},
		{name: "a long line", result: text(long), after: long[:pegboard.MaxLine-1] + "…", search: long},
		{name: "a long line of two", result: text(long + "\nb"), after: long[:pegboard.MaxLine-41] + "… (and 1 more line)", search: long + "\nb"},
		{name: "nothing", result: nil, after: "(Note ran and returned nothing)", search: "(Note ran and returned nothing)"},
		{name: "no text", result: &pegboard.Result{Parts: []pegboard.Part{document}}, after: "1 part that is no text"},
		{name: "much that is no text", result: &pegboard.Result{Parts: []pegboard.Part{document, {Tool: "x"}}}, after: "2 parts that are no text"},
		{name: "a blank line is none", result: &pegboard.Result{Parts: text("a").Parts, Line: "\n"}, after: "a", search: "a"},
		{name: "diffs", result: &pegboard.Result{Parts: text("a").Parts, Diffs: diffs}, after: "a", diffs: diffs, search: "a"},
		{name: "a failure", result: &pegboard.Result{Parts: text("no\nway").Parts, IsError: true}, after: "Failed: no ⏎ way", failed: true, search: "no\nway"},
		{name: "a failure with a line", result: &pegboard.Result{Parts: text("no").Parts, IsError: true, Line: "Exit code 1"}, after: "Exit code 1", failed: true, search: "no"},
		{name: "an error", err: errors.New("the disk\nis full"), after: "Failed: the disk ⏎ is full", failed: true, search: "the disk\nis full"},
		{
			name: "an error after a change", result: &pegboard.Result{Parts: text("half").Parts, Diffs: diffs, Line: "Wrote half"}, err: errors.New("no"),
			after: "Failed: no", failed: true, diffs: diffs, search: "no\nhalf",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out := run(t, registryOf(t, resulting(tt.result, tt.err)), session(t, bypass(t)), call("1", "Note", `{"path":"p"}`))
			v := out.View()
			requireLine(t, v.After)
			require.Equal(t, pegboard.View{
				Title: "Note", Before: "Note", While: "Running Note", After: tt.after, Failed: tt.failed, Diffs: tt.diffs, SearchText: tt.search,
			}, v)
		})
	}
	byHand := pegboard.Outcome{}
	require.Equal(t, "Done", byHand.View().After)
}

func TestOutcomeViewOfACallThatFailed(t *testing.T) {
	t.Parallel()
	failing := func(err error) pegboard.Tool { return resulting(nil, err) }
	checking := pegboard.Build(pegboard.Definition[touch, string]{
		Info: pegboard.Info{Name: "Note"}, Description: "For a test.",
		Call: func(ctx context.Context, in touch, c *pegboard.Call) (string, error) {
			return "", c.Check(ctx, policy.Target{Kind: policy.Path, Value: "/secret"})
		},
	})
	panicking := pegboard.Build(pegboard.Definition[touch, string]{
		Info: pegboard.Info{Name: "Note"}, Description: "For a test.",
		Call: func(context.Context, touch, *pegboard.Call) (string, error) { panic("x") },
	})
	secret := rules(t, policy.ModeBypass, policy.RuleSet{Source: policy.SourceUser, Deny: []string{"Edit(//secret)"}})
	no := func(context.Context, *pegboard.Question) (policy.Decision, error) {
		return policy.Decision{Behavior: policy.Deny, Reason: "not\ntoday"}, nil
	}
	tests := []struct {
		name  string
		cfg   *pegboard.SessionConfig // nil: everything is allowed
		tool  pegboard.Tool           // nil: one that says ok
		call  pegboard.Call           // zero: of Note
		cause error                   // of a cancellation before the call
		want  string
	}{
		{name: "a rule", cfg: &pegboard.SessionConfig{Permissions: rules(t, "", policy.RuleSet{Source: policy.SourceUser, Deny: []string{"Edit(p)"}})}, tool: toucher(nil), call: touching("1", "p"), want: `Denied: deny rule "Edit(p)" from userSettings covers it`},
		{name: "nobody", cfg: &pegboard.SessionConfig{}, want: "Denied: no rule allows it"},
		{name: "the user", cfg: &pegboard.SessionConfig{Ask: no}, want: "Denied: not ⏎ today"},
		{name: "in mid-call", cfg: &pegboard.SessionConfig{Permissions: secret}, tool: checking, want: `Denied: deny rule "Edit(//secret)"`},
		{name: "unknown", call: call("1", "Nought", `{}`), want: "There is no such tool"},
		{name: "wrong input", call: call("1", "Note", `{}`), want: `Wrong input: missing required property "path"`},
		{name: "a panic", tool: panicking, want: "Failed inside, which is a fault of the program"},
		{name: "later", tool: failing(pegboard.ErrDeferred), want: "Will be answered later"},
		{name: "the user interrupts", cause: pegboard.ErrUserInterrupt, want: "Stopped by the user"},
		{name: "cancelled", cause: context.Canceled, want: "Stopped by the user"},
		{name: "a new message", cause: pegboard.ErrNewMessage, want: "Stopped: a new message came"},
		{name: "the turn's time", cause: context.DeadlineExceeded, want: "Stopped: the time for this turn is over"},
		{name: "another cause", cause: errors.New("the window was closed"), want: "Stopped: the window was closed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.cfg == nil {
				all := bypass(t)
				tt.cfg = &all
			}
			if tt.tool == nil {
				tt.tool = failing(nil)
			}
			if tt.call.Name == "" {
				tt.call = call("1", "Note", `{"path":"p"}`)
			}
			turn, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			if tt.cause != nil {
				cancel(tt.cause)
			}
			ex := executor(pegboard.Executor{})
			out := ex.Run(turn, registryOf(t, tt.tool).AssemblePool(session(t, *tt.cfg), pegboard.PoolConfig{}), tt.call)[0]
			require.Error(t, out.Err)
			v := out.View()
			require.True(t, v.Failed)
			requireLine(t, v.After)
			require.True(t, strings.HasPrefix(v.After, tt.want), v.After)
		})
	}
}

func TestOutcomeViewOfACallThatTakesTooLong(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		deaf bool
		want string
	}{
		{name: "heeds its context", want: "Took too long"},
		{name: "does not", deaf: true, want: "Goes on in the background"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tool := slow(pegboard.Info{Name: "Slow", Timeout: time.Second}, tt.deaf)
				out := run(t, registryOf(t, tool), session(t, bypass(t)), call("1", "Slow", `{"ms":60000}`))
				require.Equal(t, tt.want, out.View().After)
				time.Sleep(time.Minute) // until the tool has returned
			})
		})
	}
}

func TestOutcomeViewOfALimit(t *testing.T) {
	t.Parallel()
	s, reg := budgeted(t, pegboard.CallBudget{Calls: 1, Tools: []string{"A"}}), registryOf(t, inert("A"))
	run(t, reg, s, call("1", "A", `{}`))
	refused := run(t, reg, s, call("2", "A", `{}`))
	require.Equal(t, "Budget used up: the limit of 1 call of A in this session", refused.View().After)
	deadlock := pegboard.Outcome{Err: &pegboard.CallError{Err: pegboard.ErrDeadlock}}
	require.Equal(t, "Not run: it would wait for itself", deadlock.View().After)
}

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

// viewed is what a test says of a tool that a person looks at.
type viewed struct {
	info    pegboard.Info
	inspect func(in touch) pegboard.Traits
	lines   func(in touch) pegboard.Summary
}

func (v viewed) tool() pegboard.Tool {
	d := pegboard.Definition[touch, string]{
		Info: v.info, Description: "For a test.",
		Call: func(ctx, touch, *pegboard.Call) (string, error) { return "ok", nil },
	}
	if v.inspect != nil {
		d.Inspect = func(in touch, _ *pegboard.Call) pegboard.Traits { return v.inspect(in) }
	}
	if v.lines != nil {
		d.Summary = func(in touch, _ *pegboard.Call) pegboard.Summary { return v.lines(in) }
	}
	return pegboard.Build(d)
}

// viewsOf returns the views of one call of tool at each event, by kind.
func viewsOf(t *testing.T, tool pegboard.Tool, s *pegboard.Session, input string) map[pegboard.EventKind]pegboard.View {
	t.Helper()
	views := map[pegboard.EventKind]pegboard.View{}
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) { views[e.Kind] = e.Call.View() }})
	ex.Run(t.Context(), registryOf(t, tool).AssemblePool(s, pegboard.PoolConfig{}), call("1", tool.Info().Name, input))
	return views
}

func TestCallView(t *testing.T) {
	t.Parallel()
	info := pegboard.Info{Name: "Note", Title: "Take a note"}
	of := func(kind pegboard.CallKind, targets ...policy.Target) func(touch) pegboard.Traits {
		return func(touch) pegboard.Traits { return pegboard.Traits{Kind: kind, Targets: targets} }
	}
	path := func(name string) policy.Target { return policy.Target{Kind: policy.Path, Value: name} }
	tests := []struct {
		name  string
		tool  viewed
		input string
		want  pegboard.View
	}{
		{name: "nothing is said", tool: viewed{info: pegboard.Info{Name: "Note"}}, want: pegboard.View{Title: "Note", Before: "Note", While: "Running Note"}},
		{name: "a title", tool: viewed{info: info}, want: pegboard.View{Title: "Take a note", Before: "Take a note", While: "Running Take a note"}},
		{
			name: "a kind", tool: viewed{info: info, inspect: of(pegboard.KindRead)},
			want: pegboard.View{Title: "Take a note", Kind: pegboard.KindRead, Folds: true, Before: "Take a note", While: "Running Take a note"},
		},
		{
			name: "targets", tool: viewed{info: info, inspect: of(pegboard.KindEdit, path("a/b"), path("/x"))},
			want: pegboard.View{Title: "Take a note", Kind: pegboard.KindEdit, Before: "Take a note a/b, /x", While: "Editing a/b, /x"},
		},
		{
			name: "many targets", tool: viewed{info: info, inspect: of(pegboard.KindOther, path("a"), path("b"), path("c"), path("d"), path("e"))},
			want: pegboard.View{Title: "Take a note", Before: "Take a note a, b, c and 2 more", While: "Running Take a note a, b, c and 2 more"},
		},
		{
			name: "a guess, and nothing", tool: viewed{info: info, inspect: of(pegboard.KindRun,
				policy.Target{Kind: policy.Path, Value: "x", Shell: policy.ShellFacts{Guess: true}}, policy.Target{}, policy.Target{Kind: policy.Command, Value: "ls\nrm -rf x"})},
			want: pegboard.View{Title: "Take a note", Kind: pegboard.KindRun, Before: "Take a note ls ⏎ rm -rf x", While: "Running ls ⏎ rm -rf x"},
		},
		{
			name: "lines", tool: viewed{info: info, inspect: of(pegboard.KindEdit, path("a")), lines: func(in touch) pegboard.Summary {
				return pegboard.Summary{Title: " Note\nit ", Before: "Note " + in.Path, While: "Noting\x1b " + in.Path}
			}},
			want: pegboard.View{Title: "Note ⏎ it", Kind: pegboard.KindEdit, Before: "Note p", While: `Noting\x1b p`},
		},
		{
			name: "blank lines are none", tool: viewed{info: info, inspect: of(pegboard.KindFetch, path("a")), lines: func(touch) pegboard.Summary {
				return pegboard.Summary{Title: " ", Before: "\n", While: "\t"}
			}},
			want: pegboard.View{Title: "Take a note", Kind: pegboard.KindFetch, Before: "Take a note a", While: "Fetching a"},
		},
		{name: "a blank title is none", tool: viewed{info: pegboard.Info{Name: "Note", Title: "\n"}}, want: pegboard.View{Title: "Note", Before: "Note", While: "Running Note"}},
		{
			name: "a kind that does not exist", tool: viewed{info: info, inspect: of(99, path("a"))},
			want: pegboard.View{Title: "Take a note", Before: "Take a note a", While: "Running Take a note a"},
		},
		{
			name: "the lines panic", tool: viewed{info: info, inspect: of(pegboard.KindList, path("a")), lines: func(touch) pegboard.Summary { panic("x") }},
			want: pegboard.View{Title: "Take a note", Kind: pegboard.KindList, Folds: true, Before: "Take a note a", While: "Listing a"},
		},
		{
			name: "the input is wrong", input: `{"bath":"p"}`, tool: viewed{info: info, lines: func(touch) pegboard.Summary { return pegboard.Summary{Before: "Note"} }},
			want: pegboard.View{Title: "Take a note", Before: "Take a note", While: "Running Take a note"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.input == "" {
				tt.input = `{"path":"p"}`
			}
			views := viewsOf(t, tt.tool.tool(), session(t, bypass(t)), tt.input)
			require.Contains(t, views, pegboard.EventAdmitted)
			require.Contains(t, views, pegboard.EventFinished)
			for kind, v := range views {
				require.Equal(t, tt.want, v, "%v", kind)
			}
		})
	}
}

func TestCallViewFolds(t *testing.T) {
	t.Parallel()
	for kind := pegboard.KindOther; kind <= pegboard.KindFetch; kind++ {
		folds := kind == pegboard.KindSearch || kind == pegboard.KindRead || kind == pegboard.KindList
		tool := viewed{info: pegboard.Info{Name: "Note"}, inspect: func(touch) pegboard.Traits { return pegboard.Traits{Kind: kind} }}
		views := viewsOf(t, tool.tool(), session(t, bypass(t)), `{"path":"p"}`)
		require.Equal(t, folds, views[pegboard.EventStarted].Folds, "%v", kind)
	}
}

// TestCallViewShortensPaths: a person knows which directory the agent works in.
func TestCallViewShortensPaths(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, policy.ModeBypass, policy.RuleSet{})})
	tool := viewed{info: pegboard.Info{Name: "Touch"}, inspect: func(in touch) pegboard.Traits {
		return pegboard.Traits{Targets: []policy.Target{{Kind: policy.Path, Value: in.Path}}}
	}}
	for path, want := range map[string]string{
		filepath.Join(dir, "a", "b"): filepath.Join("a", "b"), "c": "c", dir: ".", filepath.Dir(dir): filepath.Dir(dir), dir + "x": dir + "x",
	} {
		input, err := json.Marshal(touch{Path: path})
		require.NoError(t, err)
		for kind, v := range viewsOf(t, tool.tool(), s, string(input)) {
			require.Equal(t, "Touch "+want, v.Before, "%v", kind)
		}
	}
}

func TestShortPathOfNoSession(t *testing.T) {
	t.Parallel()
	var none *pegboard.Session
	require.Equal(t, "/a/b", none.ShortPath("/a/b"))
	s := session(t, pegboard.SessionConfig{Dir: t.TempDir()})
	require.Equal(t, "a/../b", s.ShortPath("a/../b"))
	require.Empty(t, s.ShortPath(""))
}

// TestCallViewOfNoTool: there is always something to show.
func TestCallViewOfNoTool(t *testing.T) {
	t.Parallel()
	c := call("1", "Note", `{}`)
	require.Equal(t, pegboard.View{Title: "Note", Before: "Note", While: "Running Note"}, c.View())
	nameless := (&pegboard.Call{}).View()
	require.Equal(t, "a tool without a name", nameless.Title)
	require.NotEmpty(t, nameless.Before)
	views := map[pegboard.EventKind]pegboard.View{}
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) { views[e.Kind] = e.Call.View() }})
	ex.Run(t.Context(), registryOf(t).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), call("1", "No\x1bte", `{`))
	for kind, v := range views {
		require.Equal(t, pegboard.View{Title: `No\x1bte`, Before: `No\x1bte`, While: `Running No\x1bte`}, v, "%v", kind)
	}
	require.Len(t, views, 2)
}

// TestCallViewOfAnExternalTool: a server cannot pass for another one, or for a built-in tool.
func TestCallViewOfAnExternalTool(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		info pegboard.Info
		want string
	}{
		{name: "a title", info: pegboard.Info{Name: "create", Title: "Create issue"}, want: "git hub: Create issue"},
		{name: "none", info: pegboard.Info{Name: "create issue"}, want: "git hub: create issue"},
		{name: "a title of more lines", info: pegboard.Info{Name: "create", Title: "Read\n\nall is well"}, want: "git hub: Read ⏎ all is well"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var reg pegboard.Registry
			_, err := reg.Attach("git hub", viewed{info: tt.info}.tool())
			require.NoError(t, err)
			pool := reg.AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
			ex := executor(pegboard.Executor{})
			out := ex.Run(t.Context(), pool, call("1", names(pool)[0], `{"path":"p"}`))[0]
			require.NoError(t, out.Err)
			require.Equal(t, pegboard.View{Title: tt.want, Before: tt.want, While: "Running " + tt.want, After: "ok", SearchText: "ok"}, out.View())
		})
	}
}

// relined is a wrapper that words its tool in another way.
type relined struct{ pegboard.Tool }

func (relined) Summary(*pegboard.Call) pegboard.Summary {
	return pegboard.Summary{Before: "In other words"}
}

func TestCallViewOfAWrapper(t *testing.T) {
	t.Parallel()
	inner := viewed{info: pegboard.Info{Name: "Note"}, lines: func(touch) pegboard.Summary { return pegboard.Summary{Before: "Inner", While: "Inside"} }}.tool()
	views := viewsOf(t, struct{ pegboard.Tool }{inner}, session(t, bypass(t)), `{"path":"p"}`)
	require.Equal(t, "Inner", views[pegboard.EventStarted].Before)
	views = viewsOf(t, relined{inner}, session(t, bypass(t)), `{"path":"p"}`)
	require.Equal(t, "In other words", views[pegboard.EventStarted].Before)
	require.Equal(t, "Running Note", views[pegboard.EventStarted].While)
}

// TestCallViewIsAskedForOnly: a session without a user interface pays nothing for it.
func TestCallViewIsAskedForOnly(t *testing.T) {
	t.Parallel()
	tool := viewed{info: pegboard.Info{Name: "Note"}, lines: func(touch) pegboard.Summary {
		t.Error("nobody asked")
		return pegboard.Summary{}
	}}
	out := run(t, registryOf(t, tool.tool()), session(t, bypass(t)), call("1", "Note", `{"path":"p"}`))
	require.NoError(t, out.Err)
}

// TestCallViewAtAnyTime: listeners, askers and hooks may ask while the call goes on.
func TestCallViewAtAnyTime(t *testing.T) {
	t.Parallel()
	var looking sync.WaitGroup
	look := func(c *pegboard.Call) {
		looking.Go(func() {
			v := c.View()
			if !strings.HasPrefix(v.Before, "Note ") {
				t.Errorf("the view is %+v", v)
			}
		})
	}
	s := session(t, pegboard.SessionConfig{
		Ask: func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
			look(q.Call)
			return policy.Decision{Behavior: policy.Allow, Input: json.RawMessage(`{"path":"b"}`)}, nil
		},
		Hooks: pegboard.Hooks{
			Pre: func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
				look(h.Call)
				return policy.Decision{}, nil
			},
			Post: func(_ ctx, h *pegboard.HookCall) error { look(h.Call); return nil },
		},
	})
	tool := viewed{info: pegboard.Info{Name: "Note"}, inspect: func(in touch) pegboard.Traits {
		return pegboard.Traits{Targets: []policy.Target{{Kind: policy.Path, Value: in.Path}}}
	}, lines: func(in touch) pegboard.Summary { return pegboard.Summary{Before: "Note " + in.Path} }}
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) { look(e.Call) }})
	out := ex.Run(t.Context(), registryOf(t, tool.tool()).AssemblePool(s, pegboard.PoolConfig{}), call("1", "Note", `{"path":"a"}`))[0]
	require.NoError(t, out.Err)
	looking.Wait()
	require.Equal(t, "Note b", out.View().Before, "the input that ran")
}
