package schema_test

import (
	"encoding/json"
	"io"
	"net/netip"
	"net/url"
	"reflect"
	"testing"
	"time"

	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/schema"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

type (
	plainInput struct {
		Path      string   `json:"path" jsonschema:"description=Where to look.,minLength=1"`
		Limit     int      `json:"limit,omitempty" jsonschema:"minimum=1,maximum=100,default=10"`
		Mode      string   `json:"mode,omitzero" jsonschema:"enum=fast,enum=slow" jsonschema_description:"How, in a word."`
		Recursive *bool    `json:"recursive"`
		Names     []string `json:"names,omitempty" jsonschema:"enum=a,enum=b"`
		hidden    int
		Skipped   int `json:"-"`
		Untold    int `json:"untold,omitempty" jsonschema:"-"`
	}

	point struct {
		X float64 `json:"x" jsonschema:"description=Across."`
		Y float64 `json:"y"`
	}
	nestedInput struct {
		From   point            `json:"from" jsonschema:"description=The start."`
		To     *point           `json:"to"`
		Via    []point          `json:"via,omitempty"`
		Named  map[string]point `json:"named,omitempty"`
		Inline struct {
			On *bool `json:"on"`
		} `json:"inline"`
	}

	labels     []string
	namedInput struct {
		Labels labels `json:"labels" jsonschema:"enum=a,enum=b,description=Some."`
		Count  int64  `json:"count,string" jsonschema:"description=Quoted."`
	}

	looseInput struct {
		Any    any             `json:"any" jsonschema:"description=Whatever."`
		Raw    json.RawMessage `json:"raw"`
		List   []any           `json:"list"`
		Map    map[string]any  `json:"map"`
		ByID   map[int]string  `json:"by_id"`
		When   time.Time       `json:"when"`
		Wait   time.Duration   `json:"wait"`
		Addr   netip.Addr      `json:"addr"`
		Number json.Number     `json:"number"`
		Bytes  []byte          `json:"bytes"`
		Pair   [2]bool         `json:"pair"`
	}

	Base struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	more struct {
		Extra int `json:"extra"`
	}
	embeddedInput struct {
		First string `json:"first"`
		Base
		more
		*Optional
		Name int `json:"name,omitempty"`
	}
	Optional struct {
		Maybe string `json:"maybe"`
	}

	left  struct{ Both, Left string }
	right struct{ Both, Right string }
	clash struct {
		left
		right
	}

	tree struct {
		Value    string  `json:"value"`
		Children []*tree `json:"children,omitempty"`
	}
	treeInput struct {
		Tree  tree  `json:"tree" jsonschema:"description=The tree."`
		Point point `json:"point"`
	}
	even struct {
		Odd *odd `json:"odd"`
	}
	odd struct {
		Even *even `json:"even"`
	}

	keywordNames struct {
		Properties []string `json:"properties,omitempty" jsonschema:"uniqueItems=true"`
		Required   bool     `json:"required"`
		Ref        string   `json:"$ref"`
		Items      any      `json:"items"`
	}
)

func TestReflect(t *testing.T) {
	t.Parallel()
	_ = plainInput{hidden: 0}
	tests := []struct {
		name string
		of   any
		want string
	}{
		{
			name: "fields and tags",
			of:   plainInput{},
			want: `{"properties":{"path":{"type":"string","minLength":1,"description":"Where to look."},` +
				`"limit":{"type":"integer","maximum":100,"minimum":1,"default":10},` +
				`"mode":{"type":"string","enum":["fast","slow"],"description":"How, in a word."},` +
				`"recursive":{"type":"boolean"},` +
				`"names":{"items":{"type":"string","enum":["a","b"]},"type":"array"}},` +
				`"additionalProperties":false,"type":"object","required":["path"]}`,
		},
		{
			name: "nested structs",
			of:   nestedInput{},
			want: `{"properties":{"from":{"properties":{"x":{"type":"number","description":"Across."},` +
				`"y":{"type":"number"}},"additionalProperties":false,"type":"object","required":["x","y"],"description":"The start."},` +
				`"to":{"properties":{"x":{"type":"number","description":"Across."},` +
				`"y":{"type":"number"}},"additionalProperties":false,"type":"object","required":["x","y"]},` +
				`"via":{"items":{"properties":{"x":{"type":"number","description":"Across."},` +
				`"y":{"type":"number"}},"additionalProperties":false,"type":"object","required":["x","y"]},"type":"array"},` +
				`"named":{"additionalProperties":{"properties":{"x":{"type":"number","description":"Across."},` +
				`"y":{"type":"number"}},"additionalProperties":false,"type":"object","required":["x","y"]},"type":"object"},` +
				`"inline":{"properties":{"on":{"type":"boolean"}},"additionalProperties":false,"type":"object"}},"additionalProperties":false,"type":"object","required":["from","inline"]}`,
		},
		{
			name: "named list and quoted number",
			of:   namedInput{},
			want: `{"properties":{"labels":{"items":{"type":"string","enum":["a","b"]},"type":"array","description":"Some."},` +
				`"count":{"type":"string","description":"Quoted."}},"additionalProperties":false,"type":"object","required":["labels","count"]}`,
		},
		{
			name: "anything and special types",
			of:   looseInput{},
			want: `{"properties":{"any":{"description":"Whatever."},"raw":{},"list":{"items":{},"type":"array"},"map":{"type":"object"},` +
				`"by_id":{"additionalProperties":{"type":"string"},"type":"object","propertyNames":{"pattern":"^-?[0-9]+$"}},` +
				`"when":{"type":"string","format":"date-time"},"wait":{"type":"string","description":"A duration with its unit, such as \"90s\", \"1m30s\" or \"500ms\""},"addr":{"type":"string"},` +
				`"number":{"type":"number"},"bytes":{"type":"string","contentEncoding":"base64"},"pair":{"items":{"type":"boolean"},` +
				`"type":"array","maxItems":2,"minItems":2}},"additionalProperties":false,"type":"object","required":["any","raw","list","map","by_id","when","wait","addr","number","bytes","pair"]}`,
		},
		{
			name: "embedded structs",
			of:   embeddedInput{},
			want: `{"properties":{"first":{"type":"string"},"id":{"type":"string"},"extra":{"type":"integer"},"maybe":{"type":"string"},` +
				`"name":{"type":"integer"}},"additionalProperties":false,"type":"object","required":["first","id","extra"]}`,
		},
		{name: "embedded fields of one name cancel out", of: clash{}, want: `{"properties":{"Left":{"type":"string"},"Right":{"type":"string"}},"additionalProperties":false,"type":"object","required":["Left","Right"]}`},
		{
			name: "recursive root",
			of:   tree{},
			want: `{"properties":{"value":{"type":"string"},"children":{"items":{"$ref":"#/$defs/tree"},` +
				`"type":"array"}},"additionalProperties":false,"type":"object","required":["value"],` +
				`"$defs":{"tree":{"properties":{"value":{"type":"string"},"children":{"items":{"$ref":"#/$defs/tree"},` +
				`"type":"array"}},"additionalProperties":false,"type":"object","required":["value"]}}}`,
		},
		{
			name: "recursive field",
			of:   treeInput{},
			want: `{"properties":{"tree":{"$ref":"#/$defs/tree","description":"The tree."},` +
				`"point":{"properties":{"x":{"type":"number","description":"Across."},` +
				`"y":{"type":"number"}},"additionalProperties":false,"type":"object","required":["x","y"]}},"additionalProperties":false,"type":"object","required":["tree","point"],` +
				`"$defs":{"tree":{"properties":{"value":{"type":"string"},"children":{"items":{"$ref":"#/$defs/tree"},` +
				`"type":"array"}},"additionalProperties":false,"type":"object","required":["value"]}}}`,
		},
		{
			name: "recursive through another",
			of:   even{},
			want: `{"properties":{"odd":{"$ref":"#/$defs/odd"}},"additionalProperties":false,"type":"object","$defs":{"even":{"properties":{"odd":{"$ref":"#/$defs/odd"}},"additionalProperties":false,"type":"object"},` +
				`"odd":{"properties":{"even":{"$ref":"#/$defs/even"}},"additionalProperties":false,"type":"object"}}}`,
		},
		{
			name: "properties named like keywords",
			of:   keywordNames{},
			want: `{"properties":{"properties":{"items":{"type":"string"},"type":"array","uniqueItems":true},"required":{"type":"boolean"},` +
				`"$ref":{"type":"string"},` +
				`"items":{}},"additionalProperties":false,"type":"object","required":["required","$ref","items"]}`,
		},
		{name: "empty struct", of: struct{}{}, want: `{"properties":{},"additionalProperties":false,"type":"object"}`},
		{name: "pointer", of: &struct{}{}, want: `{"properties":{},"additionalProperties":false,"type":"object"}`},
		{name: "map", of: map[string]int{}, want: `{"additionalProperties":{"type":"integer"},"type":"object"}`},
		{name: "free map", of: map[string]any{}, want: `{"type":"object"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := schema.Reflect(reflect.TypeOf(tt.of))
			require.NoError(t, err)
			require.Equal(t, tt.want, string(got))
			s, err := schema.Compile(got)
			require.NoError(t, err)
			require.Equal(t, string(got), string(s.Bytes()))
		})
	}
}

type (
	level    int
	selfMade struct{ Hidden func() }
	custom   struct {
		Level level    `json:"level" jsonschema:"description=How loud."`
		Made  selfMade `json:"made" jsonschema:"description=As it says."`
		Raw   *level   `json:"raw"`
	}
	ranges struct {
		From int `json:"from" jsonschema:"oneof_required=a"`
		To   int `json:"to" jsonschema:"oneof_required=b"`
	}
	wrongSelf     struct{}
	panickingSelf struct{}
	selfEmbedder  struct{ *selfEmbedder }
	unexported    struct{ A int }
)

func (l *level) UnmarshalText([]byte) error { return nil }

func (selfMade) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Description: "Its own."}
}

func (wrongSelf) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "string"} }

func (panickingSelf) JSONSchema() *jsonschema.Schema { panic("no schema today") }

func TestReflectTypesWithMethods(t *testing.T) {
	t.Parallel()
	got, err := schema.Reflect(reflect.TypeFor[custom]())
	require.NoError(t, err)
	require.Equal(t, `{"properties":{"level":{"type":"string","description":"How loud."},`+
		`"made":{"type":"string","description":"As it says."},"raw":{"type":"string"}},`+
		`"additionalProperties":false,"type":"object","required":["level","made"]}`, string(got))
}

func TestReflectKeepsAlternativesOfFields(t *testing.T) {
	t.Parallel()
	got, err := schema.Reflect(reflect.TypeFor[ranges]())
	require.NoError(t, err)
	require.Contains(t, string(got), `"oneOf":[{"required":["from"],"title":"a"},{"required":["to"],"title":"b"}]`)
}

// TestReflectTellsTypesApart has two types of one name.
func TestReflectTellsTypesApart(t *testing.T) {
	t.Parallel()
	type point struct {
		Lat float64 `json:"lat"`
	}
	type both struct {
		Here  point       `json:"here"`
		There nestedInput `json:"there"`
	}
	got, err := schema.Reflect(reflect.TypeFor[both]())
	require.NoError(t, err)
	require.Contains(t, string(got), `"here":{"properties":{"lat":{"type":"number"}}`)
	require.Contains(t, string(got), `"from":{"properties":{"x":{"type":"number"`)
}

func TestReflectRefuses(t *testing.T) {
	t.Parallel()
	const noObject = "a tool's input must be a struct or a map"
	// Linters take this tag for a mistake, which it mostly is.
	named := reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[int](), Tag: `json:"-,"`}})
	tests := []struct {
		name string
		of   reflect.Type
		want string
	}{
		{name: "nil", of: nil, want: noObject},
		{name: "string", of: reflect.TypeFor[string](), want: noObject + ", not string"},
		{name: "int", of: reflect.TypeFor[*int](), want: noObject + ", not int"},
		{name: "slice", of: reflect.TypeFor[[]plainInput](), want: noObject},
		{name: "func", of: reflect.TypeFor[func()](), want: noObject},
		{name: "chan", of: reflect.TypeFor[chan int](), want: noObject},
		{name: "any", of: reflect.TypeFor[any](), want: noObject},
		{name: "time", of: reflect.TypeFor[time.Time](), want: noObject},
		{name: "describes itself as a string", of: reflect.TypeFor[wrongSelf](), want: noObject},
		{name: "func field", of: reflect.TypeFor[struct{ Each func() }](), want: "Each: a func() has no JSON form"},
		{name: "chan in a map in a list", of: reflect.TypeFor[struct{ L []map[string]chan int }](), want: "L[][]: a chan int has no JSON form"},
		{name: "complex", of: reflect.TypeFor[map[string]complex128](), want: "[]: a complex128 has no JSON form"},
		{name: "interface", of: reflect.TypeFor[struct{ In struct{ R io.Reader } }](), want: "In.R: JSON cannot say which io.Reader to make"},
		{name: "keys", of: reflect.TypeFor[struct{ M map[bool]int }](), want: "M: the keys of map[bool]int are no strings"},
		{name: "URL", of: reflect.TypeFor[struct{ U *url.URL }](), want: "U: encoding/json does not read a url.URL"},
		{name: "inline", of: reflect.TypeFor[struct {
			A plainInput `json:",inline"`
		}](), want: "A: encoding/json knows no tag option inline"},
		{name: "embedded pointer of an unexported type", of: reflect.TypeFor[struct{ *unexported }](), want: "unexported: encoding/json cannot set"},
		{name: "name -", of: named, want: "A: a property cannot have the name -"},
		{name: "method panics", of: reflect.TypeFor[struct{ P panickingSelf }](), want: "panic: no schema today"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := schema.Reflect(tt.of)
			require.ErrorContains(t, err, tt.want)
			require.Nil(t, got)
		})
	}
}

func TestReflectRefusesATypeInsideItself(t *testing.T) {
	t.Parallel()
	_, err := schema.Reflect(reflect.TypeFor[selfEmbedder]())
	require.Error(t, err)
	_, err = schema.Reflect(reflect.TypeFor[Loop]())
	require.ErrorContains(t, err, "Loop.Loop: the type schema_test.Loop embeds itself")
}

// Loop embeds itself.
type Loop struct{ *Loop }

// TestReflectTakesWhatIsEncoded checks schemas against the other side: what
// encoding/json writes for a value must be valid input for its type.
func TestReflectTakesWhatIsEncoded(t *testing.T) {
	t.Parallel()
	yes := true
	for _, in := range []any{
		plainInput{Path: "x", Limit: 1, Mode: "fast", Recursive: &yes, Names: []string{"a"}},
		nestedInput{To: &point{}, Via: []point{{X: 1}}, Named: map[string]point{"a": {}}},
		namedInput{Labels: labels{"b"}, Count: 1 << 60},
		embeddedInput{Optional: &Optional{Maybe: "m"}, Name: 3},
		clash{},
		treeInput{Tree: tree{Children: []*tree{{Value: "a"}}}},
		even{Odd: &odd{Even: &even{}}},
		keywordNames{Properties: []string{"a"}, Items: 1},
		map[int]string{-1: "a"},
	} {
		raw, err := schema.Reflect(reflect.TypeOf(in))
		require.NoError(t, err)
		s, err := schema.Compile(raw)
		require.NoError(t, err)
		text, err := json.Marshal(in)
		require.NoError(t, err)
		v, err := strictjson.Decode(dropNulls(t, text), strictjson.Limits{})
		require.NoError(t, err)
		require.NoError(t, s.Validate(v), "%T: %s", in, text)
	}
}

// dropNulls removes the properties that are null: pointers that are not set.
func dropNulls(t *testing.T, text []byte) []byte {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal(text, &v))
	var drop func(v any)
	drop = func(v any) {
		object, _ := v.(map[string]any)
		for key, value := range object {
			if value == nil {
				delete(object, key)
			}
			drop(value)
		}
	}
	drop(v)
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return text
}
