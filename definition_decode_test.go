package pegboard_test

import (
	"errors"
	"testing"

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
		{name: "base64", input: `{"sizes":[],"bytes":"a%%"}`, want: "a text is not valid base64; encode it again"},
		{name: "a type of its own", input: `{"sizes":[],"port":0}`, want: "no port has the number 0"},
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
