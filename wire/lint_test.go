package wire_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/results"
	"github.com/seed49eaa51d/pegboard/tools/shell"
	"github.com/seed49eaa51d/pegboard/wire"
)

// definition is one tool of a test.
type definition struct {
	name, schema     string
	strict, deferred bool
}

const plain = `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`

// poolOf returns a pool of built-in tools for a provider that searches.
func poolOf(t testing.TB, all ...definition) *pegboard.Pool {
	t.Helper()
	return registryOf(t, all...).AssemblePool(newSession(t), pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}})
}

func newSession(t testing.TB) *pegboard.Session {
	t.Helper()
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	return s
}

func registryOf(t testing.TB, all ...definition) *pegboard.Registry {
	t.Helper()
	var tools []pegboard.Tool
	for _, d := range all {
		info := pegboard.Info{Name: d.name, Strict: d.strict}
		if d.deferred {
			info.Loading = pegboard.LoadOnSearch
		}
		tool, err := pegboard.BuildRaw(json.RawMessage(d.schema), pegboard.Definition[json.RawMessage, *pegboard.Result]{
			Info:        info,
			Description: "Does it.",
			Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
				return nil, nil
			},
		})
		require.NoError(t, err)
		tools = append(tools, tool)
	}
	var reg pegboard.Registry
	require.NoError(t, reg.Add(tools...))
	return &reg
}

func manyTools(n int, d definition) (all []definition) {
	for i := range n {
		one := d
		one.name = fmt.Sprintf("%s%05d", d.name, i)
		all = append(all, one)
	}
	return all
}

func TestLint(t *testing.T) {
	t.Parallel()
	const bounded = `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"},"minItems":2,"maxItems":5}},"required":["a"],"additionalProperties":false}`
	tests := []struct {
		name  string
		tools []definition
		to    wire.Provider
		want  []string
	}{
		{name: "no tools", to: wire.Anthropic},
		{name: "nothing wrong", tools: []definition{{name: "a", schema: plain, strict: true}}, to: wire.Anthropic},
		{
			name: "a name", tools: []definition{{name: "a.b", schema: plain}}, to: wire.OpenAIChat,
			want: []string{"a.b: its name is sent as a_b_2e7336dc8eba; OpenAI Chat Completions takes 1 to 64 letters, digits, _ and -"},
		},
		{
			name: "a bound that moves", tools: []definition{{name: "a", schema: bounded, strict: true}, {name: "b", schema: bounded}}, to: wire.Anthropic,
			want: []string{"a: only its descriptions say what the schema sent cannot: a: 2 to 5 items"},
		},
		{
			name: "a schema that is not strict", tools: []definition{{name: "a", schema: `{"type":"object","properties":{"a":{}}}`, strict: true}}, to: wire.OpenAIResponses,
			want: []string{"a: it is sent without strict: a: it takes any value; give it a type"},
		},
		{
			name: "no strict", tools: []definition{{name: "a", schema: plain, strict: true, deferred: true}}, to: wire.Gemini,
			want: []string{"a: it is sent without strict: Gemini does not have it", "a: it is sent at once: Gemini does not search for tools; add ToolSearch to the pool"},
		},
		{
			name: "a tool that cannot be sent", tools: []definition{{name: "a", schema: `{"type":"object","properties":{"$x":{}},"dependentRequired":{"$x":[]}}`}}, to: wire.Anthropic,
			want: []string{"a is left out: its input schema cannot be sent: $x: the API does not take this name of a parameter, and another part of the schema refers to it; use letters, digits and _"},
		},
		{
			name: "too many strict tools", tools: manyTools(21, definition{name: "t", schema: plain, strict: true}), to: wire.Anthropic,
			want: []string{"t00020: it is sent without strict: with those before it the request would have more than 20 strict tools, 24 optional parameters or 16 of several types"},
		},
		{name: "as many for OpenAI", tools: manyTools(21, definition{name: "t", schema: plain, strict: true}), to: wire.OpenAIResponses},
		{
			name: "all deferred", tools: []definition{{name: "a", schema: plain, deferred: true}}, to: wire.Anthropic,
			want: []string{"all tools are deferred; Anthropic wants one that is not: add ToolSearch to the pool, or its own search"},
		},
		{
			name: "too many deferred", tools: append(manyTools(10_001, definition{name: "t", schema: plain, deferred: true}), definition{name: "a", schema: plain}), to: wire.Anthropic,
			want: []string{"10001 tools are deferred, and Anthropic takes 10000; offer fewer"},
		},
		{
			name: "many deferred for OpenAI", tools: manyTools(10_001, definition{name: "t", schema: plain, deferred: true}), to: wire.OpenAIResponses,
			want: []string{"10001 tools are sent, and some models of OpenAI Responses take 128; offer fewer, or let them be searched"},
		},
		{
			name: "many functions", tools: manyTools(129, definition{name: "t", schema: plain}), to: wire.OpenAIChat,
			want: []string{"129 tools are sent, and some models of OpenAI Chat Completions take 128; offer fewer, or let them be searched"},
		},
		{name: "no provider", tools: []definition{{name: "a", schema: plain}}, to: wire.Provider(9), want: []string{"9 is no provider; use one of this package's"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			pool := poolOf(t, tt.tools...)
			problems := wire.Lint(pool, tt.to)
			var got []string
			for _, p := range problems {
				got = append(got, p.String())
				require.Equal(t, strings.Contains(p.String(), "is left out"), p.Omitted)
			}
			require.Equal(t, tt.want, got)
			require.Equal(t, problems, wire.Lint(pool, tt.to))
		})
	}
}

// TestLintOfWhatWaits looks at a pool with a tool that searches.
func TestLintOfWhatWaits(t *testing.T) {
	t.Parallel()
	waiting := manyTools(200, definition{name: "t", schema: plain, deferred: true})
	waiting[0].schema = `{"type":"object","properties":{"$x":{}},"dependentRequired":{"$x":[]}}`
	const odd = "t00000 is left out: its input schema cannot be sent: "
	reg := registryOf(t, waiting...)
	require.NoError(t, reg.Add(pegboard.ToolSearch(pegboard.SearchOptions{})))
	before, after := newSession(t), newSession(t)
	var loaded []string
	for _, d := range waiting[:150] {
		loaded = append(loaded, d.name)
	}
	after.SetLoaded(loaded...)
	const many = "151 tools are sent, and some models of %s take 128; offer fewer, or let them be searched"
	tests := []struct {
		to            wire.Provider
		before, after []string // the problems, as they begin
	}{
		{to: wire.Anthropic, before: []string{odd}, after: []string{odd}},
		{to: wire.OpenAIChat, after: []string{fmt.Sprintf(many, wire.OpenAIChat)}},
		{to: wire.OpenAIResponses, after: []string{fmt.Sprintf(many, wire.OpenAIResponses)}},
		{to: wire.Gemini, before: []string{odd}, after: []string{odd}},
	}
	for _, tt := range tests {
		for s, want := range map[*pegboard.Session][]string{before: tt.before, after: tt.after} {
			problems := wire.Lint(reg.AssemblePool(s, pegboard.PoolConfig{}), tt.to)
			require.Len(t, problems, len(want), "%s: that a tool waits is no problem", tt.to)
			for i, p := range problems {
				require.True(t, strings.HasPrefix(p.String(), want[i]), "%s", p)
			}
		}
	}
}

// TestSchemasLint looks at a pool of all real tools for each provider: it names
// every tool that would have to be left out, in the order of the pool.
func TestSchemasLint(t *testing.T) {
	for _, folder := range corpus.Folders(t, "mcp-schemas", "bfcl") {
		var all []definition
		for n, line := range corpus.Lines(t, filepath.Join(folder, "bfcl", "functions.jsonl")) {
			var row struct {
				Name       string
				Parameters json.RawMessage
			}
			require.NoError(t, json.Unmarshal(line, &row))
			all = append(all, definition{name: fmt.Sprintf("%s#%d", row.Name, n), schema: string(row.Parameters), strict: true})
		}
		pool := poolOf(t, all...)
		order := map[string]int{}
		for d := range pool.Declarations(pegboard.Builtin) {
			order[d.Name] = len(order)
		}
		for _, to := range []wire.Provider{wire.Anthropic, wire.OpenAIChat, wire.OpenAIResponses, wire.Gemini} {
			omitted, at := 0, -1
			problems := wire.Lint(pool, to)
			for _, p := range problems {
				if p.Omitted {
					omitted++
				}
				if p.Tool != "" {
					require.GreaterOrEqual(t, order[p.Tool], at)
					at = order[p.Tool]
				}
			}
			corpus.Report(t, folder, "%s: %d tools, %d problems, %d tools left out", to, pool.Len(), len(problems), omitted)
			require.Less(t, omitted, 5)
			require.Greater(t, len(problems), pool.Len(), "every name is mapped")
		}
	}
}

// TestLintFindsNothingInTheToolsThatShip, for any provider.
func TestLintFindsNothingInTheToolsThatShip(t *testing.T) {
	t.Parallel()
	tools := append(files.Tools(), files.MultiEdit(files.WriteOptions{}), files.ApplyPatch(files.WriteOptions{}), shell.Bash(shell.Options{}), shell.PowerShell(shell.Options{}), shell.REPL(shell.REPLOptions{}),
		shell.TaskOutput(shell.TaskOutputOptions{}), shell.TaskStop(), shell.Monitor(shell.Options{}), pegboard.ToolSearch(pegboard.SearchOptions{}))
	for _, test := range []struct {
		name  string
		tools []pegboard.Tool
	}{
		{name: "all but the reader of results", tools: tools},
		{name: "the reader of results", tools: []pegboard.Tool{results.Read(results.Options{})}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var r pegboard.Registry
			require.NoError(t, r.Add(test.tools...))
			s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, s.Close(t.Context())) })
			pool := r.AssemblePool(s, pegboard.PoolConfig{Gates: pegboard.Gates{PowerShell: true}})
			require.Equal(t, len(test.tools), pool.Len())
			for _, to := range []wire.Provider{wire.Anthropic, wire.OpenAIChat, wire.OpenAIResponses, wire.Gemini} {
				require.Empty(t, wire.Lint(pool, to), "%v", to)
			}
		})
	}
}
