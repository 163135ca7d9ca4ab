package pegboard_test

import (
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// TestRegistrationOrderNeverMatters adds and attaches the same tools in random
// order and in random batches.
func TestRegistrationOrderNeverMatters(t *testing.T) {
	t.Parallel()
	builtins := []string{"Read", "Write", "Zed", "Bash", "mcp__b__y", "a b", "Agent", "Glob"}
	sources := map[string][]string{
		"b":      {"y", "x"},                            // y is the name of a built-in tool
		"s.1":    {"t", "t.u", "only"},                  // folds to the next
		"s_1":    {"t", "t_u"},                          //
		"s:1":    {"t"},                                 // and this one too
		"a":      {"b__c"},                              // mcp__a__b__c
		"a__b":   {"c", strings.Repeat("long_name", 9)}, // again
		"dénied": {"x"},
	}
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, "", pegboard.RuleSet{Deny: []string{"mcp__d_nied", "Glob"}})})
	var want *pegboard.Pool
	for seed := range effort.Of(t, uint64(30)) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		var reg pegboard.Registry
		shuffled := slices.Clone(builtins)
		rnd.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		order := slices.Sorted(maps.Keys(sources))
		rnd.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for len(shuffled)+len(order) > 0 {
			if n := 1 + rnd.IntN(3); n <= len(shuffled) {
				require.NoError(t, reg.Add(inerts(shuffled[:n]...)...))
				shuffled = shuffled[n:]
			} else if len(order) > 0 {
				tools := slices.Clone(sources[order[0]])
				rnd.Shuffle(len(tools), func(i, j int) { tools[i], tools[j] = tools[j], tools[i] })
				attach(t, &reg, order[0], tools...)
				order = order[1:]
			}
		}
		got := reg.AssemblePool(s, pegboard.PoolConfig{})
		if want == nil {
			want = got
		}
		require.Equal(t, names(want), names(got))
		require.Equal(t, want.Excluded(), got.Excluded())
		for _, part := range []pegboard.Partition{pegboard.Builtin, pegboard.External} {
			require.Equal(t, want.Fingerprint(part), got.Fingerprint(part))
		}
	}
	require.Len(t, want.Excluded(), 7)
}

// TestHistoryNeverMatters changes a registry at random, with names that meet, and
// compares it after each step with one that was given the outcome at once.
func TestHistoryNeverMatters(t *testing.T) {
	t.Parallel()
	sources := []string{"a", "a_", "a__b", "a.b", "a_b", "b", "A", "z"}
	tools := []string{"t", "t.u", "t_u", "b__t", "_t", "Z", strings.Repeat("long_name", 9)}
	s := denying(t, "mcp__b", "mcp__a__t", "mcp__a_b__Z", "mcp__nobody", "Read(x)")
	builtins := inerts("Read", "mcp__a__Z", "mcp__z__t_u")
	for seed := range effort.Of(t, uint64(20)) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		reg, left := registryOf(t, builtins...), map[string][]pegboard.Tool{}
		for range 30 {
			name := sources[rnd.IntN(len(sources))]
			delete(left, name)
			if rnd.IntN(3) == 0 {
				reg.Detach(name)
			} else {
				left[name] = []pegboard.Tool{pegboard.InvalidTool("t|u", nil)}
				for _, i := range rnd.Perm(len(tools))[:rnd.IntN(len(tools))] {
					left[name] = append(left[name], inert(tools[i]))
				}
				_, err := offer(reg, name, left[name]...)
				require.NoError(t, err)
			}
			fresh := registryOf(t, builtins...)
			for name, list := range left {
				_, err := fresh.Attach(name, list...)
				require.NoError(t, err)
			}
			got, want := reg.AssemblePool(s, pegboard.PoolConfig{}), fresh.AssemblePool(s, pegboard.PoolConfig{})
			require.Equal(t, origins(want.All()), origins(got.All()))
			require.Equal(t, origins(want.Unfiltered()), origins(got.Unfiltered()))
			require.Equal(t, want.Excluded(), got.Excluded())
			require.Equal(t, want.Fingerprint(pegboard.External), got.Fingerprint(pegboard.External))
			require.True(t, slices.IsSorted(declared(got, pegboard.External)))
		}
	}
}

// origins lists the names and the origins of tools.
func origins(tools iter.Seq[pegboard.Tool]) (list []string) {
	for tool := range tools {
		list = append(list, fmt.Sprintf("%s %q", tool.Info().Name, tool.Info().Origin))
	}
	return list
}

// TestANameIsContestedWhileBothSourcesAre: a rule applies to a tool again when the other
// source that it could mean is detached. A pool keeps the answer of the moment it was
// assembled.
func TestANameIsContestedWhileBothSourcesAre(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, "", pegboard.RuleSet{Allow: []string{"mcp__my_server__wipe"}})})
	var reg pegboard.Registry
	allowed := func(pool *pegboard.Pool) bool {
		ex := executor(pegboard.Executor{})
		return ex.Run(t.Context(), pool, call("1", "mcp__my_server__wipe", ``))[0].Err == nil
	}
	attach(t, &reg, "my.server", "wipe")
	early := reg.AssemblePool(s, pegboard.PoolConfig{})
	attach(t, &reg, "my_server", "read")
	both := reg.AssemblePool(s, pegboard.PoolConfig{})
	attach(t, &reg, "my_server", "write")
	require.False(t, allowed(reg.AssemblePool(s, pegboard.PoolConfig{})))
	reg.Detach("my_server")
	require.True(t, allowed(reg.AssemblePool(s, pegboard.PoolConfig{})))
	require.True(t, allowed(early))
	require.False(t, allowed(both))
	require.False(t, allowed(both.Restrict(pegboard.Restriction{})))
}

// TestWithdrawnNamesAreForgottenInTheEnd: so many of them are not kept for ever.
func TestWithdrawnNamesAreForgottenInTheEnd(t *testing.T) {
	t.Parallel()
	var reg pegboard.Registry
	says := func() string {
		return reg.AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{}).Explain("mcp__s__a")
	}
	attach(t, &reg, "s", "a", "b")
	attach(t, &reg, "s", "b")
	attach(t, &reg, "s", "b")
	require.Contains(t, says(), "no longer there")
	_, err := reg.Attach("many", numbered(1000)...)
	require.NoError(t, err)
	reg.Detach("many")
	require.Contains(t, says(), "no longer there")
	attach(t, &reg, "s", "b")
	require.Contains(t, says(), "not a registered tool")
}
