package pegboard_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// partsOf returns a part for each text.
func partsOf(texts ...string) (parts []pegboard.Part) {
	for _, text := range texts {
		parts = append(parts, pegboard.Part{Text: text})
	}
	return parts
}

// TestSay: what the hooks of a call say stands in its outcome, whatever becomes of it.
func TestSay(t *testing.T) {
	t.Parallel()
	deny := pegboard.Decision{Behavior: pegboard.Deny, Reason: "no"}
	tests := []struct {
		name  string
		call  pegboard.Call
		rules pegboard.RuleSet
		hooks pegboard.Hooks // behind those that say something
		mode  pegboard.Mode
		cut   bool
		want  []pegboard.Part
		is    error
	}{
		{name: "it ran", call: call("1", "T", `{"mode":"ok"}`), want: partsOf("pre", "post")},
		{name: "it failed", call: call("1", "T", `{"mode":"fails"}`), want: partsOf("pre", "failure"), is: pegboard.ErrToolFailed},
		{name: "it panicked", call: call("1", "T", `{"mode":"panics"}`), want: partsOf("pre", "failure"), is: pegboard.ErrPanic},
		{name: "an unknown name", call: call("1", "U", `{}`), want: partsOf("not run"), is: pegboard.ErrUnknownTool},
		{name: "no JSON", call: call("1", "T", `{`), want: partsOf("not run"), is: pegboard.ErrInvalidInput},
		{name: "refused by Validate", call: call("1", "T", `{"mode":"invalid"}`), want: partsOf("not run"), is: pegboard.ErrInvalidInput},
		{name: "denied by the tool", call: call("1", "T", `{"mode":"denied"}`), want: partsOf("pre", "not run"), is: pegboard.ErrDenied},
		{name: "nobody to ask", call: call("1", "T", `{"mode":"ok"}`), mode: pegboard.ModeDefault, want: partsOf("pre", "not run"), is: pegboard.ErrNoApprover},
		{name: "the message was cut", call: call("1", "T", `{"mode":"ok"}`), cut: true, want: partsOf("not run"), is: pegboard.ErrCancelled},
		{
			name: "denied by the next hook", call: call("1", "T", `{"mode":"ok"}`), want: partsOf("pre", "not run"), is: pegboard.ErrDenied,
			hooks: pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (pegboard.Decision, error) { return deny, nil }},
		},
		{
			name: "the next hook fails", call: call("1", "T", `{"mode":"ok"}`), want: partsOf("pre", "not run"), is: pegboard.ErrDenied,
			hooks: pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (pegboard.Decision, error) { panic("oh") }},
		},
		{
			name: "put off", call: call("1", "T", `{"mode":"ok"}`), want: partsOf("pre", "not run"), is: pegboard.ErrDeferred,
			hooks: pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (pegboard.Decision, error) { return deny, pegboard.ErrDeferred }},
		},
		{
			name: "the input is replaced, and all hooks run again", call: call("1", "T", `{"mode":"ok"}`), want: partsOf("pre", "changed", "post"),
			hooks: pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
				if string(h.Call.Input) == `{"mode":"ok"}` {
					return pegboard.Decision{Input: []byte(`{"mode":"good"}`)}, nil
				}
				h.Say(partsOf("changed")...)
				return pegboard.Decision{}, nil
			}},
		},
		{
			name: "a hook takes the result", call: call("1", "T", `{"mode":"ok"}`), want: partsOf("pre", "post"),
			hooks: pegboard.Hooks{Post: func(_ ctx, h *pegboard.HookCall) error { h.Outcome = nil; return nil }},
		},
		{
			name: "a hook replaces the result, with words of its own", call: call("1", "T", `{"mode":"ok"}`), want: partsOf("of the result", "pre", "post"),
			hooks: pegboard.Hooks{Post: func(_ ctx, h *pegboard.HookCall) error {
				h.Outcome.Result = &pegboard.Result{Messages: partsOf("of the result")}
				return nil
			}},
		},
		{
			name: "a hook withholds the result", call: call("1", "T", `{"mode":"ok"}`), want: partsOf("pre", "post"), is: errPlanned,
			hooks: pegboard.Hooks{OnFailure: pegboard.FailBlock, Post: func(ctx, *pegboard.HookCall) error { return errPlanned }},
		},
		{
			name: "nothing to see", call: call("1", "T", `{"mode":"ok"}`), want: []pegboard.Part{{Text: "pre"}, {Text: "post"}, {Tool: "U"}},
			hooks: pegboard.Hooks{Post: func(_ ctx, h *pegboard.HookCall) error {
				h.Say()
				h.Say(pegboard.Part{}, pegboard.Part{Text: " \n"}, pegboard.Part{Title: "of nothing"}, pegboard.Part{Tool: "U"})
				return nil
			}},
		},
		{
			name: "too long", call: call("1", "T", `{"mode":"ok"}`), want: nil,
			hooks: pegboard.Hooks{Post: func(_ ctx, h *pegboard.HookCall) error { h.Say(partsOf(lines(100_000))...); return nil }},
		},
	}
	saying := pegboard.Hooks{
		Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
			h.Say(partsOf("pre")...)
			return pegboard.Decision{}, nil
		},
		Post:        func(_ ctx, h *pegboard.HookCall) error { h.Say(partsOf("post")...); return nil },
		PostFailure: func(_ ctx, h *pegboard.HookCall) error { h.Say(partsOf("failure")...); return nil },
		NotRun:      func(_ ctx, h *pegboard.HookCall) error { h.Say(partsOf("not run")...); return nil },
	}
	for _, tc := range tests {
		for _, timeout := range []time.Duration{0, time.Minute} {
			t.Run(fmt.Sprint(tc.name, ", ", timeout), func(t *testing.T) {
				t.Parallel()
				first := saying
				first.Timeout = timeout
				mode := tc.mode
				if mode == "" {
					mode = pegboard.ModeBypass
				}
				s := session(t, pegboard.SessionConfig{Permissions: rules(t, mode, tc.rules), Hooks: pegboard.JoinHooks(first, tc.hooks)})
				ex := executor(pegboard.Executor{})
				stream := ex.Stream(t.Context(), registryOf(t, moody("T")).AssemblePool(s, pegboard.PoolConfig{}))
				stream.Submit(tc.call)
				stream.Finish(map[bool]pegboard.FinishReason{false: pegboard.FinishToolCalls, true: pegboard.FinishLength}[tc.cut])
				outs := slices.Collect(stream.Outcomes())
				require.Len(t, outs, 1)
				require.ErrorIs(t, outs[0].Err, tc.is)
				if tc.want == nil {
					require.Len(t, outs[0].Result.Messages, 1, "one preview of all that was said")
					require.Less(t, len(outs[0].Result.Messages[0].Text), 10_000)
				} else {
					require.Equal(t, tc.want, outs[0].Result.Messages)
				}
				require.Empty(t, s.News())
			})
		}
	}
}

// TestSayAtOnce says from many goroutines. No word is lost.
func TestSayAtOnce(t *testing.T) {
	t.Parallel()
	const n = 50
	cfg := bypass(t)
	cfg.Hooks.Pre = func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() { h.Say(partsOf(fmt.Sprint(i), "and")...) })
		}
		all.Wait()
		return pegboard.Decision{}, nil
	}
	out := run(t, registryOf(t, inert("A")), session(t, cfg), call("1", "A", ``))
	require.Len(t, out.Result.Messages, 2*n)
	seen := map[string]bool{}
	for said := range slices.Chunk(out.Result.Messages, 2) {
		require.Equal(t, "and", said[1].Text, "the parts of one Say stay together")
		seen[said[0].Text] = true
	}
	require.Len(t, seen, n)
}

// TestSayAfterTheEnd: the words of a hook that was abandoned, or has kept its HookCall, are
// news of the session, and those of an image, too.
func TestSayAfterTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var kept *pegboard.HookCall
		cfg := bypass(t)
		cfg.Hooks = pegboard.Hooks{Timeout: time.Second, OnFailure: pegboard.FailContinue, Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
			kept = h
			h.Say(partsOf("in time")...)
			time.Sleep(time.Hour)
			h.Say(partsOf("late")...)
			return pegboard.Decision{Behavior: pegboard.Deny}, nil
		}}
		s := session(t, cfg)
		out := run(t, registryOf(t, inert("A")), s, call("1", "A", ``))
		require.NoError(t, out.Err)
		require.Equal(t, partsOf("in time"), out.Result.Messages)
		time.Sleep(2 * time.Hour)
		image := pegboard.Part{MIME: "image/png", Data: []byte("\x89PNG")}
		kept.Say(image)
		require.Equal(t, partsOf("in time"), out.Result.Messages, "what was handed out stays")
		require.Equal(t, append(partsOf("late"), image), s.News())
		require.Empty(t, s.News())
	})
	new(pegboard.HookCall).Say(partsOf("to nobody")...)
}

// TestSayInsideACall: the model does not read the results of calls that a call makes, so their
// words join those of the outer call.
func TestSayInsideACall(t *testing.T) {
	t.Parallel()
	cfg := bypass(t)
	cfg.Hooks = pegboard.Hooks{
		Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
			h.Say(partsOf("before " + h.Call.Name)...)
			return pegboard.Decision{}, nil
		},
		NotRun: func(_ ctx, h *pegboard.HookCall) error { h.Say(partsOf("no " + h.Call.Name)...); return nil },
		Post:   func(_ ctx, h *pegboard.HookCall) error { h.Say(partsOf("after " + h.Call.Name)...); return nil },
	}
	inner, innerOutcomes := script("Inner", call("3", "A", ``), call("4", "Unknown", ``))
	outer, outerOutcomes := script("Outer", call("2", "Inner", ``))
	ex := executor(pegboard.Executor{})
	out := ex.Run(t.Context(), registryOf(t, outer, inner, inert("A")).AssemblePool(session(t, cfg), pegboard.PoolConfig{}), call("1", "Outer", ``))[0]
	texts := func(parts []pegboard.Part) (list []string) {
		for _, p := range parts {
			list = append(list, p.Text)
		}
		return list
	}
	got := texts(out.Result.Messages)
	require.ElementsMatch(t, []string{"before Outer", "before Inner", "before A", "after A", "no Unknown", "after Inner", "after Outer"}, got)
	require.Equal(t, []string{"before Outer", "before Inner"}, got[:2])
	require.Equal(t, []string{"after Inner", "after Outer"}, got[5:])
	for _, o := range slices.Concat(*innerOutcomes, *outerOutcomes) {
		require.Empty(t, o.Result.Messages)
	}
}

// TestSayInBatch: of a Run the words stand in the last outcome that the model is sent, and of a
// stream they are news.
func TestSayInBatch(t *testing.T) {
	t.Parallel()
	image := pegboard.Part{MIME: "image/png", Data: []byte("no image")}
	said := func(after func(outs []pegboard.Outcome) error) pegboard.Hooks {
		return pegboard.Hooks{Batch: func(ctx ctx, outs []pegboard.Outcome) error {
			if !pegboard.SayInBatch(ctx, partsOf("first", " ", "second")...) || !pegboard.SayInBatch(ctx) {
				return errors.New("no Batch hook")
			}
			return after(outs)
		}}
	}
	nothing := func([]pegboard.Outcome) error { return nil }
	tests := []struct {
		name  string
		calls []pegboard.Call
		hooks pegboard.Hooks
		want  [][]pegboard.Part // by call
		news  []pegboard.Part
	}{
		{name: "one call", calls: []pegboard.Call{call("1", "A", ``)}, hooks: said(nothing), want: [][]pegboard.Part{partsOf("first", "second")}},
		{name: "two calls", calls: []pegboard.Call{call("1", "A", ``), call("2", "U", ``)}, hooks: said(nothing), want: [][]pegboard.Part{nil, partsOf("first", "second")}},
		{name: "the last one is not sent", calls: []pegboard.Call{call("1", "A", ``), call("1", "A", ``)}, hooks: said(nothing), want: [][]pegboard.Part{partsOf("first", "second"), nil}},
		{name: "no call", hooks: said(nothing), want: [][]pegboard.Part{}, news: partsOf("first", "second")},
		{
			name: "results are replaced", calls: []pegboard.Call{call("1", "A", ``)}, want: [][]pegboard.Part{partsOf("of the result", "first", "second")},
			hooks: said(func(outs []pegboard.Outcome) error {
				outs[0].Result = &pegboard.Result{Messages: partsOf("of the result")}
				return nil
			}),
		},
		{
			name: "results are withheld", calls: []pegboard.Call{call("1", "A", ``)}, want: [][]pegboard.Part{partsOf("first", "second")},
			hooks: pegboard.Hooks{OnFailure: pegboard.FailBlock, Batch: said(func([]pegboard.Outcome) error { return errPlanned }).Batch},
		},
		{
			name: "two hooks, one of which goes on", calls: []pegboard.Call{call("1", "A", ``)}, want: [][]pegboard.Part{partsOf("first", "second", "third")},
			hooks: pegboard.JoinHooks(said(nothing), pegboard.Hooks{Timeout: time.Second, Batch: func(ctx ctx, _ []pegboard.Outcome) error {
				pegboard.SayInBatch(ctx, partsOf("third")...)
				time.Sleep(time.Minute)
				pegboard.SayInBatch(ctx, append(partsOf("late"), image)...)
				return nil
			}}),
			news: append(partsOf("late"), image),
		},
	}
	for _, tc := range tests {
		for _, streams := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, stream %v", tc.name, streams), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					cfg := bypass(t)
					cfg.Hooks = tc.hooks
					s := session(t, cfg)
					pool := registryOf(t, inert("A")).AssemblePool(s, pegboard.PoolConfig{})
					want := tc.news
					var outs []pegboard.Outcome
					if !streams {
						ex := executor(pegboard.Executor{})
						outs = ex.Run(t.Context(), pool, tc.calls...)
						require.Len(t, outs, len(tc.want))
						for i, o := range outs {
							require.Equal(t, tc.want[i], o.Result.Messages)
						}
					} else {
						want = slices.Concat(lastOf(tc.want), tc.news)
						ex := executor(pegboard.Executor{})
						outs = collect(ex.Stream(t.Context(), pool), tc.calls)
						for _, o := range outs {
							for _, p := range o.Result.Messages {
								require.Equal(t, "of the result", p.Text)
							}
						}
						want = slices.DeleteFunc(want, func(p pegboard.Part) bool { return p.Text == "of the result" })
					}
					time.Sleep(time.Hour)
					require.Equal(t, want, s.News())
				})
			})
		}
	}
	require.False(t, pegboard.SayInBatch(context.Background(), partsOf("to nobody")...))
}

// lastOf returns the last list that is not nil.
func lastOf(lists [][]pegboard.Part) (last []pegboard.Part) {
	for _, l := range lists {
		if l != nil {
			last = l
		}
	}
	return last
}

// collect submits calls and returns the outcomes.
func collect(s *pegboard.Stream, calls []pegboard.Call) []pegboard.Outcome {
	for _, c := range calls {
		s.Submit(c)
	}
	s.Finish(pegboard.FinishToolCalls)
	return slices.Collect(s.Outcomes())
}
