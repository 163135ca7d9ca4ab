package schema_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/schema"
)

// plain has a field of each kind that a Filler knows.
type plain struct {
	Text   string  `json:"text,omitempty"`
	Flag   bool    `json:"flag,omitempty"`
	Small  int8    `json:"small,omitempty"`
	Int    int     `json:",omitempty"`
	Byte   uint8   `json:"byte,omitempty"`
	Real   float64 `json:"real,omitempty"`
	Single float32 `json:"single,omitempty"`
	Maybe  *string `json:"maybe,omitempty"`
	Limit  *int    `json:"limit,omitempty"`
	Hidden string  `json:"-"`
}

// rare has fields that a Filler leaves to encoding/json, beside one that it knows.
type rare struct {
	Text string          `json:"text,omitempty"`
	List []string        `json:"list,omitempty"`
	Map  map[string]int  `json:"map,omitempty"`
	In   *plain          `json:"in,omitempty"`
	When *time.Time      `json:"when,omitempty"`
	Num  json.Number     `json:"num,omitempty"`
	Raw  json.RawMessage `json:"raw,omitempty"`
	Any  any             `json:"any,omitempty"`
}

type upper string

func (u *upper) UnmarshalText(b []byte) error { *u = upper("<" + string(b) + ">"); return nil }

type decodesItself struct{ Text string }

func (d *decodesItself) UnmarshalJSON([]byte) error { d.Text = "own"; return nil }

type embeds struct{ plain }

func TestFill(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		into any // a pointer to a struct
		text string
		want bool
	}{
		{name: "nothing", into: &plain{}, text: ` { } `, want: true},
		{name: "every kind", into: &plain{}, want: true,
			text: "{ \"text\" : \"déjà\" ,\n\"flag\":true,\"small\":-128,\"Int\":-0,\"byte\":255,\"real\":-1.5e+2,\"single\":0.1,\"maybe\":\"\",\"limit\":7}"},
		{name: "false", into: &plain{Flag: true}, text: `{"flag":false}`, want: true},
		{name: "too large", into: &plain{}, text: `{"small":128}`},
		{name: "too large a float", into: &plain{}, text: `{"single":1e39}`},
		{name: "below zero", into: &plain{}, text: `{"byte":-1}`},
		{name: "fraction for an integer", into: &plain{}, text: `{"Int":1.0}`},
		{name: "text for an integer", into: &plain{}, text: `{"Int":"1"}`},
		{name: "number for text", into: &plain{}, text: `{"text":1}`},
		{name: "number for a flag", into: &plain{}, text: `{"flag":1}`},
		{name: "escape in a value", into: &plain{}, text: `{"text":"a\n"}`, want: true},
		{name: "every escape", into: &plain{}, text: `{"text":"\"\\\/\b\f\n\r\t\u0026\u00e9\u20AC\ud7ff\uFFFF\u0000"}`, want: true},
		{name: "escaped backslash at the end", into: &plain{}, text: `{"text":"a\\"}`, want: true},
		{name: "escape for a pointer", into: &plain{}, text: `{"maybe":"\""}`, want: true},
		{name: "two halves of a character", into: &plain{}, text: `{"text":"\ud83d\ude00"}`, want: true},
		{name: "escape in a key", into: &plain{}, text: `{"te\u0078t":"a"}`},
		{name: "null", into: &plain{}, text: `{"text":null}`},
		{name: "null for a pointer", into: &plain{}, text: `{"maybe":null}`},
		{name: "other letter case", into: &plain{}, text: `{"TEXT":"a"}`},
		{name: "unknown key", into: &plain{}, text: `{"other":1}`},
		{name: "hidden field", into: &plain{}, text: `{"Hidden":"a"}`},

		{name: "known key of a rare struct", into: &rare{}, text: `{"text":"a"}`, want: true},
		{name: "list", into: &rare{}, text: `{"list":["a"]}`},
		{name: "map", into: &rare{}, text: `{"map":{"a":1}}`},
		{name: "struct", into: &rare{}, text: `{"in":{"text":"a"}}`},
		{name: "time", into: &rare{}, text: `{"when":"2026-01-02T03:04:05Z"}`},
		{name: "number as text", into: &rare{}, text: `{"num":1}`},
		{name: "raw", into: &rare{}, text: `{"raw":1}`},
		{name: "anything", into: &rare{}, text: `{"any":"a"}`},
		{name: "no object", into: &plain{}, text: `[]`},
		{name: "decodes text", into: &struct{ Text upper }{}, text: `{"Text":"a"}`},
		{name: "decodes itself", into: &decodesItself{}, text: `{"Text":"a"}`},
		{name: "embeds", into: &embeds{}, text: `{"text":"a"}`},
		{name: "quoted number", into: &struct {
			N int `json:"n,string"`
		}{}, text: `{"n":"1"}`},
		{name: "name that no tag may have", into: &struct {
			N int `json:"a/b"`
		}{}, text: `{"a/b":1}`},
		{name: "two of a name", text: `{"n":1}`, into: reflect.New(reflect.StructOf([]reflect.StructField{
			{Name: "A", Type: reflect.TypeFor[int](), Tag: `json:"n"`},
			{Name: "B", Type: reflect.TypeFor[int](), Tag: `json:"n"`},
		})).Interface()},
		{name: "map type", into: &map[string]any{}, text: `{"n":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			into := reflect.ValueOf(tt.into).Elem()
			require.Equal(t, tt.want, schema.FillerOf(into.Type()).Fill(into, []byte(tt.text)))
			if tt.want {
				requireUnmarshals(t, tt.into, tt.text)
			}
		})
	}
}

// requireUnmarshals compares what was filled with what encoding/json makes of text.
func requireUnmarshals(t *testing.T, filled any, text string) {
	t.Helper()
	want := reflect.New(reflect.TypeOf(filled).Elem())
	require.NoError(t, json.Unmarshal([]byte(text), want.Interface()), text)
	require.Equal(t, want.Interface(), filled, text)
}

// FuzzFill: of a text that the schema of a struct accepts, a Filler makes what
// encoding/json does, or nothing.
func FuzzFill(f *testing.F) {
	for _, seed := range []string{
		`{}`, ` {"text":"a","flag":true,"small":-1,"Int":9007199254740993,"byte":1,"real":1.25,"single":3,"maybe":"b","limit":-7} `,
		`{"text":"\u00e9","real":-0}`, `{"Text":"a"}`, `{"real":1E400}`, `{"text":null}`, `{"limit":18446744073709551616}`,
		`{"list":["a"],"text":"b"}`, `{"text":"ab"}`, `{"flag":false,"flag":true}`, `{"text":"\"\\\u0026\uD83D\uDE00\ud7ff"}`, `{"real":123456789012345678901234567890}`,
	} {
		f.Add(seed)
	}
	into := []any{plain{}, rare{}}
	var schemas []*schema.Schema
	for _, v := range into {
		raw, err := schema.Reflect(reflect.TypeOf(v))
		require.NoError(f, err)
		s, err := schema.Compile(raw)
		require.NoError(f, err)
		schemas = append(schemas, s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for i, v := range into {
			filled := reflect.New(reflect.TypeOf(v))
			if schemas[i].Accepts([]byte(text)) && schema.FillerOf(filled.Type().Elem()).Fill(filled.Elem(), []byte(text)) {
				requireUnmarshals(t, filled.Interface(), text)
			}
		}
	})
}

func TestFillLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	text := []byte(`{"text":"abc","maybe":"def"}`)
	var p plain
	require.True(t, schema.FillerOf(reflect.TypeFor[plain]()).Fill(reflect.ValueOf(&p).Elem(), text))
	for i := range text {
		text[i] = 'x'
	}
	require.Equal(t, "abc", p.Text, "its strings are copies")
	require.Equal(t, "def", *p.Maybe)
}
