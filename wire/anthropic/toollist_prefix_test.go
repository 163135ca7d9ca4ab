package anthropic_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

// configs are the combinations of all that a Config may choose.
func configs() map[string]anthropic.Config {
	all := map[string]anthropic.Config{}
	for i := range 3 * 3 * 2 {
		var c anthropic.Config
		switch i % 3 {
		case 1:
			c.Cache = true
		case 2:
			c.Cache, c.CacheTTL = true, "1h"
		}
		switch i / 3 % 3 {
		case 1:
			c.EagerInput = true
		case 2:
			c.EagerTools = []string{"edit", "mcp__source0_0__add0"}
		}
		if i/9 == 1 {
			c.ServerTools = []json.RawMessage{json.RawMessage(searchTool), json.RawMessage(`{"type":"mcp_toolset","mcp_server_name":"x"}`)}
		}
		all[fmt.Sprintf("%+v", c)] = c
	}
	return all
}

// builtinSets are built-ins of all kinds, in groups that call for different breakpoints.
func builtinSets(t *testing.T) map[string][]pegboard.Tool {
	t.Helper()
	lines := `{"type":"object","properties":{"lines":{"type":"integer"}},"required":["lines"],"additionalProperties":false}`
	return map[string][]pegboard.Tool{
		"plain": {
			tool(t, "zoom", "Last by name.", anyObject),
			tool(t, "edit", "Edits.", `{"properties":{"path":{"type":"string"}}}`),
			tool(t, "notes.add", "Mapped.", anyObject),
			tool(t, "odd", "Left out.", refusedSchema),
		},
		"rich": {
			special(t, pegboard.Info{Name: "zoom", Loading: pegboard.LoadOnSearch}, lines, `{"lines":7}`),
			special(t, pegboard.Info{Name: "edit", Strict: true}, lines, `{"lines":7}`),
			special(t, pegboard.Info{Name: "notes.add", Loading: pegboard.LoadOnSearch, Strict: true}, lines),
			tool(t, "clock", "", anyObject),
		},
		"all deferred": {
			special(t, pegboard.Info{Name: "zoom", Loading: pegboard.LoadOnSearch}, anyObject),
			special(t, pegboard.Info{Name: "edit", Loading: pegboard.LoadOnSearch}, anyObject),
		},
		"none": nil,
	}
}

// TestInvariant7BuiltinPrefix attaches and detaches sources at random. The
// request's tools begin with the same bytes all the time, whatever the options.
func TestInvariant7BuiltinPrefix(t *testing.T) {
	t.Parallel()
	for kind, builtins := range builtinSets(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(4) {
				random := rand.New(rand.NewPCG(7, seed))
				var r pegboard.Registry
				require.NoError(t, r.Add(builtins...))
				s := session(t)
				alone := r.AssemblePool(s, pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}})
				for range 10 {
					attachOrDetach(t, random, &r)
					p, again := r.AssemblePool(s, pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}}), r.AssemblePool(s, pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}})
					for name, config := range configs() {
						requirePrefix(t, alone, p, config, name)
						require.Equal(t, string(anthropic.New(p, config).Tools()), string(anthropic.New(again, config).Tools()), name)
					}
				}
			}
		})
	}
}

func attachOrDetach(t *testing.T, random *rand.Rand, r *pegboard.Registry) {
	t.Helper()
	source := fmt.Sprintf("source%d.%d", random.IntN(3), random.IntN(2))
	if random.IntN(3) == 0 {
		r.Detach(source)
		return
	}
	r.Detach(source) // which need not be there
	_, err := r.Attach(source, externals(t, random)...)
	require.NoError(t, err)
}

// requirePrefix compares the tools of a pool with those of its built-ins alone.
func requirePrefix(t *testing.T, alone, p *pegboard.Pool, config anthropic.Config, name string) {
	t.Helper()
	prefix := strings.TrimSuffix(string(anthropic.New(alone, config).Tools()), "]")
	w := anthropic.New(p, config)
	rest, ok := strings.CutPrefix(string(w.Tools()), prefix)
	require.True(t, ok, "%s: the prefix changed:\n%s\n%s", name, prefix, w.Tools())
	require.Regexp(t, `^(\]$|,?\{)`, rest)
	requireTaken(t, w)
	require.Equal(t, p.Len(), countPoolTools(t, w)+len(omitted(w)), name)
}

// externals returns a few tools, some of which the API would refuse.
func externals(t *testing.T, random *rand.Rand) []pegboard.Tool {
	t.Helper()
	schemas := []string{anyObject, `{}`, `{"anyOf":[{}]}`, refusedSchema,
		`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["string","null"]}},"required":["b"],"additionalProperties":false}`}
	var tools []pegboard.Tool
	for i := range random.IntN(4) {
		name := []string{"add", "notes.add", "zoom", "日本", strings.Repeat("long", 20)}[random.IntN(5)]
		info := pegboard.Info{Name: fmt.Sprint(name, i), Loading: loading(random.IntN(2) == 0), Strict: random.IntN(3) == 0}
		tools = append(tools, special(t, info, schemas[random.IntN(len(schemas))]))
	}
	return tools
}

// TestInvariant7AcrossProcesses compares the tools of pools with those that another
// process makes of the same pools.
func TestInvariant7AcrossProcesses(t *testing.T) {
	const variable = "PEGBOARD_TEST_TOOLS" // the file that the other process writes to
	var here strings.Builder
	for _, kind := range []string{"plain", "rich", "all deferred", "none"} {
		var r pegboard.Registry
		require.NoError(t, r.Add(builtinSets(t)[kind]...))
		random := rand.New(rand.NewPCG(77, 7))
		for range 20 {
			attachOrDetach(t, random, &r)
		}
		p := r.AssemblePool(session(t), pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}})
		for i := range 18 {
			var config anthropic.Config
			if i%2 == 1 {
				config.Cache, config.CacheTTL = true, "1h"
			}
			if i%3 == 1 {
				config.EagerTools = []string{"edit", "zoom"}
			}
			fmt.Fprintf(&here, "%s %d %s\n", kind, i, anthropic.New(p, config).Tools())
		}
	}
	if path := os.Getenv(variable); path != "" {
		require.NoError(t, os.WriteFile(path, []byte(here.String()), 0o600))
		return
	}
	program, err := os.Executable()
	require.NoError(t, err)
	for i := range 3 {
		path := filepath.Join(t.TempDir(), fmt.Sprint(i))
		other := exec.CommandContext(t.Context(), program, "-test.run=^TestInvariant7AcrossProcesses$", "-test.count=1")
		other.Env = append(os.Environ(), variable+"="+path)
		output, err := other.CombinedOutput()
		require.NoError(t, err, "%s", output)
		there, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, here.String(), string(there))
	}
}
