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
	"github.com/seed49eaa51d/pegboard/wire"
)

// definition is one tool of a test.
type definition struct {
	name, schema     string
	strict, deferred bool
}

const plain = `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`

// poolOf returns a pool of built-in tools.
func poolOf(t testing.TB, all ...definition) *pegboard.Pool {
	t.Helper()
	var tools []pegboard.Tool
	for _, d := range all {
		tool, err := pegboard.BuildRaw(json.RawMessage(d.schema), pegboard.Definition[json.RawMessage, *pegboard.Result]{
			Info:        pegboard.Info{Name: d.name, Strict: d.strict, Deferred: d.deferred},
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
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	require.NoError(t, err)
	return reg.AssemblePool(s)
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
			want: []string{"a: it is sent without strict: Gemini does not have it", "a: it is sent at once: Gemini cannot defer tools"},
		},
		{
			name: "a tool that cannot be sent", tools: []definition{{name: "a", schema: `{"type":"object","properties":{"$x":{}}}`}}, to: wire.Anthropic,
			want: []string{"a is left out: its input schema cannot be sent: $x: the name of a parameter is 1 to 64 letters, digits, _, . and -"},
		},
		{
			name: "too many strict tools", tools: manyTools(21, definition{name: "t", schema: plain, strict: true}), to: wire.Anthropic,
			want: []string{"t00020: it is sent without strict: with those before it the request would have more than 20 strict tools, 24 optional parameters or 16 of several types"},
		},
		{name: "as many for OpenAI", tools: manyTools(21, definition{name: "t", schema: plain, strict: true}), to: wire.OpenAIResponses},
		{
			name: "all deferred", tools: []definition{{name: "a", schema: plain, deferred: true}}, to: wire.Anthropic,
			want: []string{"all tools are deferred; Anthropic wants one that is not, such as the one that searches"},
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

// TestSchemasLint looks at a pool of all real tools for each provider: it names
// every tool that would have to be left out, in the order of the pool.
func TestSchemasLint(t *testing.T) {
	for _, folder := range corpus.Folders(t) {
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
