package responses_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/openai/responses"
)

const anyObject = `{"type":"object"}`

// tool returns a tool that does nothing.
func tool(t testing.TB, info pegboard.Info, description, schema string) pegboard.Tool {
	t.Helper()
	built, err := pegboard.BuildRaw(json.RawMessage(schema), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: info, Description: description,
		Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
			return pegboard.TextResult("done"), nil
		},
	})
	require.NoError(t, err)
	return built
}

func named(name string) pegboard.Info { return pegboard.Info{Name: name} }

func session(t testing.TB) *pegboard.Session {
	t.Helper()
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	return s
}

// loading keeps a definition from waiting, or makes it wait, whatever tool it is of.
func loading(deferred bool) pegboard.Loading {
	if deferred {
		return pegboard.LoadOnSearch
	}
	return pegboard.LoadAlways
}

// poolOf returns the pool of built-in tools for a provider that searches.
func poolOf(t testing.TB, tools ...pegboard.Tool) *pegboard.Pool {
	t.Helper()
	var r pegboard.Registry
	require.NoError(t, r.Add(tools...))
	return r.AssemblePool(session(t), pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}})
}

// definition is a tool as the API reads it.
type definition struct {
	Type        string
	Name        string
	Execution   string
	Description string
	Parameters  json.RawMessage
	Strict      *bool
	Deferred    bool `json:"defer_loading"`
}

func definitions(t testing.TB, w *responses.Codec) []definition {
	t.Helper()
	var all []definition
	require.NoError(t, json.Unmarshal(w.Tools(), &all))
	return all
}

func TestToolsGolden(t *testing.T) {
	t.Parallel()
	var r pegboard.Registry
	require.NoError(t, r.Add(
		tool(t, named("clock"), "", `{"type":"object","properties":{}}`),
		tool(t, pegboard.Info{Name: "weather", Strict: true}, "Tells <the> weather & more.", `{
			"type": "object",
			"properties": {"city": {"type": "string", "description": "e.g. \"Zürich\""}},
			"required": ["city"], "additionalProperties": false
		}`),
		tool(t, named("notes.add"), "A name that the API refuses.", anyObject),
		tool(t, named("find"), "Finds tools.", `{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`),
	))
	_, err := r.Attach("maps", tool(t, pegboard.Info{Name: "route", Loading: pegboard.LoadOnSearch}, "Finds a way.", anyObject))
	require.NoError(t, err)

	got := responses.New(r.AssemblePool(session(t), pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}}), responses.Config{ClientSearch: "find"}).Tools()
	want, err := os.ReadFile(filepath.Join("testdata", "tools.golden.json"))
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(string(want)), string(got))
}

func TestToolsOfNothing(t *testing.T) {
	t.Parallel()
	require.Equal(t, "[]", string(responses.New(poolOf(t), responses.Config{}).Tools()))
	var zero responses.Codec
	require.Equal(t, "[]", string(zero.Tools()))
	require.Equal(t, "any name", zero.Name("any name"))
	require.Empty(t, zero.Omitted())
	require.Equal(t, "{}", string(zero.Choice(wire.Choice{Mode: wire.Required})))
}

// TestToolsStrict sends strict with every function, and true only where it was
// asked for and can be.
func TestToolsStrict(t *testing.T) {
	t.Parallel()
	optional := `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`
	w := responses.New(poolOf(t,
		tool(t, pegboard.Info{Name: "a", Strict: true}, "", optional),
		tool(t, pegboard.Info{Name: "b"}, "", optional),
		tool(t, pegboard.Info{Name: "c", Strict: true}, "", `{"type":"object","properties":{"a":{"not":{"type":"string"}}},"additionalProperties":{"type":"string"}}`),
	), responses.Config{})
	var strict []bool
	for _, d := range definitions(t, w) {
		strict = append(strict, *d.Strict)
	}
	require.Equal(t, []bool{true, false, false}, strict)

	_, m, err := readWith(w, strings.NewReader(whole("completed", "", use("1", "a", `{"a": null}`), use("2", "b", `{"a": null}`), use("3", "a", `{"a":`))))
	require.NoError(t, err)
	require.JSONEq(t, `{}`, string(m.Calls[0].Input), "null stands for a property that is left out")
	require.Equal(t, `{"a": null}`, string(m.Calls[1].Input))
	require.Equal(t, `{"a":`, string(m.Calls[2].Input))
	require.Equal(t, use("1", "a", `{"a": null}`), string(m.History[0]), "what is sent back is what came")
}

func TestToolsDeferred(t *testing.T) {
	t.Parallel()
	p := poolOf(t, tool(t, named("find"), "Finds.", anyObject), tool(t, pegboard.Info{Name: "late", Loading: pegboard.LoadOnSearch}, "", anyObject))
	tests := []struct {
		name   string
		config responses.Config
		want   []definition
	}{
		{name: "nobody searches", want: []definition{{Type: "function", Name: "find"}, {Type: "function", Name: "late"}}},
		{name: "the API searches", config: responses.Config{HostedSearch: true},
			want: []definition{{Type: "tool_search"}, {Type: "function", Name: "find"}, {Type: "function", Name: "late", Deferred: true}}},
		{name: "a tool searches", config: responses.Config{ClientSearch: "find"},
			want: []definition{{Type: "tool_search", Execution: "client"}, {Type: "function", Name: "late", Deferred: true}}},
		{name: "a tool that is not there", config: responses.Config{ClientSearch: "seek"}, want: []definition{{Type: "function", Name: "find"}, {Type: "function", Name: "late"}}},
		{name: "tools of the API", config: responses.Config{HostedSearch: true, ServerTools: []json.RawMessage{[]byte(`{"type":"apply_patch"}`), []byte(`{"type":"web_search"}`)}},
			want: []definition{{Type: "tool_search"}, {Type: "apply_patch"}, {Type: "web_search"}, {Type: "function", Name: "find"}, {Type: "function", Name: "late", Deferred: true}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := definitions(t, responses.New(p, tt.config))
			for i := range got {
				require.Equal(t, got[i].Type == "function", got[i].Strict != nil)
				got[i].Strict, got[i].Parameters, got[i].Description = nil, nil, ""
			}
			require.Equal(t, tt.want, got)
		})
	}
}

// TestToolsNames maps names that the API refuses there and back.
func TestToolsNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 70)
	w := responses.New(poolOf(t, tool(t, named("notes.add"), "", anyObject), tool(t, named("notes_add"), "", anyObject), tool(t, named(long), "", anyObject)), responses.Config{})
	seen := map[string]bool{}
	for _, d := range definitions(t, w) {
		require.Regexp(t, apiName, d.Name)
		seen[d.Name] = true
	}
	require.Len(t, seen, 3)
	for _, name := range []string{"notes.add", "notes_add", long} {
		require.True(t, seen[w.Name(name)])
		_, m, err := readWith(w, strings.NewReader(whole("completed", "", use("a", w.Name(name), "{}"))))
		require.NoError(t, err)
		require.Equal(t, name, m.Calls[0].Name)
		require.Equal(t, []string{name}, w.Loaded(m.History))
	}
	require.Empty(t, w.Omitted())
}

// declared shows the model another schema than the tool checks, as a wrapper may.
type declared struct {
	pegboard.Tool
	schema string
}

func (d declared) Declare(s pegboard.Scope) (pegboard.Declaration, bool) {
	decl, ok := d.Tool.Declare(s)
	return pegboard.Declaration{Name: decl.Name, InputSchema: json.RawMessage(d.schema)}, ok
}

// TestToolsOmitted leaves out what cannot be sent, and says so.
func TestToolsOmitted(t *testing.T) {
	t.Parallel()
	p := poolOf(t, declared{tool(t, named("odd"), "", anyObject), `{"type":"array"}`}, tool(t, named("clock"), "", anyObject))
	w := responses.New(p, responses.Config{})
	require.Len(t, definitions(t, w), 1)
	require.Len(t, w.Omitted(), 1)
	require.Equal(t, "odd", w.Omitted()[0].Tool)
	require.Equal(t, wire.Lint(p, wire.OpenAIResponses), w.Omitted())
}

func TestChoice(t *testing.T) {
	t.Parallel()
	p := poolOf(t, tool(t, named("clock"), "", anyObject), tool(t, named("a.b"), "", anyObject), tool(t, named("find"), "", anyObject))
	w := responses.New(p, responses.Config{ClientSearch: "find"})
	function := func(name string) string { return `{"type":"function","name":"` + w.Name(name) + `"}` }
	tests := []struct {
		name   string
		choice wire.Choice
		want   string
	}{
		{name: "zero", want: `{}`},
		{name: "none", choice: wire.Choice{Mode: wire.None, Tools: []string{"clock"}}, want: `{"tool_choice":"none"}`},
		{name: "required", choice: wire.Choice{Mode: wire.Required}, want: `{"tool_choice":"required"}`},
		{name: "one", choice: wire.Choice{Mode: wire.One, Tool: "a.b"}, want: `{"tool_choice":` + function("a.b") + `}`},
		{name: "some", choice: wire.Choice{Tools: []string{"clock", "a.b"}}, want: `{"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[` + function("clock") + `,` + function("a.b") + `]}}`},
		{name: "one of some, one by one", choice: wire.Choice{Mode: wire.Required, Tools: []string{"clock"}, Sequential: true},
			want: `{"tool_choice":{"type":"allowed_tools","mode":"required","tools":[` + function("clock") + `]},"parallel_tool_calls":false}`},
		{name: "one by one", choice: wire.Choice{Sequential: true}, want: `{"parallel_tool_calls":false}`},
		{name: "the search", choice: wire.Choice{Mode: wire.One, Tool: "find"}, want: `{"tool_choice":{"type":"tool_search"}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, string(w.Choice(tt.choice)))
		})
	}
}

// TestCorpusTools sends every real definition, or says why not, as Lint does.
func TestCorpusTools(t *testing.T) {
	for _, folder := range corpus.Folders(t, "mcp-schemas", "bfcl") {
		file := filepath.Join(folder, "mcp-schemas", "tools.jsonl")
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		sources := map[string][]pegboard.Tool{}
		for _, line := range corpus.Lines(t, file) {
			var row struct {
				Name, Description, Server string
				Parameters                json.RawMessage
			}
			require.NoError(t, json.Unmarshal(line, &row))
			built, err := pegboard.BuildRaw(row.Parameters, pegboard.Definition[json.RawMessage, *pegboard.Result]{
				Info: pegboard.Info{Name: row.Name, Strict: true}, Description: row.Description,
				Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) { return nil, nil },
			})
			if err == nil {
				sources[row.Server] = append(sources[row.Server], built)
			}
		}
		var r pegboard.Registry
		for _, name := range slices.Sorted(maps.Keys(sources)) {
			_, err := r.Attach(name, sources[name]...)
			require.NoError(t, err)
		}
		p := r.AssemblePool(session(t), pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}})
		w := responses.New(p, responses.Config{})
		strict := 0
		seen := map[string]bool{}
		for _, d := range definitions(t, w) {
			require.Regexp(t, apiName, d.Name)
			require.False(t, seen[d.Name])
			seen[d.Name] = true
			if *d.Strict {
				strict++
			}
		}
		require.Len(t, seen, p.Len()-len(w.Omitted()))
		omitted := slices.DeleteFunc(wire.Lint(p, wire.OpenAIResponses), func(p wire.Problem) bool { return !p.Omitted })
		require.ElementsMatch(t, omitted, w.Omitted())
		corpus.Report(t, folder, "%d of %d definitions sent, %d of them strict", len(seen), p.Len(), strict)
	}
}

// TestInvariant7 attaches and detaches sources at random: the built-in tools keep
// their bytes, and the same tools are the same bytes.
func TestInvariant7(t *testing.T) {
	t.Parallel()
	s := session(t)
	for seed := range effort.Of(t, uint64(50)) {
		random := rand.New(rand.NewPCG(7, seed))
		var r pegboard.Registry
		for i := range 1 + random.IntN(5) {
			require.NoError(t, r.Add(tool(t, pegboard.Info{Name: fmt.Sprintf("tool.%d", i), Strict: i%2 == 0}, "d", anyObject)))
		}
		prefix := strings.TrimSuffix(string(responses.New(r.AssemblePool(s, pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}}), responses.Config{HostedSearch: true}).Tools()), "]")
		for range 5 {
			name := fmt.Sprintf("source%d", random.IntN(3))
			var tools []pegboard.Tool
			for i := range random.IntN(4) {
				tools = append(tools, tool(t, pegboard.Info{Name: fmt.Sprintf("t%d", i), Loading: loading(random.IntN(2) == 0)}, "d", anyObject))
			}
			if r.Detach(name); len(tools) > 0 {
				r.Detach(name) // which need not be there
				_, err := r.Attach(name, tools...)
				require.NoError(t, err)
			}
			p := r.AssemblePool(s, pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}})
			got := string(responses.New(p, responses.Config{HostedSearch: true}).Tools())
			require.True(t, strings.HasPrefix(got, prefix), "%s\n%s", prefix, got)
			require.Equal(t, got, string(responses.New(p, responses.Config{HostedSearch: true}).Tools()))
		}
	}
}
