package toolset_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/dialect"
	"github.com/seed49eaa51d/pegboard/wire/internal/toolset"
)

func tool(t *testing.T, name string, aliases ...string) pegboard.Tool {
	t.Helper()
	built, err := pegboard.BuildRaw(json.RawMessage(`{"type":"object"}`), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: pegboard.Info{Name: name, Aliases: aliases}, Description: "For a test.",
		Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) { return nil, nil },
	})
	require.NoError(t, err)
	return built
}

func poolOf(t *testing.T, tools ...pegboard.Tool) *pegboard.Pool {
	t.Helper()
	var r pegboard.Registry
	require.NoError(t, r.Add(tools...))
	_, err := r.Attach("s", tool(t, "d"))
	require.NoError(t, err)
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	require.NoError(t, err)
	return r.AssemblePool(s, pegboard.PoolConfig{})
}

// form writes a tool as its name, and refuses those whose names begin with bad.
var form = toolset.Form{
	Names: dialect.NameRule{Max: 64},
	Encode: func(d pegboard.Declaration, name string) json.RawMessage {
		if strings.HasPrefix(d.Name, "bad") {
			return nil
		}
		return json.RawMessage(`{"name":"` + name + `"}`)
	},
	Refused: func(d pegboard.Declaration) wire.Problem { return wire.Problem{Tool: d.Name, Omitted: true} },
}

func TestNew(t *testing.T) {
	t.Parallel()
	first := []json.RawMessage{[]byte(`{"server":1}`)}
	tests := []struct {
		name  string
		tools []pegboard.Tool
		waits string // a tool that the request leaves out
		want  []string
	}{
		{name: "names that can stay", tools: []pegboard.Tool{tool(t, "a"), tool(t, "b")}, want: []string{"a", "b", "mcp__s__d"}},
		{name: "one left out", tools: []pegboard.Tool{tool(t, "a"), tool(t, "b")}, waits: "a", want: []string{"b", "mcp__s__d"}},
		{name: "one refused", tools: []pegboard.Tool{tool(t, "a"), tool(t, "bad")}, want: []string{"a", "mcp__s__d"}},
		{name: "a forbidden name", tools: []pegboard.Tool{tool(t, "a.b"), tool(t, "bad")}, want: []string{"a_b_2e7336dc8eba", "mcp__s__d"}},
		{name: "a forbidden name left out", tools: []pegboard.Tool{tool(t, "a.b"), tool(t, "b")}, waits: "a.b", want: []string{"b", "mcp__s__d"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := poolOf(t, tt.tools...)
			request := func(yield func(pegboard.Declaration, bool) bool) {
				for d := range toolset.All(p) {
					if !yield(d, d.Name == tt.waits) {
						return
					}
				}
			}
			set, tools := toolset.New(p, form, first, request)
			require.Equal(t, `{"server":1}`, string(tools[0]))
			var names []string
			for _, raw := range tools[1:] {
				var sent struct{ Name string }
				require.NoError(t, json.Unmarshal(raw, &sent))
				names = append(names, sent.Name)
				require.Equal(t, string(raw), string(set.Definition(set.Tool(sent.Name))))
			}
			require.Equal(t, tt.want, names)
			for _, problem := range set.Problems {
				require.Equal(t, "bad", problem.Tool)
				require.False(t, set.Sendable("bad"))
			}
			if tt.waits != "" {
				require.True(t, set.Sendable(tt.waits), "once it is loaded")
			}
		})
	}
}

func TestSetAliases(t *testing.T) {
	t.Parallel()
	p := poolOf(t, tool(t, "new.name", "old"))
	set, _ := toolset.New(p, form, nil, func(yield func(pegboard.Declaration, bool) bool) {
		for d := range toolset.All(p) {
			if !yield(d, false) {
				return
			}
		}
	})
	api := set.Names.API("new.name")
	require.Equal(t, "new.name", set.Tool(api))
	require.Equal(t, "new.name", set.Tool("old"))
	require.Equal(t, "gone", set.Tool("gone"))
	require.Equal(t, `{"name":"`+api+`"}`, string(set.Definition("old")))
	require.Nil(t, set.Definition("gone"))
	require.Equal(t, []string{"<functions>\n{\"name\":\"" + api + "\"}\n</functions>", "(Not available any more: gone, lost. Search again.)"},
		set.Definitions([]pegboard.Part{{Tool: "gone"}, {Tool: "old"}, {Tool: "lost"}, {Text: "x"}, {Tool: "mcp__s__d"}}))
}

func TestZeroSet(t *testing.T) {
	t.Parallel()
	var set toolset.Set
	require.Equal(t, `[]`, string(set.List()))
	require.Equal(t, "a.b", set.Tool("a.b"))
	require.Nil(t, set.Definition("a"))
	require.Equal(t, []string{"(Not available any more: a. Search again.)"}, set.Definitions([]pegboard.Part{{Tool: "a"}}))
}
