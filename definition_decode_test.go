package pegboard_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// port refuses a number in its own words.
type port int

func (p *port) UnmarshalJSON(text []byte) error {
	if string(text) == "0" {
		return errors.New("no port has the number 0")
	}
	return nil
}

func TestDurationIsATextForTheModel(t *testing.T) {
	t.Parallel()
	type input struct {
		Wait time.Duration `json:"wait" jsonschema_description:"How long to wait"`
	}
	d := pegboard.Definition[input, string]{
		Info: pegboard.Info{Name: "T"}, Description: "Does it.", Examples: []input{{Wait: 90 * time.Second}},
		Call: func(_ ctx, in input, _ *pegboard.Call) (string, error) { return in.Wait.String(), nil },
	}
	tool := pegboard.Build(d)
	declared, _ := tool.Declare(pegboard.Scope{})
	require.Contains(t, string(declared.InputSchema), `"wait":{"type":"string","description":"How long to wait (a duration such as \"90s\" or \"1m30s\")"}`)
	require.Equal(t, `{"wait":"1m30s"}`, string(declared.Examples[0]))
	pool := registryOf(t, tool).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{})
	require.Equal(t, "1h30m0s", ex.Run(t.Context(), pool, call("1", "T", `{"wait":"1.5h"}`))[0].Result.Text())
	out := ex.Run(t.Context(), pool, call("2", "T", `{"wait":"90"}`))[0]
	require.ErrorIs(t, out.Err, pegboard.ErrInvalidInput)
	require.Contains(t, out.Result.Text(), `wait: "90" is no duration; write a number with its unit, such as "90s" or "1m30s"`)
	require.Contains(t, ex.Run(t.Context(), pool, call("3", "T", `{"wait":90}`))[0].Result.Text(), "wait: got number 90, want string")
}

// TestInputThatFitsTheSchemaAndNotTheType: the words are the same with every release of
// Go, though encoding/json words it anew in each.
func TestInputThatFitsTheSchemaAndNotTheType(t *testing.T) {
	t.Parallel()
	type part struct {
		Sizes []int8 `json:"sizes"`
	}
	type input struct {
		part
		Parts []part          `json:"parts,omitempty"`
		Small int8            `json:"small,omitempty"`
		Ratio float32         `json:"ratio,omitempty"`
		Rooms map[string]int8 `json:"rooms,omitempty"`
		Bytes []byte          `json:"bytes,omitempty"`
		Port  port            `json:"port,omitempty"`
	}
	tool := pegboard.Build(pegboard.Definition[input, string]{
		Info: pegboard.Info{Name: "T"}, Description: "Does it.",
		Call: func(ctx, input, *pegboard.Call) (string, error) { return "done", nil },
	})
	pool := registryOf(t, tool).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	const fitting = `; send a smaller or plainer value`
	for _, tt := range []struct{ name, input, want string }{
		{name: "it fits", input: `{"sizes":[127],"small":1,"bytes":"YQ=="}`, want: "done"},
		{name: "a number", input: `{"sizes":[],"small":300}`, want: "small: number 300 does not fit into int8" + fitting},
		{name: "of an embedded struct", input: `{"sizes":[1,-129]}`, want: "sizes[1]: number -129 does not fit into int8" + fitting},
		{name: "in a list", input: `{"sizes":[],"parts":[{"sizes":[]},{"sizes":[1,2,300]}]}`, want: "parts[1].sizes[2]: number 300 does not fit into int8" + fitting},
		{name: "in a map", input: `{"sizes":[],"rooms":{"a b":128}}`, want: `rooms["a b"]: number 128 does not fit into int8` + fitting},
		{name: "a number with a point", input: `{"sizes":[],"ratio":1e39}`, want: "ratio: number 1e39 does not fit into float32" + fitting},
		{name: "base64", input: `{"sizes":[],"bytes":"a%%"}`, want: "bytes: a text is not valid base64; encode it again"},
		{name: "a type of its own", input: `{"sizes":[],"port":0}`, want: "port: no port has the number 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ex := executor(pegboard.Executor{})
			out := ex.Run(t.Context(), pool, call("1", "T", tt.input))[0]
			require.Contains(t, out.Result.Text(), tt.want)
			require.NotContains(t, out.Result.Text(), "json:")
		})
	}
}

// TestToolWithAPatternThatGoLacksIsOffered has the e-mail field of an MCP server that is
// written with zod 4.
func TestToolWithAPatternThatGoLacksIsOffered(t *testing.T) {
	t.Parallel()
	const raw = `{"type":"object","properties":{"to":{"type":"string","format":"email",` +
		`"pattern":"^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$"}},"required":["to"]}`
	tool, err := pegboard.BuildRaw(json.RawMessage(raw), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: pegboard.Info{Name: "send"}, Description: "Sends it.",
		Call: func(_ ctx, in json.RawMessage, _ *pegboard.Call) (*pegboard.Result, error) {
			return pegboard.TextResult("sent"), nil
		},
	})
	require.NoError(t, err)
	declared, _ := tool.Declare(pegboard.Scope{})
	require.JSONEq(t, raw, string(declared.InputSchema), "the model reads the pattern")
	pool := registryOf(t, tool).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{})
	require.Equal(t, "sent", ex.Run(t.Context(), pool, call("1", "send", `{"to":"a@b.co"}`))[0].Result.Text())
	out := ex.Run(t.Context(), pool, call("2", "send", `{"to":"a..b@c.de"}`))[0]
	require.ErrorIs(t, out.Err, pegboard.ErrInvalidInput)
	require.Contains(t, out.Result.Text(), `to: "a..b@c.de" does not match the pattern ^(?!`)
}
