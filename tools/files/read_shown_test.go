package files_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// smallRead is Read with the limit of other tools, as a host may wrap it.
type smallRead struct{ pegboard.Tool }

func (r smallRead) Info() pegboard.Info {
	info := r.Tool.Info()
	info.MaxResult = 500
	return info
}

// cutRead is Read in a wrapper that shows less.
type cutRead struct{ pegboard.Tool }

func (r cutRead) Call(ctx ctx, c *pegboard.Call) (*pegboard.Result, error) {
	result, err := r.Tool.Call(ctx, c)
	if err == nil {
		result.Parts = []pegboard.Part{{Text: result.Text()[:100]}}
	}
	return result, err
}

// reader is a conversation in which Read is called for one file.
type reader struct {
	*ground
	t    *testing.T
	path string
	n    int // calls so far
}

func newReader(t *testing.T, cfg pegboard.SessionConfig, tools ...pegboard.Tool) *reader {
	t.Helper()
	perms := rules(t, pegboard.RuleSet{Allow: []string{"Script"}})
	cfg.Permissions = perms
	if len(tools) == 0 {
		tools = []pegboard.Tool{files.Read(files.ReadOptions{})}
	}
	r := &reader{ground: newGround(t, cfg, append(tools, scriptOfReads())...), t: t}
	r.path = r.put(t, "f", long)
	return r
}

// pool returns the pool and the next calls of Read.
func (r *reader) pool(count int) (*pegboard.Pool, []pegboard.Call) {
	r.t.Helper()
	var reg pegboard.Registry
	require.NoError(r.t, reg.Add(r.tools...))
	var calls []pegboard.Call
	for range count {
		r.n++
		calls = append(calls, pegboard.Call{ID: string(rune('a' + r.n)), Name: "Read", Input: json.RawMessage(`{"file_path":"f"}`)})
	}
	return reg.AssemblePool(r.session, pegboard.PoolConfig{}), calls
}

// message makes calls of Read in one message, and returns which of them were told that
// nothing has changed.
func (r *reader) message(count int) (unchanged []bool) {
	r.t.Helper()
	pool, calls := r.pool(count)
	var ex pegboard.Executor
	for _, out := range ex.Run(r.t.Context(), pool, calls...) {
		unchanged = append(unchanged, strings.Contains(out.Result.Text(), "has not changed"))
	}
	return unchanged
}

// stream makes a call in a stream.
func (r *reader) stream(end func(*pegboard.Stream)) {
	r.t.Helper()
	pool, calls := r.pool(1)
	var ex pegboard.Executor
	s := ex.Stream(r.t.Context(), pool)
	s.Submit(calls[0])
	end(s)
	for out := range s.Outcomes() {
		require.NotNil(r.t, out.Result)
	}
}

// script makes a call of Read from inside another tool, which returns what it got.
func (r *reader) script() string {
	r.t.Helper()
	pool, _ := r.pool(0)
	var ex pegboard.Executor
	out := ex.Run(r.t.Context(), pool, pegboard.Call{ID: "script", Name: "Script", Input: json.RawMessage(`{}`)})[0]
	require.NoError(r.t, out.Err)
	data, ok := out.Result.Data.(string)
	require.True(r.t, ok)
	return data
}

// scriptOfReads returns a tool that reads the file, and shows the model nothing of it.
func scriptOfReads() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Script"}, Description: "Reads the file.",
		Inspect: func(struct{}, *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Concurrency: pegboard.Shared, Targets: []pegboard.Target{}}
		},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			outs := c.Run(ctx, pegboard.Call{ID: c.ID + "/1", Name: "Read", Input: json.RawMessage(`{"file_path":"f"}`)})
			return outs[0].Result.Text(), outs[0].Err
		},
		Result: func(text string) *pegboard.Result {
			return &pegboard.Result{Parts: []pegboard.Part{{Text: "done"}}, Data: text}
		},
	})
}

// trim gives the session a history that has the results of the calls with these ids.
func (r *reader) trim(ids ...string) {
	r.t.Helper()
	var history []pegboard.HistoryResult
	for i, id := range ids {
		history = append(history, pegboard.HistoryResult{CallID: id, Tool: "Read", Turn: i, Text: strings.Repeat("x", 5000)})
	}
	r.session.TrimResults(r.t.Context(), history)
}

// TestReadIsOnlyUnchangedWhereTheModelHasTheText: what counts as shown is what the model was
// sent and still has.
func TestReadIsOnlyUnchangedWhereTheModelHasTheText(t *testing.T) {
	t.Parallel()
	post := func(hook func(*pegboard.HookCall)) pegboard.SessionConfig {
		first := true
		return pegboard.SessionConfig{Hooks: pegboard.Hooks{Post: func(_ context.Context, h *pegboard.HookCall) error {
			if h.Call.Name == "Read" && first {
				first = false
				hook(h)
			}
			return nil
		}}}
	}
	read := func(r *reader) { require.Equal(r.t, []bool{false}, r.message(1)) }
	tests := []struct {
		name   string
		cfg    pegboard.SessionConfig
		tool   func(pegboard.Tool) pegboard.Tool
		before func(r *reader) // the first call
		says   bool            // that the file has not changed
	}{
		{name: "sent", before: read, says: true},
		{name: "sent by a stream", before: func(r *reader) { r.stream(func(s *pegboard.Stream) { s.Finish(pegboard.FinishToolCalls) }) }, says: true},
		{name: "sent, and still in the history", before: func(r *reader) { read(r); r.trim("b") }, says: true},
		{name: "sent, and not yet in the history", before: func(r *reader) { r.trim("a"); read(r) }, says: true},
		{name: "a hook added a part", cfg: post(func(h *pegboard.HookCall) {
			h.Outcome.Result.Parts = append([]pegboard.Part{{Text: "By the way."}}, h.Outcome.Result.Parts...)
		}), before: read, says: true},

		{name: "read by a script", before: func(r *reader) { require.Contains(r.t, r.script(), "a line that is not short") }},
		{name: "masked", cfg: pegboard.SessionConfig{Limits: pegboard.ResultLimits{KeepRecent: 1, MaskStep: 1}}, before: func(r *reader) { read(r); r.trim("b", "x", "y") }},
		{name: "replaced since the message has too much", cfg: pegboard.SessionConfig{Limits: pegboard.ResultLimits{PerMessage: 1}}, before: func(r *reader) { read(r); r.trim("b") }},
		{name: "gone from the history", before: func(r *reader) { read(r); r.trim("b"); r.trim("x") }},
		{name: "replaced by a hook", cfg: post(func(h *pegboard.HookCall) {
			h.Outcome.Result = &pegboard.Result{Parts: []pegboard.Part{{Text: "secret"}}}
		}), before: read},
		{name: "changed by a hook", cfg: post(func(h *pegboard.HookCall) {
			changed := *h.Outcome.Result
			changed.Parts = []pegboard.Part{{Text: strings.ReplaceAll(changed.Text(), "short", "***")}}
			h.Outcome.Result = &changed
		}), before: read},
		{name: "changed in place by a hook", cfg: post(func(h *pegboard.HookCall) { h.Outcome.Result.Parts[0].Text = "secret" }), before: read},
		{name: "changed when the message had ended", cfg: pegboard.SessionConfig{Hooks: pegboard.Hooks{Batch: func(_ context.Context, outs []pegboard.Outcome) error {
			if outs[0].Call.ID == "b" {
				outs[0].Result = pegboard.TextResult("secret")
			}
			return nil
		}}}, before: read},
		{name: "stored, and a preview sent", tool: func(tool pegboard.Tool) pegboard.Tool { return smallRead{tool} }, before: read},
		{name: "cut by a wrapper", tool: func(tool pegboard.Tool) pegboard.Tool { return cutRead{tool} }, before: read},
		{name: "abandoned", before: func(r *reader) { r.stream(func(s *pegboard.Stream) { s.Abandon(nil) }) }},
		{name: "abandoned when it had ended", before: func(r *reader) {
			r.stream(func(s *pegboard.Stream) {
				for range s.Ready() { // whether it has ended or not
				}
				s.Abandon(nil)
			})
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tool := files.Read(files.ReadOptions{})
			if tt.tool != nil {
				tool = tt.tool(tool)
			}
			r := newReader(t, tt.cfg, tool)
			tt.before(r)
			require.Equal(t, []bool{tt.says}, r.message(1))
		})
	}
}

// TestReadInOneMessage shows the text to each call: neither result is above the other for
// sure.
func TestReadInOneMessage(t *testing.T) {
	t.Parallel()
	r := newReader(t, pegboard.SessionConfig{})
	require.Equal(t, []bool{false, false}, r.message(2))
	require.Equal(t, []bool{true}, r.message(1))
	require.Equal(t, []bool{false}, r.message(1), "it asks again, so it cannot see the text")
	require.Equal(t, []bool{true}, r.message(1))
	require.Contains(t, r.script(), "a line that is not short", "a script has no text above")
	require.Equal(t, []bool{false}, r.message(1), "it asks again")
	require.Contains(t, r.script(), "a line that is not short")
	require.Equal(t, []bool{true}, r.message(1), "the script took nothing away")
}

// TestReadAgainAfterTrim follows the advice in the text that replaced a result.
func TestReadAgainAfterTrim(t *testing.T) {
	t.Parallel()
	r := newReader(t, pegboard.SessionConfig{Limits: pegboard.ResultLimits{KeepRecent: 1, MaskStep: 1}})
	require.Equal(t, []bool{false}, r.message(1))
	texts := r.session.TrimResults(t.Context(), []pegboard.HistoryResult{
		{CallID: "b", Tool: "Read", Turn: 1, Text: long + long}, {CallID: "x", Tool: "Read", Turn: 2, Text: long}, {CallID: "y", Tool: "Read", Turn: 3, Text: long},
	})
	require.Contains(t, texts[0], "call Read again to see it")
	require.Equal(t, []bool{false}, r.message(1))
	require.Equal(t, []bool{true}, r.message(1), "now it stands there again")
}
