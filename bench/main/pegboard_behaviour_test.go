package main

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/bench/harness"
	"github.com/seed49eaa51d/pegboard/policy"
)

// TestPegboardOne makes sure that the case does all that its budget speaks of.
func TestPegboardOne(t *testing.T) {
	var h hooked
	pool := pegPool(t, pegboard.SessionConfig{Hooks: h.hooks()}, pegStandard()...)
	for d := range pool.Declarations(pegboard.Builtin) {
		require.JSONEq(t, harness.Schema, string(d.InputSchema), d.Name)
	}
	full := harness.Full()
	o := (&pegboard.Executor{}).Run(t.Context(), pool, pegboard.Call{Name: "noop", Input: json.RawMessage(harness.Args)})[0]

	require.NoError(t, o.Err)
	require.Equal(t, "ok", o.Result.Text())
	require.Equal(t, full+1, harness.Full(), "the tool did not see the decoded input")
	require.Equal(t, policy.Allow, o.Decision.Behavior)
	require.True(t, o.Call.Facts().ReadOnly)
	require.Equal(t, int64(1), h.pre.Load(), "pre hooks")
	require.Equal(t, int64(1), h.post.Load(), "post hooks")
}

// TestPegboardBehaviour requires the behaviour that TestBehaviour only records of the
// others: wrong input never reaches the tool, and the model is told of every failure.
func TestPegboardBehaviour(t *testing.T) {
	tests := []struct {
		name, tool, args string
		says             string // a part of the text that the model reads
	}{
		{name: "missing required", tool: "noop", args: `{"path":"/x","limit":200}`, says: `"recursive"`},
		{name: "wrong type", tool: "noop", args: `{"path":"/x","limit":"200","recursive":true}`, says: "limit"},
		{name: "extra property", tool: "noop", args: `{"path":"/x","limit":200,"recursive":true,"zzz":1}`, says: `"zzz"`},
		{name: "wrong case key", tool: "noop", args: `{"PATH":"/x","limit":200,"recursive":true}`, says: `"path"`},
		{name: "malformed JSON", tool: "noop", args: `{"path":"/x",`, says: "ends before"},
		{name: "unknown tool", tool: "nosuch", args: harness.Args, says: "not a registered tool"},
		{name: "failing tool", tool: "fail", args: harness.Args, says: "it failed"},
		{name: "panicking tool", tool: "boom", args: harness.Args, says: "The program is at fault"},
		{name: "key twice in two cases", tool: "noop", args: `{"path":"/safe","PATH":"/etc/shadow","limit":200,"recursive":true}`, says: "PATH"},
		{name: "key twice", tool: "noop", args: `{"path":"/safe","path":"/etc/shadow","limit":200,"recursive":true}`, says: "twice"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			call := pegCall(pegPool(t, pegboard.SessionConfig{}, pegStandard()...))
			runs := harness.Runs()
			_, err := call(t.Context(), tt.tool, []byte(tt.args))
			var told *harness.ToolError
			require.ErrorAs(t, err, &told)
			require.Contains(t, told.Text, tt.says)
			require.Equal(t, runs, harness.Runs(), "the tool ran")
		})
	}
}

// TestPegboardOrder lets the last calls end first.
func TestPegboardOrder(t *testing.T) {
	run := pegOrder(t, []time.Duration{20 * time.Millisecond, 10 * time.Millisecond, 0})
	got, err := run(context.Background())
	require.NoError(t, err)
	require.Equal(t, []string{"0", "1", "2"}, got)
}

// TestPegboardBatch runs the batches of the benchmarks, each a turn of its own: the loop
// breaker would ask about the third of equal messages.
func TestPegboardBatch(t *testing.T) {
	for _, limit := range []int{10, 128} {
		var g harness.Gauge
		run := pegBatch(limit)(t, 128, &g)
		for range 4 {
			require.NoError(t, run(t.Context()))
		}
		require.Equal(t, int64(4*128), g.Total())
		require.LessOrEqual(t, g.Max(), int64(limit))
	}
}
