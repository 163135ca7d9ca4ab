package pegboard_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// told returns a tool that the model is told something of, with one property.
func told(info pegboard.Info, description string) pegboard.Tool {
	type in struct {
		City string `json:"city"`
	}
	return pegboard.Build(pegboard.Definition[in, string]{
		Info: info, Description: description, Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
		Call: func(_ ctx, in in, _ *pegboard.Call) (string, error) { return info.Name + " of " + in.City, nil },
	})
}

func finder() pegboard.Tool { return pegboard.ToolSearch(pegboard.SearchOptions{}) }

func TestWhatWaits(t *testing.T) {
	t.Parallel()
	const long = 50_000 // bytes of the description of the long tools, 12,500 tokens each
	tests := []struct {
		name     string
		mode     pegboard.Mode
		noFinder bool
		long     bool // the external tool's description, and WebFetch's
		pool     pegboard.PoolConfig
		want     []string
	}{
		{name: "external tools and those of the table", want: []string{"Late", "Sleep", "WebFetch", "mcp__srv__list"}},
		{name: "nobody could find them", noFinder: true},
		{name: "the provider finds them", noFinder: true, pool: pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}}, want: []string{"Late", "Sleep", "WebFetch", "mcp__srv__list"}},
		{name: "off", pool: pegboard.PoolConfig{Deferral: pegboard.Deferral{Mode: pegboard.DeferOff}}},
		{name: "a table of the host's", pool: pegboard.PoolConfig{Deferral: pegboard.Deferral{BuiltinTools: []string{"Read"}}}, want: []string{"Late", "Read", "mcp__srv__list"}},
		{name: "an empty table", pool: pegboard.PoolConfig{Deferral: pegboard.Deferral{BuiltinTools: []string{}}}, want: []string{"Late", "mcp__srv__list"}},
		{name: "what must be shown now", pool: pegboard.PoolConfig{Deferral: pegboard.Deferral{AlwaysLoad: []string{"Sleep", "mcp__srv__*"}}}, want: []string{"Late", "WebFetch"}},
		{name: "little", pool: pegboard.PoolConfig{Deferral: pegboard.Deferral{Mode: pegboard.DeferAuto}}},
		{name: "much", long: true, pool: pegboard.PoolConfig{Deferral: pegboard.Deferral{Mode: pegboard.DeferAuto}}, want: []string{"mcp__srv__list"}},
		{
			name: "much that is built in", long: true, pool: pegboard.PoolConfig{Deferral: pegboard.Deferral{Mode: pegboard.DeferAuto, ContextWindow: 100_000}},
			want: []string{"Late", "Sleep", "WebFetch", "mcp__srv__list"},
		},
		{name: "much of a larger window", long: true, pool: pegboard.PoolConfig{Deferral: pegboard.Deferral{Mode: pegboard.DeferAuto, ContextWindow: 1_000_000}}},
		{name: "much of a larger share", long: true, pool: pegboard.PoolConfig{Deferral: pegboard.Deferral{Mode: pegboard.DeferAuto, MaxShare: 0.2}}},
		{
			name: "as the host counts", pool: pegboard.PoolConfig{Deferral: pegboard.Deferral{Mode: pegboard.DeferAuto, Tokens: func(pegboard.Declaration) int { return 6_000 }}},
			want: []string{"mcp__srv__list"},
		},
		{name: "the tool that finds them is restricted", pool: pegboard.PoolConfig{Restrictions: []pegboard.Restriction{{Without: []string{"ToolSearch"}}}}},
		{name: "the way out of plan mode", mode: pegboard.ModePlan, want: []string{"Late", "Sleep", "WebFetch", "mcp__srv__list"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := "Does it."
			if tt.long {
				text = strings.Repeat("x", long)
			}
			reg := registryOf(t, told(pegboard.Info{Name: "Read"}, "Reads."), told(pegboard.Info{Name: "WebFetch"}, text), told(pegboard.Info{Name: "Sleep"}, "Waits."),
				told(pegboard.Info{Name: "SendMessage", Loading: pegboard.LoadOnSearch}, "Sends."), told(pegboard.Info{Name: "WebSearch", Loading: pegboard.LoadAlways}, "Searches."),
				told(pegboard.Info{Name: "Late", Loading: pegboard.LoadOnSearch}, "Late."))
			if tt.mode == pegboard.ModePlan {
				require.NoError(t, reg.Add(told(pegboard.Info{Name: "ExitPlanMode"}, "Leaves.")))
			}
			if !tt.noFinder {
				require.NoError(t, reg.Add(finder()))
			}
			_, err := reg.Attach("srv", told(pegboard.Info{Name: "list"}, text), told(pegboard.Info{Name: "always", Loading: pegboard.LoadAlways}, "Is there."))
			require.NoError(t, err)
			p := reg.AssemblePool(session(t, pegboard.SessionConfig{Permissions: rules(t, tt.mode, pegboard.RuleSet{})}), tt.pool)
			require.Equal(t, tt.want, p.Deferred())
			var deferred []string
			for _, part := range []pegboard.Partition{pegboard.Builtin, pegboard.External} {
				for d := range p.Declarations(part) {
					if d.Deferred {
						deferred = append(deferred, d.Name)
					}
				}
			}
			require.Equal(t, tt.want, deferred)
		})
	}
}

// TestInvariant7WaitingOfBuiltins attaches and detaches at random: what the built-in
// tools declare stays the same, in every mode.
func TestInvariant7WaitingOfBuiltins(t *testing.T) {
	t.Parallel()
	for _, mode := range []pegboard.DeferMode{pegboard.DeferOn, pegboard.DeferAuto, pegboard.DeferOff} {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(7, uint64(mode)))
			reg := registryOf(t, finder(), told(pegboard.Info{Name: "WebFetch"}, strings.Repeat("x", 9_000)), told(pegboard.Info{Name: "Read"}, "Reads."))
			s := session(t, pegboard.SessionConfig{})
			policy := pegboard.Deferral{Mode: mode, ContextWindow: 20_000}
			want := reg.AssemblePool(s, pegboard.PoolConfig{Deferral: policy}).Fingerprint(pegboard.Builtin)
			for range 50 {
				source := fmt.Sprint("srv", random.IntN(4))
				if random.IntN(3) == 0 {
					reg.Detach(source)
				} else {
					_, err := reg.Attach(source, told(pegboard.Info{Name: "list"}, strings.Repeat("x", random.IntN(20_000))))
					require.NoError(t, err)
				}
				require.Equal(t, want, reg.AssemblePool(s, pegboard.PoolConfig{Deferral: policy}).Fingerprint(pegboard.Builtin))
			}
		})
	}
}

// TestCallsOfToolsThatWait are answered by the tool if the input fits.
func TestCallsOfToolsThatWait(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, finder(), told(pegboard.Info{Name: "Weather", Aliases: []string{"Rain"}, Loading: pegboard.LoadOnSearch}, "Tells the weather."))
	s := session(t, pegboard.SessionConfig{})

	wrong := run(t, reg, s, call("1", "Weather", `{"town":"Rome"}`))
	require.ErrorIs(t, wrong.Err, pegboard.ErrInvalidInput)
	for _, want := range []string{`"town"`, "You have not seen its definition", `ToolSearch with {"query": "select:Weather"}`, `"city": string, required`} {
		require.Contains(t, wrong.Result.Text(), want)
	}
	require.Equal(t, []string{"Weather"}, s.Loaded(), "the next request may hold it")
	wrong = run(t, reg, s, call("1b", "Weather", `{"town":"Rome"}`))
	require.Contains(t, wrong.Result.Text(), "You have not seen its definition", "though it was called")

	right := run(t, reg, s, call("2", "Rain", `{"city":"Rome"}`))
	require.NoError(t, right.Err)
	require.Equal(t, "Weather of Rome", right.Result.Text())
	require.Equal(t, []string{"Weather"}, s.Loaded())

	again := run(t, reg, s, call("3", "Weather", `{}`))
	require.NotContains(t, again.Result.Text(), "You have not seen", "it was loaded meanwhile")
	require.Contains(t, again.Result.Text(), "Correct the input")
	require.Contains(t, again.Result.Text(), `"city": string, required`)
}

func TestHostedSearchIsNotNamed(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, told(pegboard.Info{Name: "Weather", Loading: pegboard.LoadOnSearch}, "Tells the weather."))
	p := reg.AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}})
	ex := executor(pegboard.Executor{})
	out := ex.Run(t.Context(), p, call("1", "Weather", `{}`))
	require.Contains(t, out[0].Result.Text(), "Search for it first")
	text, _ := p.Announce(nil)
	require.Empty(t, text)
}

func TestLoadedAreInTheOrderOfTheirFinding(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, finder())
	_, err := reg.Attach("srv", told(pegboard.Info{Name: "a"}, "Does a."), told(pegboard.Info{Name: "b"}, "Does b."), told(pegboard.Info{Name: "c"}, "Does c."))
	require.NoError(t, err)
	s := session(t, pegboard.SessionConfig{})
	loaded := func() (names []string) {
		for d := range reg.AssemblePool(s, pegboard.PoolConfig{}).Loaded() {
			require.True(t, d.Deferred)
			names = append(names, d.Name)
		}
		return names
	}
	require.Nil(t, loaded())
	out := run(t, reg, s, call("1", "ToolSearch", `{"query":"select:c,mcp__srv__a"}`))
	require.NoError(t, out.Err)
	require.Equal(t, []string{"mcp__srv__c", "mcp__srv__a"}, loaded())
	run(t, reg, s, call("2", "mcp__srv__b", `{"city":"Rome"}`))
	run(t, reg, s, call("3", "ToolSearch", `{"query":"select:a"}`))
	require.Equal(t, []string{"mcp__srv__c", "mcp__srv__a", "mcp__srv__b"}, loaded())

	fork, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "a1"})
	require.NoError(t, err)
	require.Empty(t, fork.Loaded(), "its conversation is another")
	require.NoError(t, reg.Add(told(pegboard.Info{Name: "New", Aliases: []string{"Old"}, Loading: pegboard.LoadOnSearch}, "Was renamed.")))
	fork.SetLoaded("Old", "New")
	var once []string
	for d := range reg.AssemblePool(fork, pegboard.PoolConfig{}).Loaded() {
		once = append(once, d.Name)
	}
	require.Equal(t, []string{"New"}, once)
	fork.SetLoaded("mcp__srv__b", "gone", "mcp__srv__b")
	require.Equal(t, []string{"mcp__srv__b", "gone"}, fork.Loaded())
	require.Len(t, s.Loaded(), 4, "with ToolSearch itself")

	reg.Detach("srv")
	require.Nil(t, loaded(), "what is not there is not offered")
	require.Len(t, s.Loaded(), 4, "and is remembered, since it may come back")
}

func TestAnnouncementsAreDeltas(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, finder(), told(pegboard.Info{Name: "Read"}, "Reads."))
	s := session(t, pegboard.SessionConfig{})
	attach := func(source string, names ...string) {
		var tools []pegboard.Tool
		for _, name := range names {
			tools = append(tools, told(pegboard.Info{Name: name}, "Does "+name+"."))
		}
		_, err := reg.Attach(source, tools...)
		require.NoError(t, err)
	}
	text, known := reg.AssemblePool(s, pegboard.PoolConfig{}).Announce(nil)
	require.Empty(t, text)
	require.Empty(t, known)

	attach("srv", "b", "a")
	text, known = reg.AssemblePool(s, pegboard.PoolConfig{}).Announce(known)
	require.True(t, strings.HasSuffix(text, ":\nmcp__srv__a\nmcp__srv__b"), text)
	text, known = reg.AssemblePool(s, pegboard.PoolConfig{}).Announce(known)
	require.Empty(t, text)

	attach("srv", "b", "c")
	text, known = reg.AssemblePool(s, pegboard.PoolConfig{}).Announce(known)
	require.Contains(t, text, "\nmcp__srv__c\n")
	require.True(t, strings.HasSuffix(text, "not available any more:\nmcp__srv__a"), text)
	require.NotContains(t, text, "mcp__srv__b")

	var many []string
	for i := range 600 {
		many = append(many, fmt.Sprint("t", i))
	}
	attach("big", many...)
	reg.SetDescription("big", "Does nearly everything.")
	text, known = reg.AssemblePool(s, pegboard.PoolConfig{}).Announce(known)
	require.Contains(t, text, "mcp__big__*: 600 tools (Does nearly everything.)")
	require.Less(t, len(text), 500)
	require.Len(t, known, 602)
	reg.Detach("big")
	text, _ = reg.AssemblePool(s, pegboard.PoolConfig{}).Announce(known)
	require.Contains(t, text, "not available any more:\nmcp__big__*: 600 tools")
}

// TestLoadedIsWhatOneCallAfterTheOtherShows compares the session with a model of it.
func TestLoadedIsWhatOneCallAfterTheOtherShows(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, finder(), told(pegboard.Info{Name: "Read"}, "Reads."))
	var tools []pegboard.Tool
	for i := range 20 {
		tools = append(tools, told(pegboard.Info{Name: fmt.Sprint("t", i)}, "Does it."))
	}
	_, err := reg.Attach("srv", tools...)
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	s := session(t, pegboard.SessionConfig{})
	var want []string
	for i := range 100 {
		name := fmt.Sprint("mcp__srv__t", random.IntN(20))
		c := pegboard.Call{ID: fmt.Sprint(i), Name: "ToolSearch"}
		switch random.IntN(4) {
		case 0:
			c.Input, _ = json.Marshal(map[string]any{"query": "select:" + name})
		case 1:
			c.Name, c.Input = name, json.RawMessage(`{"city":"Rome"}`)
		case 2:
			c.Name, c.Input = name, json.RawMessage(`{}`)
		default:
			c.Name, c.Input, name = "Read", json.RawMessage(`{"city":"Rome"}`), "Read"
		}
		run(t, reg, s, c)
		for _, mentioned := range []string{c.Name, name} { // the call, then its result
			if !slices.Contains(want, mentioned) {
				want = append(want, mentioned)
			}
		}
		require.Equal(t, want, s.Loaded())
	}
}
