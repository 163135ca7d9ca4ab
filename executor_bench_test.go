package pegboard_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

type list struct {
	Path      string `json:"path"`
	Limit     int    `json:"limit"`
	Recursive bool   `json:"recursive"`
}

const listInput = `{"path":"/var/log/syslog","limit":200,"recursive":true}`

// BenchmarkRun measures one call from bytes to outcome: strictly decoded, checked
// against its schema, permission decided, a pre and a post hook run. Its floor is
// what decoding twice costs with nothing else.
func BenchmarkRun(b *testing.B) {
	tool := pegboard.Build(pegboard.Definition[list, string]{
		Info: pegboard.Info{Name: "List"}, Description: "For a test.", Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
		Call: func(ctx, list, *pegboard.Call) (string, error) { return "ok", nil },
	})
	var reg pegboard.Registry
	require.NoError(b, reg.Add(tool))
	s := session(b, pegboard.SessionConfig{Hooks: pegboard.Hooks{
		Pre:  func(ctx, *pegboard.HookCall) (pegboard.Decision, error) { return pegboard.Decision{}, nil },
		Post: func(ctx, *pegboard.HookCall) error { return nil },
	}})
	pool := reg.AssemblePool(s, pegboard.PoolConfig{})
	c := call("1", "List", listInput)

	b.Run("call", func(b *testing.B) {
		var ex pegboard.Executor
		b.ReportAllocs()
		for b.Loop() {
			if out := ex.Run(b.Context(), pool, c); out[0].Err != nil {
				b.Fatal(out[0].Err)
			}
		}
	})
	b.Run("floor", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var v any
			var in list
			if json.Unmarshal(c.Input, &v) != nil || json.Unmarshal(c.Input, &in) != nil {
				b.Fatal("cannot be decoded")
			}
		}
	})
}
