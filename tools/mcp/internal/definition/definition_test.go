package definition_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/definition"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

const anyObject = `"inputSchema":{"type":"object"}`

// TestNamesAndTexts reads what the model and people are shown.
func TestNamesAndTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 2000)
	tests := []struct {
		name        string
		definition  string
		exposed     string
		raw         string
		title       string
		description string
	}{
		{name: "description", definition: `{"name":"get","description":" Gets. ","title":"Get it",` + anyObject + `}`, exposed: "mcp__srv__get", raw: "get", title: "Get it", description: "Gets."},
		{name: "title", definition: `{"name":"get","description":"\n","title":"Get it","annotations":{"title":"Other"},` + anyObject + `}`, exposed: "mcp__srv__get", raw: "get", title: "Get it", description: "Get it"},
		{name: "title of the annotations", definition: `{"name":"get","annotations":{"title":"Other"},` + anyObject + `}`, exposed: "mcp__srv__get", raw: "get", title: "Other", description: "Other"},
		{name: "name", definition: `{"name":"get","description":null,"title":3,"annotations":null,` + anyObject + `}`, exposed: "mcp__srv__get", raw: "get", description: "get"},
		{name: "a name that is folded", definition: `{"name":"files/get it",` + anyObject + `}`, exposed: "mcp__srv__files_get_it", raw: "files/get it", description: "files/get it"},
		{name: "a description that is cut", definition: `{"name":"get","description":"` + long + `",` + anyObject + `}`, exposed: "mcp__srv__get", raw: "get", description: long[:2044] + "…"},
		{name: "marks of the host", definition: `{"name":"get","description":"<system-reminder>\u001b\u202e","title":"<system>",` + anyObject + `}`, exposed: "mcp__srv__get", raw: "get", title: `\<system>`, description: `\<system-reminder>\x1b\u202e`},
		{name: "a name with a mark", definition: `{"name":"<system>",` + anyObject + `}`, exposed: "mcp__srv___system_", raw: "<system>", description: `\<system>`},
		{name: "broken texts", definition: "{\"name\":\"get\",\"description\":\"a\xffb\\ud800\",\"title\":\"\xff\"," + anyObject + `}`, exposed: "mcp__srv__get", raw: "get", title: "\ufffd", description: "a\ufffdb\ufffd"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tool, declared, err := attached(t, definition.Server{Name: "srv"}, tt.definition)
			require.NoError(t, err)
			require.Equal(t, tt.exposed, tool.Info().Name)
			require.Equal(t, pegboard.Origin{Source: "srv", Tool: tt.raw}, tool.Info().Origin)
			require.Equal(t, tt.title, tool.Info().Title)
			require.Equal(t, tt.description, declared.Description)
			require.LessOrEqual(t, len(declared.Description), 2048)
		})
	}
}

// TestUnusable reads definitions that become no tool.
func TestUnusable(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		definition string
		want       string
	}{
		{name: "nothing", definition: ``, want: "the definition is not a JSON object"},
		{name: "null", definition: `null`, want: "the definition is not a JSON object"},
		{name: "cut", definition: `{"name":"get"`, want: "the definition is not a JSON object"},
		{name: "no name", definition: `{` + anyObject + `}`, want: "the definition has no name"},
		{name: "a number as a name", definition: `{"name":1,` + anyObject + `}`, want: "the definition has no name"},
		{name: "an empty name", definition: `{"name":"",` + anyObject + `}`, want: "the definition has no name"},
		{name: "a long name", definition: `{"name":"` + strings.Repeat("n", 300) + `",` + anyObject + `}`, want: "the name has 300 bytes, at most 256 are accepted"},
		{name: "half a character in the name", definition: `{"name":"a\ud800",` + anyObject + `}`, want: "name: "},
		{name: "a control character in the name", definition: `{"name":"a\nb",` + anyObject + `}`, want: "holds a control character"},
		{name: "two names", definition: `{"name":"get","name":"put",` + anyObject + `}`, want: "the definition has a key twice"},
		{name: "two schemas", definition: `{"name":"get",` + anyObject + `,` + anyObject + `}`, want: "the definition has a key twice"},
		{name: "a hint twice", definition: `{"name":"get","annotations":{"readOnlyHint":false,"readOnlyHint":true},` + anyObject + `}`, want: "annotations: "},
		{name: "a mark twice", definition: `{"name":"get","_meta":{"ui":{"visibility":["app"],"visibility":["model"]}},` + anyObject + `}`, want: "_meta: "},
		{name: "no schema", definition: `{"name":"get"}`, want: "the definition has no inputSchema"},
		{name: "null as a schema", definition: `{"name":"get","inputSchema":null}`, want: "the definition has no inputSchema"},
		{name: "a boolean as a schema", definition: `{"name":"get","inputSchema":true}`, want: "want a JSON object"},
		{name: "a schema of a text", definition: `{"name":"get","inputSchema":{"type":"string"}}`, want: "a tool's input is an object"},
		{name: "a broken schema", definition: `{"name":"get","inputSchema":{"type":"object","properties":{"a":{"type":"nothing"}}}}`, want: "is not a valid JSON Schema"},
		{name: "a key of the schema twice", definition: `{"name":"get","inputSchema":{"type":"object","properties":{"a":{},"a":{}}}}`, want: "is not JSON"},
		{name: "a schema of 2 MiB", definition: `{"name":"get","inputSchema":{"type":"object","description":"` + strings.Repeat("x", 2<<20) + `"}}`, want: "is too large"},
		{name: "a deep schema", definition: `{"name":"get","inputSchema":{"type":"object","not":` + strings.Repeat(`{"not":`, 200) + `{}` + strings.Repeat(`}`, 200) + `}}`, want: "is too large"},
		{name: "a reference to a file", definition: `{"name":"get","inputSchema":{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}}`, want: "nothing is loaded"},
		{name: "a reference to an address", definition: `{"name":"get","inputSchema":{"type":"object","properties":{"a":{"$ref":"http://127.0.0.1:1/x"}}}}`, want: "nothing is loaded"},
		{name: "an endless reference", definition: `{"name":"get","inputSchema":{"allOf":[{"$ref":"#"}]}}`, want: "refers to itself without end"},
		{name: "alternatives without objects", definition: `{"name":"get","inputSchema":{"oneOf":[{"type":"string"},{"type":["number","null"]}]}}`, want: "accepts no object"},
		{name: "parts of which one is no object", definition: `{"name":"get","inputSchema":{"allOf":[{"type":"object"},{"anyOf":[{"type":"array"},{"$ref":"#/$defs/n"}]}],"$defs":{"n":{"type":"number"}}}}`, want: "accepts no object"},
		{name: "values without objects", definition: `{"name":"get","inputSchema":{"enum":["a",1]}}`, want: "accepts no object"},
		{name: "an escaped combinator", definition: `{"name":"get","inputSchema":{"\u0063onst":"a"}}`, want: "accepts no object"},
		{name: "a value that is no object", definition: `{"name":"get","inputSchema":{"const":"a"}}`, want: "accepts no object"},
		{name: "false as an alternative", definition: `{"name":"get","inputSchema":{"anyOf":[false]}}`, want: "accepts no object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := definition.Read(definition.Server{Name: "srv"}, json.RawMessage(tt.definition), nothing)
			require.Empty(t, d.Warnings)
			_, _, err := attached(t, definition.Server{Name: "srv"}, tt.definition)
			require.ErrorContains(t, err, tt.want)
			require.LessOrEqual(t, len(err.Error()), 1000)
			if strings.HasPrefix(tt.definition, `{"name":"get",`) {
				require.Equal(t, "get", d.Name)
				require.Equal(t, "get", d.Tool.Info().Name)
			}
		})
	}
}

// TestSchemas checks that the bytes of schemas stay, and that inputs are held against all of
// a schema.
func TestSchemas(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		schema  string
		valid   []string
		invalid []string
	}{
		{name: "exact numbers", schema: `{"type":"object","properties":{"n":{"type":"integer","maximum":9007199254740993,"multipleOf":1.0}}}`,
			valid: []string{`{"n":9007199254740993}`}, invalid: []string{`{"n":9007199254740994}`}},
		{name: "an older draft", schema: `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","definitions":{"a":{"type":"string"}},"properties":{"a":{"$ref":"#/definitions/a"}}}`,
			valid: []string{`{"a":"x"}`}, invalid: []string{`{"a":1}`}},
		{name: "no type", schema: `{"properties":{"a":{"type":"string"}}}`, valid: []string{`{}`}, invalid: []string{`{"a":1}`}},
		{name: "alternatives", schema: `{"type":"object","properties":{"url":{"type":"string"},"host":{"type":"string"},"port":{"type":"integer"}},"oneOf":[{"required":["url"]},{"required":["host","port"]}]}`,
			valid: []string{`{"url":"x"}`, `{"host":"x","port":1}`}, invalid: []string{`{}`, `{"host":"x"}`, `{"url":"x","host":"x","port":1}`}},
		{name: "alternatives of which one is no object", schema: `{"anyOf":[{"type":"string"},{"type":"object","required":["a"]}]}`, valid: []string{`{"a":1}`}, invalid: []string{`{}`}},
		{name: "parts", schema: `{"allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"$ref":"#/$defs/b"}],"$defs":{"b":{"properties":{"b":{"type":"integer"}}}}}`,
			valid: []string{`{"a":"x","b":1}`}, invalid: []string{`{"b":1}`, `{"a":"x","b":"x"}`}},
		{name: "a reference at the root", schema: `{"$ref":"#/$defs/in","$defs":{"in":{"type":"object","required":["a"]}}}`, valid: []string{`{"a":1}`}, invalid: []string{`{}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, declared, err := attached(t, definition.Server{Name: "srv"}, `{"name":"get","inputSchema":`+tt.schema+`}`)
			require.NoError(t, err)
			require.Equal(t, tt.schema, string(declared.InputSchema))
			for _, input := range tt.valid {
				require.NoError(t, call(t, tt.schema, input), input)
			}
			for _, input := range tt.invalid {
				require.ErrorIs(t, call(t, tt.schema, input), pegboard.ErrInvalidInput, input)
			}
		})
	}
}

// call makes a call of a tool with that schema.
func call(t *testing.T, schema, input string) error {
	t.Helper()
	return run(t, definition.Server{Name: "srv"}, `{"name":"get it","inputSchema":`+schema+`}`, input, nothing).Err
}

// TestRedefinition changes one part of a definition at a time. Rules for a tool do not count
// for one whose schema, description or hints have changed.
func TestRedefinition(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		after   string
		changed bool
	}{
		{name: "nothing", after: `{"name":"get","description":"d","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}}`},
		{name: "the order and the spelling", after: `{ "inputSchema": {"type":"object"}, "annotations": { "readOnlyHint" : true }, "name":"g\u0065t", "description":" d " }`},
		{name: "a hint", after: `{"name":"get","description":"d","annotations":{"readOnlyHint":false},"inputSchema":{"type":"object"}}`, changed: true},
		{name: "the description", after: `{"name":"get","description":"e","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}}`, changed: true},
		{name: "the schema", after: `{"name":"get","description":"d","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","minProperties":1}}`, changed: true},
		{name: "the schema of the output", after: `{"name":"get","description":"d","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}`, changed: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fingerprint := func(raw string) string {
				var registry pegboard.Registry
				_, err := registry.Attach("srv", definition.Read(definition.Server{Name: "srv"}, json.RawMessage(raw), nothing).Tool)
				require.NoError(t, err)
				return registry.Fingerprints()["srv"]["get"]
			}
			before := fingerprint(tests[0].after)
			require.NotEmpty(t, before)
			require.Equal(t, tt.changed, before != fingerprint(tt.after))
		})
	}
}

// TestTasksOnly reads a tool that can be called only in a way that this client does not know.
func TestTasksOnly(t *testing.T) {
	t.Parallel()
	for support, warnings := range map[string]int{`{"taskSupport":"required"}`: 1, `{"taskSupport":"optional"}`: 0, `{}`: 0, `null`: 0, `"required"`: 0} {
		d := definition.Read(definition.Server{Name: "srv"}, json.RawMessage(`{"name":"get","execution":`+support+`,`+anyObject+`}`), nothing)
		require.Len(t, d.Warnings, warnings, support)
	}
}

// TestCorpus reads the definitions of real servers. Each becomes a tool with its own schema
// or is quarantined.
func TestCorpus(t *testing.T) {
	for _, folder := range corpus.Folders(t, "mcp-schemas") {
		servers := map[string][]pegboard.Tool{}
		rows, combined := 0, 0
		for _, line := range corpus.Lines(t, filepath.Join(folder, "mcp-schemas", "tools.jsonl")) {
			row, err := jsonobject.Parse(line)
			require.NoError(t, err)
			name, _ := row.Text("name")
			server, _ := row.Text("server")
			entry := jsonobject.With("name", jsonobject.Quote(strings.SplitN(name, "__", 3)[2])).
				With("description", row.Get("description")).With("inputSchema", row.Get("parameters"))
			d := definition.Read(definition.Server{Name: server}, entry.Encode(), nothing)
			require.Empty(t, d.Warnings)
			if schema, err := jsonobject.Parse(row.Get("parameters")); err == nil && (schema.Get("oneOf") != nil || schema.Get("anyOf") != nil || schema.Get("allOf") != nil) {
				combined++
			}
			rows++
			servers[server] = append(servers[server], d.Tool)
		}
		var registry pegboard.Registry
		offered, quarantined := 0, 0
		for server, tools := range servers {
			report, err := registry.Attach(server, tools...)
			require.NoError(t, err)
			offered += len(report.Added)
			quarantined += len(tools) - len(report.Added)
			for name, reason := range report.Quarantined {
				t.Logf("quarantined %s of %s: %v", name, server, reason)
			}
		}
		require.Equal(t, rows, offered+quarantined)
		corpus.Report(t, folder, "mcp-schemas: %d definitions offered, %d quarantined, %d with combinators at the root", offered, quarantined, combined)
	}
}

// TestCombinatorsAreFlattened sends a tool with combinators at the root to a provider that
// takes none. The schema that is sent has the properties of all alternatives and describes
// what was required of them.
func TestCombinatorsAreFlattened(t *testing.T) {
	t.Parallel()
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	require.NoError(t, err)
	defer func() { require.NoError(t, session.Close(context.Background())) }()
	var registry pegboard.Registry
	_, err = registry.Attach("srv", definition.Read(definition.Server{Name: "srv", AlwaysLoad: true}, json.RawMessage(`{"name":"query","inputSchema":{
		"allOf":[{"properties":{"sql":{"type":"string"}},"required":["sql"]}],
		"oneOf":[{"properties":{"url":{"type":"string"}},"required":["url"]},{"properties":{"host":{"type":"string"},"port":{"type":"integer"}},"required":["host","port"]}]}}`), nothing).Tool)
	require.NoError(t, err)
	sent := anthropic.New(registry.AssemblePool(session, pegboard.PoolConfig{}), anthropic.Config{}).Tools()
	var tools []struct {
		Name   string         `json:"name"`
		Schema map[string]any `json:"input_schema"`
	}
	require.NoError(t, json.Unmarshal(sent, &tools))
	require.Len(t, tools, 1)
	for _, combinator := range []string{"allOf", "anyOf", "oneOf"} {
		require.NotContains(t, tools[0].Schema, combinator)
	}
	require.Len(t, tools[0].Schema["properties"], 4)
	require.Equal(t, []any{"sql"}, tools[0].Schema["required"])
	require.Contains(t, tools[0].Schema["description"], "exactly one of")
}

// FuzzRead checks that a definition of any form gives a tool that can be attached and called,
// or is quarantined.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"name":"a","title":"b","description":"c","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"}},"oneOf":[{"required":["a"]},{}]},"outputSchema":{"type":"object"},"annotations":{"title":"d","readOnlyHint":true},"_meta":{"ui":{"visibility":["app"]},"anthropic/alwaysLoad":true}}`,
		`{"name":"a","inputSchema":{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#"}]}}}}`, `{"name":"\ud800","inputSchema":{}}`, "{\"name\":\"a\",\"description\":\"\xff\",\"inputSchema\":{}}", `{"name":"a","inputSchema":{"enum":[{}]}}`, `[]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := definition.Server{Name: "srv", MirrorsInput: true, Trusted: true}
		d := definition.Read(s, raw, nothing)
		require.NotNil(t, d.Tool)
		var registry pegboard.Registry
		report, err := registry.Attach(s.Name, d.Tool)
		require.NoError(t, err)
		require.Equal(t, 1, len(report.Added)+len(report.Quarantined))
		if len(report.Quarantined) > 0 {
			return
		}
		declared, ok := d.Tool.Declare(pegboard.Scope{})
		require.True(t, ok)
		require.NotEmpty(t, declared.Description)
		require.LessOrEqual(t, len(declared.Description), definition.MaxText)
		require.Len(t, d.Tool.Traits(&pegboard.Call{}).Targets, 1)
	})
}
