package function_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/openai/internal/function"
)

// TestDeclaration says of each tool whether it goes, in which form, and what the
// model makes of that.
func TestDeclaration(t *testing.T) {
	t.Parallel()
	const optional = `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`
	tests := []struct {
		name   string
		schema string
		strict bool
		says   string // as JSON, empty if it cannot be sent
		nulls  bool
	}{
		{name: "plain", schema: optional, says: "false"},
		{name: "strict", schema: optional, strict: true, says: "true", nulls: true},
		{name: "no strict form", schema: `{"type":"object","additionalProperties":{"type":"string"}}`, strict: true, says: "false"},
		{name: "no form at all", schema: `{"type":"string"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			pool := poolOf(t, pegboard.Info{Name: "a", Strict: tt.strict}, tt.schema)
			for d := range pool.Declarations(pegboard.Builtin) {
				require.Equal(t, tt.nulls, function.WritesNulls(d))
				form, err := function.Parameters(d)
				if tt.says == "" {
					require.Error(t, err)
					require.Equal(t, []wire.Problem{function.Refused(d)}, wire.Lint(pool, wire.OpenAIChat))
					continue
				}
				require.NoError(t, err)
				require.Equal(t, tt.says, string(function.Strict(form)))
			}
		})
	}
}

func poolOf(t *testing.T, info pegboard.Info, schema string) *pegboard.Pool {
	t.Helper()
	tool, err := pegboard.BuildRaw(json.RawMessage(`{"type":"object"}`), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: info,
		Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) { return nil, nil },
	})
	require.NoError(t, err)
	var r pegboard.Registry
	require.NoError(t, r.Add(declared{tool, schema}))
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	require.NoError(t, err)
	return r.AssemblePool(s, pegboard.PoolConfig{})
}

// declared is a tool with another schema, which need not be that of an object.
type declared struct {
	pegboard.Tool
	schema string
}

func (d declared) Declare(s pegboard.Scope) (pegboard.Declaration, bool) {
	decl, ok := d.Tool.Declare(s)
	decl.InputSchema = json.RawMessage(d.schema)
	return decl, ok
}
