package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/bench/harness"
	"github.com/seed49eaa51d/pegboard/policy"
)

// BenchmarkPool measures the work of a host before a turn, and for each name that
// the model writes. No peer has a case.
func BenchmarkPool(b *testing.B) {
	b.Run("Assemble1050/pegboard-cold", benchAssembleCold)
	b.Run("Assemble1050/pegboard-changed", benchAssembleChanged)
	b.Run("Assemble1050/pegboard-unchanged", benchAssembleUnchanged)
	b.Run("Attach20/pegboard", benchAttach)
	benchLookups(b)
}

// fleet holds the tools and rules of an agent with many servers: 50 built-in tools
// and 50 servers of 20 tools each.
type fleet struct {
	builtins []pegboard.Tool
	servers  [][]pegboard.Tool
	rules    policy.Permissions
}

func newFleet(tb testing.TB) fleet {
	f := fleet{builtins: numbered("Tool", 50, "as built"), rules: hundredRules(tb)}
	for range 50 {
		f.servers = append(f.servers, numbered("tool", 20, "as attached first"))
	}
	return f
}

// hundredRules are rules of all kinds, none of which takes away a tool.
func hundredRules(tb testing.TB) policy.Permissions {
	var set policy.RuleSet
	for i := range 20 {
		set.Deny = append(set.Deny, fmt.Sprintf("Gone%02d", i), fmt.Sprintf("mcp__gone%02d__*", i))
		set.Ask = append(set.Ask, fmt.Sprintf("Bash(deploy %d)", i))
		set.Allow = append(set.Allow, fmt.Sprintf("Tool%04d", i), fmt.Sprintf("mcp__server%02d__*", i))
	}
	p, err := policy.New(policy.ModeDefault, set)
	require.NoError(tb, err)
	require.Len(tb, p.Rules(), 100)
	return p
}

func numbered(name string, n int, text string) []pegboard.Tool {
	tools := make([]pegboard.Tool, n)
	for i := range tools {
		tools[i] = pegboard.Build(pegboard.Definition[harness.Input, string]{
			Info:        pegboard.Info{Name: fmt.Sprintf("%s%04d", name, i), Aliases: []string{fmt.Sprintf("%sOld%04d", name, i)}},
			Description: text,
			Inspect:     func(harness.Input, *pegboard.Call) pegboard.Traits { return harmless }, // the path is no file
			Call:        func(context.Context, harness.Input, *pegboard.Call) (string, error) { return "ok", nil },
		})
	}
	return tools
}

// start registers the fleet with a registry and a session that know nothing yet.
func (f fleet) start(tb testing.TB) (*pegboard.Registry, *pegboard.Session) {
	reg := &pegboard.Registry{}
	require.NoError(tb, reg.Add(f.builtins...))
	for i, tools := range f.servers {
		attach(tb, reg, i, tools)
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: f.rules})
	require.NoError(tb, err)
	return reg, s
}

// alternate returns what gives a server's next list: each time the other of two.
func (f fleet) alternate(server int) func() []pegboard.Tool {
	now, next := f.servers[server], numbered("tool", 20, "as attached next")
	return func() []pegboard.Tool {
		now, next = next, now
		return now
	}
}

func attach(tb testing.TB, reg *pegboard.Registry, server int, tools []pegboard.Tool) {
	name := fmt.Sprintf("server%02d", server)
	report, err := reg.Replace(name, tools...)
	if errors.Is(err, pegboard.ErrNotAttached) {
		report, err = reg.Attach(name, tools...)
	}
	if err != nil || len(report.Quarantined) > 0 {
		tb.Fatal(err, report.Quarantined)
	}
}

func assemble(tb testing.TB, reg *pegboard.Registry, s *pegboard.Session) *pegboard.Pool {
	p := reg.AssemblePool(s, pegboard.PoolConfig{})
	if p.Len() != 1050 {
		tb.Fatalf("the pool has %d tools, want 1050", p.Len())
	}
	return p
}

// TestFleet makes sure that the benchmarks assemble the pools that they describe.
func TestFleet(t *testing.T) {
	f := newFleet(t)
	reg, s := f.start(t)
	next := f.alternate(25)
	first := assemble(t, reg, s)
	attach(t, reg, 25, next())
	second := assemble(t, reg, s)
	attach(t, reg, 25, next())
	third := assemble(t, reg, s)

	require.Empty(t, first.Excluded())
	require.NotEqual(t, first.Fingerprint(pegboard.External), second.Fingerprint(pegboard.External))
	require.Equal(t, first.Fingerprint(pegboard.External), third.Fingerprint(pegboard.External))
	require.Equal(t, first.Fingerprint(pegboard.Builtin), second.Fingerprint(pegboard.Builtin))
}

// benchAssembleCold is the first turn: nothing was assembled before.
func benchAssembleCold(b *testing.B) {
	f := newFleet(b)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		reg, s := f.start(b)
		b.StartTimer()
		assemble(b, reg, s)
	}
}

// benchAssembleChanged is a turn before which one server sent another list of its
// 20 tools, of the same names. The list's Attach is part of it: to stop the clock
// for it would leave out most of the garbage collection.
func benchAssembleChanged(b *testing.B) {
	f := newFleet(b)
	reg, s := f.start(b)
	next := f.alternate(25)
	assemble(b, reg, s)
	b.ReportAllocs()
	for b.Loop() {
		attach(b, reg, 25, next())
		assemble(b, reg, s)
	}
}

// benchAssembleUnchanged is any other turn.
func benchAssembleUnchanged(b *testing.B) {
	reg, s := newFleet(b).start(b)
	b.ReportAllocs()
	for b.Loop() {
		assemble(b, reg, s)
	}
}

// benchAttach is the arrival of another list of a server.
func benchAttach(b *testing.B) {
	f := newFleet(b)
	reg, _ := f.start(b)
	next := f.alternate(25)
	b.ReportAllocs()
	for b.Loop() {
		attach(b, reg, 25, next())
	}
}

// benchLookups looks up 1,000 tools by name and by alias, in no order. The floor
// is a map that knows both.
func benchLookups(b *testing.B) {
	tools := numbered("Tool", 1000, description)
	pool := pegPool(b, pegboard.SessionConfig{}, tools...)
	plain := map[string]pegboard.Tool{}
	names, aliases := make([]string, len(tools)), make([]string, len(tools))
	for i, at := range rand.New(rand.NewPCG(1, 1)).Perm(len(tools)) {
		info := tools[at].Info()
		names[i], aliases[i] = info.Name, info.Aliases[0]
		plain[names[i]], plain[aliases[i]] = tools[at], tools[at]
	}
	inMap := func(name string) (pegboard.Tool, bool) { t, ok := plain[name]; return t, ok }
	benchLookup(b, "floor-map", inMap, names)
	benchLookup(b, "pegboard-name", pool.Lookup, names)
	benchLookup(b, "pegboard-alias", pool.Lookup, aliases)
}

func benchLookup(b *testing.B, name string, find func(string) (pegboard.Tool, bool), asked []string) {
	b.Run("Lookup1000/"+name, func(b *testing.B) {
		i := 0
		b.ReportAllocs()
		for b.Loop() {
			if _, ok := find(asked[i]); !ok {
				b.Fatal(asked[i])
			}
			if i++; i == len(asked) {
				i = 0
			}
		}
	})
}
