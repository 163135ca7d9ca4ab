package pegboard_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func TestExamplesAreInputsThatTheSchemaTakes(t *testing.T) {
	t.Parallel()
	type in struct {
		Size int `json:"size" jsonschema:"minimum=1"`
	}
	build := func(examples ...in) (pegboard.Tool, error) {
		return pegboard.TryBuild(pegboard.Definition[in, string]{
			Info: pegboard.Info{Name: "T", Strict: true, Loading: pegboard.LoadOnSearch}, Description: "For a test.", Examples: examples,
			Call: func(ctx, in, *pegboard.Call) (string, error) { return "", nil },
		})
	}
	tool, err := build(in{Size: 1}, in{Size: 2})
	require.NoError(t, err)
	var reg pegboard.Registry
	require.NoError(t, reg.Add(tool))
	for d := range reg.AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}}).Declarations(pegboard.Builtin) {
		require.Equal(t, []json.RawMessage{json.RawMessage(`{"size":1}`), json.RawMessage(`{"size":2}`)}, d.Examples)
		require.True(t, d.Strict)
		require.True(t, d.Deferred)
		form := func(d pegboard.Declaration) []byte { return append([]byte("form of "), d.Examples[0]...) }
		require.Equal(t, `form of {"size":1}`, string(d.Encoded("test", form)))
		d.Examples = d.Examples[1:] // as a wrapper might
		require.Equal(t, `form of {"size":2}`, string(d.Encoded("test", form)))
	}
	_, err = build(in{Size: 1}, in{})
	var wrong *pegboard.BuildError
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, "Examples[1]", wrong.Field)
	require.ErrorIs(t, err, pegboard.ErrInvalidInput)
}

func TestRawExamples(t *testing.T) {
	t.Parallel()
	schema := json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`)
	build := func(example string) error {
		_, err := pegboard.BuildRaw(schema, pegboard.Definition[json.RawMessage, *pegboard.Result]{
			Info: pegboard.Info{Name: "T"}, Description: "For a test.", Examples: []json.RawMessage{json.RawMessage(example)},
			Call: func(ctx, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) { return nil, nil },
		})
		return err
	}
	require.NoError(t, build(`{"a":"b"}`))
	require.Error(t, build(`{"a":1}`))
	require.Error(t, build(`{`))
}
