package pegboard_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/policy"
)

type definitionRow struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Server      string          `json:"server"`
}

// TestSchemas takes real definitions through BuildRaw and Attach, and real calls through
// an Executor. A call runs if its row says that it is valid; else it is answered as
// invalid input.
func TestSchemas(t *testing.T) {
	for _, folder := range corpus.Folders(t, "mcp-schemas", "bfcl") {
		registered, quarantined := attachAll(t, filepath.Join(folder, "mcp-schemas", "tools.jsonl"))
		corpus.Report(t, folder, "mcp-schemas: %d definitions offered, %d quarantined", registered, quarantined)

		pool := functions(t, filepath.Join(folder, "bfcl", "functions.jsonl"))
		for _, file := range []string{"calls.jsonl", "calls_mutated.jsonl"} {
			valid, invalid := verdicts(t, pool, filepath.Join(folder, "bfcl", file))
			corpus.Report(t, folder, "bfcl/%s: %d definitions; %d valid calls ran, %d invalid ones did not", file, pool.Len(), valid, invalid)
		}
	}
}

// attachAll attaches every definition from its own server and counts the tools that a
// pool then offers.
func attachAll(t *testing.T, path string) (offered, quarantined int) {
	t.Helper()
	var reg pegboard.Registry
	servers := map[string][]pegboard.Tool{}
	rows := 0
	for _, line := range corpus.Lines(t, path) {
		var row definitionRow
		require.NoError(t, json.Unmarshal(line, &row))
		rows++
		// Rows of one server repeat a name with another description; each counts.
		name := fmt.Sprintf("%s#%d", row.Name, rows)
		tool, err := pegboard.BuildRaw(row.Parameters, pegboard.Definition[json.RawMessage, *pegboard.Result]{
			Info: pegboard.Info{Name: name}, Description: row.Description, Call: nothing,
		})
		if err != nil {
			var be *pegboard.BuildError
			require.ErrorAs(t, err, &be)
			require.Equal(t, "input schema", be.Field)
			tool = pegboard.InvalidTool(name, err)
		}
		servers[row.Server] = append(servers[row.Server], tool)
	}
	for server, tools := range servers {
		report, err := reg.Attach(server, tools...)
		require.NoError(t, err)
		for name, err := range report.Quarantined {
			quarantined++
			t.Logf("quarantined %s: %v", name, err)
		}
	}
	pool := reg.AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
	require.Equal(t, rows, pool.Len()+quarantined, "every definition is offered or quarantined")
	return pool.Len(), quarantined
}

func nothing(ctx, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) { return nil, nil }

// functions registers every definition under its id.
func functions(t *testing.T, path string) *pegboard.Pool {
	t.Helper()
	var tools []pegboard.Tool
	for _, line := range corpus.Lines(t, path) {
		var row definitionRow
		require.NoError(t, json.Unmarshal(line, &row))
		tool, err := pegboard.BuildRaw(row.Parameters, pegboard.Definition[json.RawMessage, *pegboard.Result]{
			Info: pegboard.Info{Name: row.ID}, Description: row.Description,
			Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared}, Call: nothing,
		})
		require.NoError(t, err, row.Name)
		tools = append(tools, tool)
	}
	var reg pegboard.Registry
	require.NoError(t, reg.Add(tools...))
	return reg.AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
}

// verdicts runs every call and compares the outcome with the row. With the repairs that are
// on by default, an invalid call may run too, and its outcome then lists what was repaired.
func verdicts(t *testing.T, pool *pegboard.Pool, path string) (valid, invalid int) {
	t.Helper()
	strict := executor(pegboard.Executor{Repair: pegboard.Repair{NoScalars: true}})
	repairing := executor(pegboard.Executor{})
	for n, line := range corpus.Lines(t, path) {
		var row struct {
			Arguments  json.RawMessage `json:"arguments"`
			FunctionID string          `json:"function_id"`
			Valid      bool            `json:"valid"`
			Error      string          `json:"error"`
		}
		require.NoError(t, json.Unmarshal(line, &row))
		call := pegboard.Call{Name: row.FunctionID, Input: row.Arguments}
		out, repaired := strict.Run(t.Context(), pool, call)[0], repairing.Run(t.Context(), pool, call)[0]
		if row.Valid {
			valid++
			require.NoError(t, out.Err, "%s:%d", path, n)
			require.Empty(t, repaired.Repairs, "%s:%d", path, n)
			continue
		}
		require.Equal(t, repaired.Err == nil, len(repaired.Repairs) > 0, "%s:%d: %v", path, n, repaired.Err)
		invalid++
		require.ErrorIsf(t, out.Err, pegboard.ErrInvalidInput, "%s:%d ran although: %s", path, n, row.Error)
		require.NotContains(t, out.Result.Text(), "mem://")
	}
	return valid, invalid
}

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

// echoing returns a definition of a tool that returns its input.
func echoing[In any]() pegboard.Definition[In, In] {
	return pegboard.Definition[In, In]{
		Info: pegboard.Info{Name: "T"}, Description: "Does it.",
		Call: func(_ ctx, in In, _ *pegboard.Call) (In, error) { return in, nil },
	}
}

// refusal returns the field and the text of the error of a Build.
func refusal[In, Out any](t *testing.T, d pegboard.Definition[In, Out]) string {
	t.Helper()
	tool, err := pegboard.TryBuild(d)
	var wrong *pegboard.BuildError
	require.ErrorAs(t, err, &wrong)
	require.Nil(t, tool)
	return err.Error()
}

func TestTagsWithoutAMeaningAreBuildErrors(t *testing.T) {
	t.Parallel()
	type comma struct {
		Path string `json:"path" jsonschema:"description=Where to look, or nothing"`
	}
	type number struct {
		Size int `json:"size" jsonschema:"minimum=abc"`
	}
	type other struct {
		Path string `json:"path" description:"Where."`
	}
	require.Contains(t, refusal(t, echoing[comma]()), `T: In: comma.Path: the tag jsonschema: " or nothing" is no keyword; a comma inside a text is written \\,`)
	require.Contains(t, refusal(t, echoing[number]()), `T: In: number.Size: the tag jsonschema: minimum=abc wants a number: minimum=1`)
	require.Contains(t, refusal(t, echoing[other]()), `write jsonschema_description:"Where."`)
}

// TestDefaultThatTheModelReadsIsWhatTheToolGets also covers Validate and the other stages,
// which get the same input.
func TestDefaultThatTheModelReadsIsWhatTheToolGets(t *testing.T) {
	t.Parallel()
	type input struct {
		Limit int    `json:"limit" jsonschema:"default=5,maximum=9"`
		Name  string `json:"name,omitempty"`
	}
	d := echoing[input]()
	d.Inspect = func(in input, _ *pegboard.Call) pegboard.Traits {
		return pegboard.Traits{ReadOnly: in.Limit > 0, Concurrency: pegboard.Shared}
	}
	tool := pegboard.Build(d)
	declared, _ := tool.Declare(pegboard.Scope{})
	require.Contains(t, string(declared.InputSchema), `"limit":{"type":"integer","maximum":9,"default":5}`)
	require.NotContains(t, string(declared.InputSchema), "required")
	pool := registryOf(t, tool).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{})
	for _, tt := range []struct{ input, want string }{
		{input: ``, want: `{"limit":5}`},
		{input: `{"name":"a"}`, want: `{"limit":5,"name":"a"}`},
		{input: `{"limit":0}`, want: `{"limit":0}`},
		{input: `{"limit":9,"name":""}`, want: `{"limit":9}`},
	} {
		out := ex.Run(t.Context(), pool, pegboard.Call{ID: "1", Name: "T", Input: json.RawMessage(tt.input)})[0]
		require.Equal(t, tt.want, out.Result.Text(), tt.input)
		require.Equal(t, tt.input, string(out.Call.Input), "the model's bytes stay")
	}
}

func TestOutputsThatJSONCannotEncodeAreBuildErrors(t *testing.T) {
	t.Parallel()
	type output struct{ Lines chan string }
	d := pegboard.Definition[struct{}, output]{
		Info: pegboard.Info{Name: "T"}, Description: "Does it.",
		Call: func(ctx, struct{}, *pegboard.Call) (output, error) { return output{}, nil },
	}
	require.Equal(t, `T: Out: output.Lines: a chan string has no JSON form; leave it out with the tag json:"-", or set Result`, refusal(t, d))
	d.Result = func(output) *pegboard.Result { return pegboard.TextResult("done") }
	pegboard.Build(d)

	require.Contains(t, refusal(t, pegboard.Definition[struct{}, pegboard.Result]{
		Info: pegboard.Info{Name: "T"}, Description: "Does it.",
		Call: func(ctx, struct{}, *pegboard.Call) (pegboard.Result, error) { return pegboard.Result{}, nil },
	}), "T: Out: Result.UpdateSession: a func(*pegboard.Session) has no JSON form")
}

// TestDenyRuleOnAParameterCoversItsDefault: a call that leaves the parameter out runs with
// the default.
func TestDenyRuleOnAParameterCoversItsDefault(t *testing.T) {
	t.Parallel()
	type input struct {
		Mode string `json:"mode" jsonschema:"enum=safe,enum=danger,default=danger"`
	}
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"T"}, Deny: []string{"T(mode:danger)"}})
	require.NoError(t, err)
	pool := registryOf(t, pegboard.Build(echoing[input]())).AssemblePool(session(t, pegboard.SessionConfig{Permissions: perms}), pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{})
	for _, in := range []string{``, `{}`, `{"mode":"danger"}`} {
		require.ErrorIs(t, ex.Run(t.Context(), pool, call("1", "T", in))[0].Err, pegboard.ErrDenied, in)
	}
	require.NoError(t, ex.Run(t.Context(), pool, call("2", "T", `{"mode":"safe"}`))[0].Err)
}

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

func TestResultFuncKeepsTheTypedOutputForTheHost(t *testing.T) {
	t.Parallel()
	type output struct{ N int }
	shared := pegboard.TextResult("done")
	tests := []struct {
		name   string
		result func(output) *pegboard.Result
		want   any
	}{
		{name: "default", want: output{N: 1}},
		{name: "text", result: func(output) *pegboard.Result { return pegboard.TextResult("one") }, want: output{N: 1}},
		{name: "data of its own", result: func(output) *pegboard.Result {
			return &pegboard.Result{Parts: pegboard.TextResult("one").Parts, Data: "own"}
		}, want: "own"},
		{name: "a result that is returned again", result: func(output) *pegboard.Result { return shared }, want: output{N: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, err := range []error{nil, errors.New("partly")} {
				d := pegboard.Definition[struct{}, output]{
					Info: pegboard.Info{Name: "T"}, Description: "Does it.", Result: tt.result,
					Call: func(ctx, struct{}, *pegboard.Call) (output, error) { return output{N: 1}, err },
				}
				pool := registryOf(t, pegboard.Build(d)).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
				ex := executor(pegboard.Executor{})
				out := ex.Run(t.Context(), pool, call("1", "T", `{}`))[0]
				require.Equal(t, tt.want, out.Result.Data)
			}
		})
	}
	require.Nil(t, shared.Data)
}

// TestUndeclaredPropertiesAreAccepted although no model is shown them.
func TestUndeclaredPropertiesAreAccepted(t *testing.T) {
	t.Parallel()
	type input struct {
		Word  string   `json:"word"`
		Words []string `json:"words,omitempty"`
		Token string   `json:"token,omitempty"`
	}
	define := func(undeclared ...string) (pegboard.Tool, error) {
		return pegboard.TryBuild(pegboard.Definition[input, string]{
			Info: pegboard.Info{Name: "T"}, Description: "Looks.", Traits: looksOnly, Undeclared: undeclared,
			Bound: map[string]pegboard.Binding{"token": func(*pegboard.Session) (any, error) { return "secret", nil }},
			Call: func(_ ctx, in input, _ *pegboard.Call) (string, error) {
				return fmt.Sprint(in.Word, in.Words, in.Token), nil
			},
		})
	}
	tool, err := define("words")
	require.NoError(t, err)
	d, ok := tool.Declare(pegboard.Scope{})
	require.True(t, ok)
	require.JSONEq(t, `{"type":"object","properties":{"word":{"type":"string"}},"required":["word"],"additionalProperties":false}`, string(d.InputSchema))
	reg, s := registryOf(t, tool), session(t, bypass(t))
	require.Equal(t, "a[b c]secret", run(t, reg, s, call("1", "T", `{"word":"a","words":["b","c"]}`)).Result.Text())
	require.ErrorIs(t, run(t, reg, s, call("2", "T", `{"word":"a","words":"b,c"}`)).Err, pegboard.ErrInvalidInput)
	_, err = define("none")
	var wrong *pegboard.BuildError
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, "Undeclared", wrong.Field)
}
