package pegboard_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// BenchmarkAssemblePool measures the assembly that a host does at the start of each
// turn.
func BenchmarkAssemblePool(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("builtin=%d", n), func(b *testing.B) {
			reg := registryOf(b, numbered(n)...)
			s := session(b, pegboard.SessionConfig{})
			b.ReportAllocs()
			for b.Loop() {
				if reg.AssemblePool(s, pegboard.PoolConfig{}).Len() != n {
					b.Fatal("tools are missing")
				}
			}
		})
	}
	b.Run("builtin=50/external=1000/rules=100", func(b *testing.B) {
		reg := registryOf(b, numbered(50)...)
		for i := range 10 {
			_, err := reg.Attach(fmt.Sprintf("server%d", i), numbered(100)...)
			require.NoError(b, err)
		}
		var set pegboard.RuleSet
		for i := range 50 {
			set.Deny = append(set.Deny, fmt.Sprintf("Gone%d", i))
			set.Allow = append(set.Allow, fmt.Sprintf("Tool%04d", i))
		}
		s := session(b, pegboard.SessionConfig{Permissions: rules(b, "", set)})
		b.ReportAllocs()
		for b.Loop() {
			if reg.AssemblePool(s, pegboard.PoolConfig{}).Len() != 1050 {
				b.Fatal("tools are missing")
			}
		}
	})
}

// BenchmarkLookup measures a lookup in a pool of 1,000 tools. Its floor is what a
// plain map of them costs.
func BenchmarkLookup(b *testing.B) {
	tools := numbered(1000)
	pool := registryOf(b, tools...).AssemblePool(session(b, pegboard.SessionConfig{}), pegboard.PoolConfig{})
	plain := map[string]pegboard.Tool{}
	for _, tool := range tools {
		plain[tool.Info().Name] = tool
	}
	lookups := []struct {
		name string
		find func(string) (pegboard.Tool, bool)
		ask  string
		want bool
	}{
		{name: "name", find: pool.Lookup, ask: "Tool0500", want: true},
		{name: "alias", find: pool.Lookup, ask: "old0500", want: true},
		{name: "missing", find: pool.Lookup, ask: "Tool1000"},
		{name: "map", find: func(name string) (pegboard.Tool, bool) { t, ok := plain[name]; return t, ok }, ask: "Tool0500", want: true},
	}
	for _, l := range lookups {
		b.Run(l.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := l.find(l.ask); ok != l.want {
					b.Fatal(l.ask)
				}
			}
		})
	}
}
