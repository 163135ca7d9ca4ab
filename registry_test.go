package pegboard_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
)

func TestAddIsAllOrNothing(t *testing.T) {
	t.Parallel()
	broken := errors.New("the schema is broken")
	tests := []struct {
		name string
		bad  pegboard.Tool
		is   error
		says []string
	}{
		{name: "a taken name", bad: inert("Read"), is: pegboard.ErrDuplicate, says: []string{"Read"}},
		{name: "a name that is an alias", bad: inert("View"), is: pegboard.ErrDuplicate, says: []string{`"View"`, "Read"}},
		{name: "an alias that is a name", bad: inert("Cat", "Read"), is: pegboard.ErrDuplicate, says: []string{"Cat", `"Read"`}},
		{name: "an alias that is an alias", bad: inert("Cat", "View"), is: pegboard.ErrDuplicate, says: []string{"Cat", `"View"`, "Read"}},
		{name: "an alias that is a name of the same batch", bad: inert("Cat", "Good"), is: pegboard.ErrDuplicate, says: []string{"Cat", `"Good"`}},
		{name: "an alias that is an alias of the same batch", bad: inert("Cat", "Fine"), is: pegboard.ErrDuplicate, says: []string{"Cat", `"Fine"`, "Good"}},
		{name: "an alias that is its own name", bad: inert("Cat", "Cat"), is: pegboard.ErrDuplicate, says: []string{"Cat"}},
		{name: "the twin of a name by letter case", bad: inert("READ"), is: pegboard.ErrDuplicate, says: []string{`"READ"`, "letter case", `"Read"`}},
		{name: "the twin of an alias by letter case", bad: inert("view"), is: pegboard.ErrDuplicate, says: []string{`"view"`, "letter case", `"View"`}},
		{name: "a name that stands for all tools in a rule", bad: inert("*"), says: []string{"Info.Name", "no rule could name"}},
		{name: "a name with a star", bad: inert("get_*"), says: []string{"Info.Name", "no rule could name"}},
		{name: "a name that is a rule with a pattern", bad: inert("Read(x)"), says: []string{"Info.Name", "no rule could name"}},
		{name: "an alias that is a rule with a pattern", bad: inert("Cat", "Read(x)"), says: []string{"Cat", "no rule could name"}},
		{name: "a name with a parenthesis", bad: inert("Cat("), says: []string{"Info.Name", "no rule could name"}},
		{name: "a name that begins with a blank", bad: inert(" lead"), says: []string{"Info.Name", "no rule could name"}},
		{name: "nil", says: []string{"nil"}},
		{name: "a wrapper around nothing", bad: posing{nil, func() pegboard.Info { return pegboard.Info{Name: "Cat"} }}, says: []string{"Cat", "Build"}},
		{name: "facts that panic", bad: posing{inert("Cat"), func() pegboard.Info { panic("oh") }}, says: []string{"Info", "panic"}},
		{name: "an empty name", bad: called(""), says: []string{"Info.Name", "empty"}},
		{name: "a control character", bad: called("a\x1b[2Jb"), says: []string{"Info.Name", "control"}},
		{name: "unusable", bad: pegboard.InvalidTool("Cat", broken), is: broken},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			reg := registryOf(t, inert("Read", "View"))
			err := reg.Add(inert("Good", "Fine"), tc.bad)
			require.Error(t, err)
			if tc.is != nil {
				require.ErrorIs(t, err, tc.is)
			}
			for _, text := range tc.says {
				require.ErrorContains(t, err, text)
			}
			require.Equal(t, []string{"Read"}, names(reg.AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})))
			require.NoError(t, reg.Add(inert("Good", "Fine")), "what was refused leaves no name taken")
		})
	}
}

func TestAnyNameOfARuleRegisters(t *testing.T) {
	t.Parallel()
	list := []string{
		"a b", "a.b/c:d", "mcp__", "mcp__a__b", "Ärger", "日本語", "🔧",
		strings.Repeat("n", 1000),
	}
	reg := registryOf(t, inerts(list...)...)
	pool := reg.AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
	slices.Sort(list)
	require.Equal(t, list, names(pool))
	for _, name := range list {
		tool, ok := pool.Lookup(name)
		require.True(t, ok, name)
		require.Equal(t, name, tool.Info().Name)
	}
}

// TestRegistryIsConcurrent is for the race detector. What a pool holds must be
// whole: a source's tools all, or none of them.
func TestRegistryIsConcurrent(t *testing.T) {
	t.Parallel()
	const rounds = 50
	var reg pegboard.Registry
	s := session(t, pegboard.SessionConfig{})
	var all sync.WaitGroup
	for worker := range 3 {
		all.Go(func() {
			for i := range rounds {
				name := fmt.Sprintf("T%d_%d", worker, i)
				if err := reg.Add(inert(name), inert(name+"_twin")); err != nil {
					t.Error(err)
				}
			}
		})
		all.Go(func() {
			source := fmt.Sprintf("s%d", worker)
			for range rounds {
				if _, err := reg.Attach(source, inert("a"), inert("b"), pegboard.InvalidTool("c", errors.New("broken"))); err != nil {
					t.Error(err)
				}
				reg.Detach(source)
			}
		})
		all.Go(func() {
			for range rounds {
				pool := reg.AssemblePool(s, pegboard.PoolConfig{})
				count := 0
				for tool := range pool.All() {
					name := tool.Info().Name
					count++
					other := strings.TrimSuffix(name, "_twin")
					if other == name && !tool.Info().Origin.External() {
						other = name + "_twin"
					}
					if _, ok := pool.Lookup(other); !ok {
						t.Errorf("%s without %s", name, other)
					}
				}
				if count%2 != 0 || count != pool.Len() {
					t.Errorf("%d tools of %d", count, pool.Len())
				}
			}
		})
	}
	all.Wait()
	require.Equal(t, 3*2*rounds, reg.AssemblePool(s, pegboard.PoolConfig{}).Len())
}

func TestAttachReportsWhatChanged(t *testing.T) {
	t.Parallel()
	broken := errors.New("the schema is broken")
	wider, err := pegboard.BuildRaw([]byte(`{"type":"object","properties":{"q":{"type":"string"}}}`),
		pegboard.Definition[json.RawMessage, *pegboard.Result]{
			Info: pegboard.Info{Name: "b"}, Description: "Does nothing, as b.",
			Call: func(ctx, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) { return nil, nil },
		})
	require.NoError(t, err)
	steps := []struct {
		name        string
		tools       []pegboard.Tool
		detach      bool // before
		want        pegboard.AttachReport
		quarantined []string
		left        []string
	}{
		{name: "first", tools: inerts("b", "a"), want: pegboard.AttachReport{Added: []string{"mcp__s__a", "mcp__s__b"}}, left: []string{"mcp__s__a", "mcp__s__b"}},
		{name: "the same", tools: inerts("a", "b"), left: []string{"mcp__s__a", "mcp__s__b"}},
		{name: "another description", tools: []pegboard.Tool{inert("a"), described("b", "New.")}, want: pegboard.AttachReport{Changed: []string{"mcp__s__b"}}, left: []string{"mcp__s__a", "mcp__s__b"}},
		{name: "another schema", tools: []pegboard.Tool{inert("a"), wider}, want: pegboard.AttachReport{Changed: []string{"mcp__s__b"}}, left: []string{"mcp__s__a", "mcp__s__b"}},
		{name: "all at once", tools: inerts("d", "c", "b"), want: pegboard.AttachReport{
			Added: []string{"mcp__s__c", "mcp__s__d"}, Removed: []string{"mcp__s__a"}, Changed: []string{"mcp__s__b"},
		}, left: []string{"mcp__s__b", "mcp__s__c", "mcp__s__d"}},
		{name: "one goes bad", tools: []pegboard.Tool{inert("b"), pegboard.InvalidTool("c", broken), inert("d")}, want: pegboard.AttachReport{
			Removed: []string{"mcp__s__c"},
		}, quarantined: []string{"c"}, left: []string{"mcp__s__b", "mcp__s__d"}},
		{name: "after Detach", detach: true, tools: inerts("b"), want: pegboard.AttachReport{Added: []string{"mcp__s__b"}}, left: []string{"mcp__s__b"}},
		{name: "nothing", want: pegboard.AttachReport{Removed: []string{"mcp__s__b"}}, left: []string{}},
	}
	var reg pegboard.Registry
	attach(t, &reg, "other", "a") // is never mentioned
	s := session(t, pegboard.SessionConfig{})
	for _, step := range steps { // one after the other: each starts from the last
		if step.detach {
			reg.Detach("s")
			require.Equal(t, []string{"mcp__other__a"}, names(reg.AssemblePool(s, pegboard.PoolConfig{})))
		}
		got, err := offer(&reg, "s", step.tools...)
		require.NoError(t, err, step.name)
		require.ElementsMatch(t, step.quarantined, slices.Collect(maps.Keys(got.Quarantined)), step.name)
		got.Quarantined = nil
		require.Equal(t, step.want, got, step.name)
		require.Equal(t, append([]string{"mcp__other__a"}, step.left...), names(reg.AssemblePool(s, pegboard.PoolConfig{})), step.name)
	}
}

// TestAttachRefusesASecondSource: it would have the approvals of the first.
func TestAttachRefusesASecondSource(t *testing.T) {
	t.Parallel()
	var reg pegboard.Registry
	_, err := reg.Replace("s", inert("a"))
	require.ErrorIs(t, err, pegboard.ErrNotAttached)
	attach(t, &reg, "s", "a")
	_, err = reg.Attach("s", inert("b"))
	require.ErrorIs(t, err, pegboard.ErrDuplicate)
	require.Equal(t, []string{"mcp__s__a"}, names(reg.AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})))
	reg.Detach("s")
	_, err = reg.Attach("s", inert("b"))
	require.NoError(t, err)
}

// TestAttachReportsSourcesThatCouldBeConfused: whoever writes rules should know.
func TestAttachReportsSourcesThatCouldBeConfused(t *testing.T) {
	t.Parallel()
	var reg pegboard.Registry
	for _, step := range []struct {
		source string
		want   []string
	}{
		{"git", nil}, {"github", nil}, {"git__hub", []string{"git"}}, {"git.hub", nil}, {"git_hub", []string{"git.hub"}}, {"git__hub__x", []string{"git", "git__hub"}},
	} {
		require.Equal(t, step.want, attach(t, &reg, step.source, "a").SourceConflicts, step.source)
	}
	require.Equal(t, []string{"git__hub", "git__hub__x"}, attach(t, &reg, "git", "b").SourceConflicts)
}

// TestTheOlderSourceStaysOlder: a source that comes back has its approvals, whoever came
// in between.
func TestTheOlderSourceStaysOlder(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, "", policy.RuleSet{Allow: []string{"mcp__git__hub"}})})
	var reg pegboard.Registry
	allowed := func(name string) bool {
		return reg.AssemblePool(s, pegboard.PoolConfig{}).Decide(t.Context(), call("1", name, `{}`)).Behavior == policy.Allow
	}
	attach(t, &reg, "git", "hub")
	attach(t, &reg, "git__hub", "wipe")
	reg.Detach("git")
	for i := range 1100 { // so many that ages are forgotten
		attach(t, &reg, fmt.Sprint("x", i), "a")
		reg.Detach(fmt.Sprint("x", i))
		if i == 10 {
			attach(t, &reg, "git", "hub")
		}
	}
	require.True(t, allowed("mcp__git__hub"))
	require.False(t, allowed("mcp__git__hub__wipe"))
}

func TestAttachRefusesASourceWithoutAName(t *testing.T) {
	t.Parallel()
	for _, source := range []string{"", "a\x00b", "a\nb", "\xff"} {
		var reg pegboard.Registry
		_, err := reg.Attach(source, inert("a"))
		require.ErrorContains(t, err, "source", "%q", source)
		require.Zero(t, reg.AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{}).Len(), "%q", source)
	}
}

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
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, "", policy.RuleSet{Deny: []string{"mcp__d_nied", "Glob"}})})
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
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, "", policy.RuleSet{Allow: []string{"mcp__my_server__wipe"}})})
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
