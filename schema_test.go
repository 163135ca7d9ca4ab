package pegboard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

type weather struct {
	Degrees float64 `json:"degrees" jsonschema:"description=In Celsius"`
	Notes   []string
}

const weatherSchema = `{"type":"object","properties":{"degrees":{"type":"number"}},"required":["degrees"]}`

// rawReporting returns a tool with this output schema whose results have this data.
func rawReporting(t testing.TB, schema string, data any) pegboard.Tool {
	t.Helper()
	tool, err := pegboard.BuildRaw(json.RawMessage(`{"type":"object"}`), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: pegboard.Info{Name: "T"}, Description: "Reports.", OutputSchema: json.RawMessage(schema),
		Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
			return &pegboard.Result{Parts: []pegboard.Part{{Text: "it is warm"}}, Data: data}, nil
		},
	})
	require.NoError(t, err)
	return tool
}

// reporting returns a tool with this output.
func reporting[Out any](out Out, words func(Out) *pegboard.Result) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, Out]{
		Info: pegboard.Info{Name: "T"}, Description: "Reports.", Result: words,
		Call: func(context.Context, struct{}, *pegboard.Call) (Out, error) { return out, nil },
	})
}

// TestOutputSchemaIsDeclared for outputs that are JSON objects.
func TestOutputSchemaIsDeclared(t *testing.T) {
	t.Parallel()
	words := func(weather) *pegboard.Result { return pegboard.TextResult("warm") }
	const derived = `{"type":"object","properties":{"degrees":{"type":"number","description":"In Celsius"},"Notes":{"type":["array","null"],"items":{"type":"string"}}},"required":["degrees","Notes"],"additionalProperties":false}`
	for _, tt := range []struct {
		name  string
		tool  pegboard.Tool
		want  string
		shown bool
	}{
		{name: "struct", tool: reporting(weather{}, nil), want: derived, shown: true},
		{name: "pointer", tool: reporting(&weather{}, nil), want: derived, shown: true},
		{name: "in other words", tool: reporting(weather{}, words), want: derived},
		{name: "map", tool: reporting(map[string]int{}, nil), want: `{"type":"object","additionalProperties":{"type":"integer"}}`, shown: true},
		{name: "given", tool: rawReporting(t, ` {"required":["degrees"],"type":"object"}`, nil), want: `{"required":["degrees"],"type":"object"}`, shown: true},
		{name: "text", tool: reporting("", nil)},
		{name: "list", tool: reporting([]weather{}, nil)},
		{name: "any", tool: reporting[any](nil, nil)},
		{name: "result", tool: reporting(pegboard.TextResult(""), nil)},
		{name: "raw", tool: rawReporting(t, "", nil)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, ok := tt.tool.Declare(pegboard.Scope{})
			require.True(t, ok)
			require.Equal(t, tt.want, string(d.OutputSchema))
			if tt.want != "" {
				require.Equal(t, tt.shown, d.OutputShown)
			}
		})
	}
}

// wrapped is a tool that answers with other data.
type wrapped struct {
	pegboard.Tool
	result *pegboard.Result
	err    error
}

func (w wrapped) Call(context.Context, *pegboard.Call) (*pegboard.Result, error) {
	return w.result, w.err
}

// TestOutputIsHeldAgainstItsSchema. What it refuses is reported and shown all the same.
func TestOutputIsHeldAgainstItsSchema(t *testing.T) {
	t.Parallel()
	result := func(data any) *pegboard.Result {
		return &pegboard.Result{Parts: []pegboard.Part{{Text: "it is warm"}}, Data: data}
	}
	failed := result(3)
	failed.IsError = true
	for _, tt := range []struct {
		name string
		tool pegboard.Tool
		want string // "" if it fits
	}{
		{name: "raw JSON", tool: rawReporting(t, weatherSchema, json.RawMessage(`{"degrees":20}`))},
		{name: "map", tool: rawReporting(t, weatherSchema, map[string]any{"degrees": 20})},
		{name: "without data", tool: rawReporting(t, weatherSchema, nil), want: "the result has no data"},
		{name: "missing", tool: rawReporting(t, weatherSchema, map[string]any{}), want: `missing required property "degrees"`},
		{name: "wrong type", tool: rawReporting(t, weatherSchema, json.RawMessage(`{"degrees":"20"}`)), want: "degrees"},
		{name: "twice", tool: rawReporting(t, weatherSchema, json.RawMessage(`{"degrees":20,"degrees":"20"}`)), want: "twice"},
		{name: "no JSON", tool: rawReporting(t, weatherSchema, json.RawMessage(`{`)), want: "encode the data"},
		{name: "not encodable", tool: rawReporting(t, weatherSchema, func() {}), want: "encode the data"},
		{name: "panics when encoded", tool: rawReporting(t, weatherSchema, panicking{}), want: "encode the data"},
		{name: "a list", tool: rawReporting(t, `{"type":"array"}`, []int{1})},
		{name: "no list", tool: rawReporting(t, `{"type":"array"}`, 1), want: "array"},
		{name: "of no schema", tool: rawReporting(t, "", 1)},

		{name: "typed", tool: reporting(weather{}, nil)},
		{name: "typed, nil", tool: reporting[*weather](nil, nil)},
		{name: "typed, nil map", tool: reporting[map[string]int](nil, nil)},
		{name: "typed, other data", tool: reporting(weather{}, func(weather) *pegboard.Result { return result(map[string]any{"degrees": "hot"}) }), want: "degrees"},
		{name: "typed, the same as other data", tool: reporting(weather{}, func(weather) *pegboard.Result { return result(json.RawMessage(`{"degrees":1,"Notes":null}`)) })},
		{name: "wrapped", tool: wrapped{Tool: reporting(weather{}, nil), result: result(7)}, want: "object"},
		{name: "wrapped, without data", tool: wrapped{Tool: reporting(weather{}, nil), result: result(nil)}},
		{name: "wrapped, no result", tool: wrapped{Tool: reporting(weather{}, nil)}},
		{name: "failed", tool: wrapped{Tool: rawReporting(t, weatherSchema, nil), result: failed}},
		{name: "in part", tool: wrapped{Tool: rawReporting(t, weatherSchema, nil), result: result(3), err: errors.New("half")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			ex := executor(pegboard.Executor{Logger: slog.New(slog.NewTextHandler(&log, nil))})
			o := ex.Run(t.Context(), registryOf(t, tt.tool).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), call("1", "T", `{}`))[0]
			if tt.want == "" {
				require.NoError(t, o.OutputErr)
				require.Empty(t, log.String())
				return
			}
			require.NoError(t, o.Err)
			require.False(t, o.Result.IsError)
			require.ErrorIs(t, o.OutputErr, pegboard.ErrInvalidOutput)
			require.ErrorContains(t, o.OutputErr, tt.want)
			var of *pegboard.CallError
			require.ErrorAs(t, o.OutputErr, &of)
			require.Equal(t, [3]string{"T", "1", string(pegboard.StageResult)}, [3]string{of.Tool, of.CallID, string(of.Stage)})
			require.Contains(t, log.String(), "output does not fit the tool's schema")
			require.NotContains(t, log.String(), "degrees", "the log has no data")
		})
	}
}

type panicking struct{}

func (panicking) MarshalJSON() ([]byte, error) { panic("no JSON") }

// TestPostHookSeesAnOutputThatDoesNotFit, and can withhold it.
func TestPostHookSeesAnOutputThatDoesNotFit(t *testing.T) {
	t.Parallel()
	cfg := bypass(t)
	cfg.Hooks.Post = func(_ context.Context, h *pegboard.HookCall) error {
		if h.Outcome.OutputErr != nil {
			h.Outcome.Result = &pegboard.Result{Parts: []pegboard.Part{{Text: "withheld"}}, IsError: true}
		}
		return nil
	}
	o := run(t, registryOf(t, rawReporting(t, weatherSchema, 1)), session(t, cfg), call("1", "T", `{}`))
	require.Equal(t, "withheld", o.Result.Text())
	require.ErrorIs(t, o.OutputErr, pegboard.ErrInvalidOutput)
}

// TestOutputSchemaThatIsNone is refused where the tool is built.
func TestOutputSchemaThatIsNone(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{`[]`, `{`, `{"type":"nothing"}`, `{"$ref":"http://example.com/x"}`} {
		_, err := pegboard.BuildRaw(json.RawMessage(`{"type":"object"}`), pegboard.Definition[json.RawMessage, *pegboard.Result]{
			Info: pegboard.Info{Name: "T"}, Description: "Reports.", OutputSchema: json.RawMessage(schema),
			Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) { return nil, nil },
		})
		var of *pegboard.BuildError
		require.ErrorAs(t, err, &of, schema)
		require.Equal(t, "OutputSchema", of.Field, schema)
	}
}

// redeclaredOutput is a tool that declares another output schema.
type redeclaredOutput struct{ pegboard.Tool }

func (r redeclaredOutput) Declare(s pegboard.Scope) (pegboard.Declaration, bool) {
	d, ok := r.Tool.Declare(s)
	d.OutputSchema = json.RawMessage(`{"type":"object"}`)
	return d, ok
}

// TestEncodedFormIsOfTheDeclaredOutputSchema, not that of the tool under a wrapper.
func TestEncodedFormIsOfTheDeclaredOutputSchema(t *testing.T) {
	t.Parallel()
	encode := func(d pegboard.Declaration) []byte { return d.OutputSchema }
	inner := reporting(weather{}, nil)
	for _, tool := range []pegboard.Tool{inner, redeclaredOutput{inner}, inner} {
		d, _ := tool.Declare(pegboard.Scope{})
		require.Equal(t, string(d.OutputSchema), string(d.Encoded("test", encode)))
	}
}
