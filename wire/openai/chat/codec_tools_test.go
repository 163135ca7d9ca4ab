package chat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
)

const (
	city = `{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}},"required":["city"],"additionalProperties":false}`
	free = `{"type":"object","properties":{"filter":{"type":"object","additionalProperties":true}}}` // has no strict form
)

// definition is a tool as the API reads it.
type definition struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description *string         `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      *bool           `json:"strict"`
	} `json:"function"`
}

func definitions(t testing.TB, w *chat.Codec) []definition {
	t.Helper()
	var all []definition
	require.NoError(t, json.Unmarshal(w.Tools(), &all))
	for _, d := range all {
		require.Equal(t, "function", d.Type)
		require.NotNil(t, d.Function.Strict)
	}
	return all
}

func TestToolsGolden(t *testing.T) {
	t.Parallel()
	var r pegboard.Registry
	require.NoError(t, r.Add(
		tool(t, "clock", "", `{"type":"object","properties":{}}`),
		tool(t, "weather", "Tells <the> weather & more.", `{"type":"object","properties":{"city":{"type":"string","description":"e.g. \"Zürich\""}},"required":["city"]}`),
		toolOf(t, pegboard.Info{Name: "forecast", Strict: true}, "Strict.", city),
		toolOf(t, pegboard.Info{Name: "find", Strict: true, Loading: pegboard.LoadOnSearch}, "Cannot be strict.", free),
		tool(t, "notes.add", "A name that the API refuses.", anyObject),
	))
	_, err := r.Attach("maps", tool(t, "route", "Finds a way.", anyObject))
	require.NoError(t, err)

	w := chat.New(r.AssemblePool(session(t), pegboard.PoolConfig{}), chat.Config{})
	want, err := os.ReadFile(filepath.Join("testdata", "tools.golden.json"))
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(string(want)), string(w.Tools()))
	require.Empty(t, w.Omitted())
	for _, d := range definitions(t, w) {
		require.Regexp(t, apiName, d.Function.Name)
	}
}

var apiName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func TestToolsOfNothing(t *testing.T) {
	t.Parallel()
	require.Equal(t, "[]", string(chat.New(poolOf(t), chat.Config{}).Tools()))
	var zero chat.Codec
	require.Equal(t, "[]", string(zero.Tools()))
	require.Equal(t, "any name", zero.Name("any name"))
	require.Equal(t, "{}", string(zero.Choice(wire.Choice{Mode: wire.Required})))
	require.Empty(t, zero.Omitted())
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

func TestToolsOmitted(t *testing.T) {
	t.Parallel()
	w := chat.New(poolOf(t, tool(t, "a", "", anyObject), declared{tool(t, "bad one", "", anyObject), `{"type":"string"}`}, tool(t, "c", "", anyObject)), chat.Config{})
	require.Len(t, definitions(t, w), 2)
	require.Len(t, w.Omitted(), 1)
	require.Equal(t, "bad one", w.Omitted()[0].Tool)
	require.True(t, w.Omitted()[0].Omitted)
	require.NotEmpty(t, w.Omitted()[0].Reason)
}

// TestNames sends names that the API takes, and gets the tools' own back.
func TestNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100)
	w := chat.New(poolOf(t, tool(t, "notes.add", "", anyObject), tool(t, "notes_add", "", anyObject), tool(t, "Zürich", "", anyObject), tool(t, long, "", anyObject)), chat.Config{})
	sent := map[string]bool{}
	for i, d := range definitions(t, w) {
		name := []string{"Zürich", "notes.add", "notes_add", long}[i]
		require.Regexp(t, apiName, d.Function.Name)
		require.False(t, sent[d.Function.Name])
		sent[d.Function.Name] = true
		require.Equal(t, w.Name(name), d.Function.Name)
		m, err := w.Read(strings.NewReader(stream(calling(piece(0, "a", d.Function.Name, "{}")), because("tool_calls")))).Message()
		require.NoError(t, err)
		require.Equal(t, []string{"a " + name + " {}"}, written(m.Calls))
		require.Contains(t, string(only(m.History)), quote(d.Function.Name))
		require.Equal(t, []string{name}, w.Loaded([]json.RawMessage{only(m.History)}))
	}
}

// TestStrictNulls leaves out of the input what strict mode makes the model write,
// and sends it back.
func TestStrictNulls(t *testing.T) {
	t.Parallel()
	const wrote = `{"city": "Paris", "days":null}`
	body := stream(calling(piece(0, "a", "forecast", wrote), piece(1, "b", "plain", wrote)), because("tool_calls"))
	p := poolOf(t, toolOf(t, pegboard.Info{Name: "forecast", Strict: true}, "", city), tool(t, "plain", "", city))
	m, err := chat.New(p, chat.Config{}).Read(strings.NewReader(body)).Message()
	require.NoError(t, err)
	require.JSONEq(t, `{"city":"Paris"}`, string(m.Calls[0].Input))
	require.Equal(t, wrote, string(m.Calls[1].Input), "a tool that is not strict")
	require.Equal(t, 2, strings.Count(string(only(m.History)), strings.ReplaceAll(wrote, `"`, `\"`)))
	executor := pegboard.Executor{Repair: pegboard.Repair{NoScalars: true}} // or null would be repaired
	outcomes := executor.Run(context.Background(), p, m.Calls...)
	require.NotErrorIs(t, outcomes[0].Err, pegboard.ErrInvalidInput)
	require.ErrorIs(t, outcomes[1].Err, pegboard.ErrInvalidInput)
}

func TestChoice(t *testing.T) {
	t.Parallel()
	w := chat.New(poolOf(t, tool(t, "a", "", anyObject), tool(t, "b c", "", anyObject)), chat.Config{})
	function := func(name string) string { return `{"type":"function","function":{"name":` + quote(name) + `}}` }
	tests := []struct {
		name   string
		choice wire.Choice
		want   string
	}{
		{name: "zero", want: `{}`},
		{name: "required", choice: wire.Choice{Mode: wire.Required}, want: `{"tool_choice":"required"}`},
		{name: "none", choice: wire.Choice{Mode: wire.None, Tools: []string{"a"}}, want: `{"tool_choice":"none"}`},
		{name: "one", choice: wire.Choice{Mode: wire.One, Tool: "b c"}, want: `{"tool_choice":` + function(w.Name("b c")) + `}`},
		{name: "some", choice: wire.Choice{Tools: []string{"b c", "a"}},
			want: `{"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[` + function(w.Name("b c")) + `,` + function("a") + `]}}}`},
		{name: "one of some", choice: wire.Choice{Mode: wire.Required, Tools: []string{"a"}, Sequential: true},
			want: `{"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[` + function("a") + `]}},"parallel_tool_calls":false}`},
		{name: "sequential", choice: wire.Choice{Sequential: true}, want: `{"parallel_tool_calls":false}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, string(w.Choice(tt.choice)))
		})
	}
}

// TestInvariant7 attaches and detaches at random: the bytes of the built-in tools
// never change, and the same tools are the same bytes.
func TestInvariant7(t *testing.T) {
	t.Parallel()
	var builtins []pegboard.Tool
	for _, name := range []string{"read", "write it", "Zürich"} {
		builtins = append(builtins, toolOf(t, pegboard.Info{Name: name, Strict: name == "read"}, "", city))
	}
	alone := string(chat.New(poolOf(t, builtins...), chat.Config{}).Tools())
	for seed := range effort.Of(t, uint64(100)) {
		random := rand.New(rand.NewPCG(7, seed))
		var r pegboard.Registry
		require.NoError(t, r.Add(builtins...))
		s := session(t)
		seen := map[string]string{}
		attached := map[string]bool{}
		for range 10 {
			source := fmt.Sprintf("s%d", random.IntN(3))
			if attached[source] {
				r.Detach(source)
			} else {
				r.Detach(source) // which need not be there
				_, err := r.Attach(source, tool(t, "write it", "", anyObject), tool(t, "x", "", city))
				require.NoError(t, err)
			}
			attached[source] = !attached[source]
			tools := string(chat.New(r.AssemblePool(s, pegboard.PoolConfig{}), chat.Config{}).Tools())
			require.True(t, strings.HasPrefix(tools, strings.TrimSuffix(alone, "]")), "seed %d", seed)
			if before, ok := seen[fmt.Sprint(attached)]; ok {
				require.Equal(t, before, tools)
			}
			seen[fmt.Sprint(attached)] = tools
		}
	}
}
