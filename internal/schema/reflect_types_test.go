package schema_test

import (
	"encoding/json"
	"io"
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
