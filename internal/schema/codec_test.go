package schema_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/schema"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

type (
	limits struct {
		Size  int       `json:"size" jsonschema:"minimum=1,default=5"`
		Ratio *float64  `json:"ratio" jsonschema:"default=0.5"`
		Inner []*limits `json:"inner,omitempty"`
	}
	defaulted struct {
		limits
		Name  string            `json:"name" jsonschema:"default=a\"b"`
		On    bool              `json:"on,omitempty" jsonschema:"default=true"`
		Count int               `json:"count,string" jsonschema:"default=7"`
		Tags  []string          `json:"tags" jsonschema:"default=x,default=y"`
		Ports [2]int            `json:"ports" jsonschema:"default=1,default=2"`
		Maybe *string           `json:"maybe" jsonschema:"nullable,default=m"`
		When  time.Time         `json:"when" jsonschema:"default=2026-01-02T03:04:05Z"`
		Named map[string]limits `json:"named,omitempty"`
		Plain string            `json:"plain,omitempty"`
	}
)

// decodeWith decodes text as a tool's input.
func decodeWith(t *testing.T, into any, text string) error {
	t.Helper()
	of := reflect.TypeOf(into).Elem()
	raw, err := schema.Reflect(of)
	require.NoError(t, err)
	s, err := schema.Compile(raw)
	require.NoError(t, err)
	v, err := strictjson.Decode([]byte(text), strictjson.Limits{})
	require.NoError(t, err)
	require.NoError(t, s.Validate(v), "%s", raw)
	decoded, err := schema.CodecOf(of).Decode([]byte(text))
	if err != nil {
		return err
	}
	return json.Unmarshal(decoded, into)
}

func TestCodecAddsDefaults(t *testing.T) {
	t.Parallel()
	half, quarter, maybe := 0.5, 0.25, "m"
	all := defaulted{
		limits: limits{Size: 5, Ratio: &half}, Name: `a"b`, On: true, Count: 7, Tags: []string{"x", "y"},
		Ports: [2]int{1, 2}, Maybe: &maybe, When: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	tests := []struct {
		name string
		text string
		want func(d *defaulted)
	}{
		{name: "all absent", text: ` { } `},
		{name: "given values stay", text: `{"size":1,"ratio":0.25,"on":false,"tags":[],"name":"","maybe":null,"plain":"p"}`, want: func(d *defaulted) {
			d.limits, d.On, d.Tags, d.Name, d.Maybe, d.Plain = limits{Size: 1, Ratio: &quarter}, false, []string{}, "", nil, "p"
		}},
		{name: "escaped key", text: `{"si\u007ae":2}`, want: func(d *defaulted) { d.Size = 2 }},
		{name: "in lists, maps and a type of itself", text: `{"inner":[{},{"inner":[{"size":9}]}],"named":{"size":{}}}`, want: func(d *defaulted) {
			d.Inner = []*limits{{Size: 5, Ratio: &half}, {Size: 5, Ratio: &half, Inner: []*limits{{Size: 9, Ratio: &half}}}}
			d.Named = map[string]limits{"size": {Size: 5, Ratio: &half}}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := all
			if tt.want != nil {
				tt.want(&want)
			}
			var got defaulted
			require.NoError(t, decodeWith(t, &got, tt.text))
			require.Equal(t, want, got)
		})
	}
}

func TestCodecWithoutDefaultsReturnsTheText(t *testing.T) {
	t.Parallel()
	text := []byte(` { "text" : "a" } `)
	got, err := schema.CodecOf(reflect.TypeFor[rare]()).Decode(text)
	require.NoError(t, err)
	require.Equal(t, &text[0], &got[0])
}

func TestDefaultsMakePropertiesOptional(t *testing.T) {
	t.Parallel()
	got, err := schema.Reflect(reflect.TypeFor[struct {
		Sizes []int  `json:"sizes" jsonschema:"default=1,default=2"`
		Name  string `json:"name"`
	}]())
	require.NoError(t, err)
	require.Equal(t, `{"properties":{"sizes":{"items":{"type":"integer"},"type":"array","default":[1,2]},"name":{"type":"string"}},`+
		`"additionalProperties":false,"type":"object","required":["name"]}`, string(got))
}

// FuzzCodec: the result has the members of the text, and those that were absent.
func FuzzCodec(f *testing.F) {
	for _, seed := range []string{`{}`, `{"inner":[{},null]}`, ` {"named":{"a":{"size":1}},"x":[1,{"a":"\"}"}]} `, `[]`, `{"inner":{}}`, `{"":1}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !json.Valid([]byte(text)) {
			return
		}
		got, err := schema.CodecOf(reflect.TypeFor[defaulted]()).Decode([]byte(text))
		require.NoError(t, err)
		require.True(t, json.Valid(got), "%s", got)
		var before, after map[string]any
		if json.Unmarshal([]byte(text), &before) == nil && json.Unmarshal(got, &after) == nil {
			for key := range before {
				require.Contains(t, after, key)
			}
		}
	})
}

type timed struct {
	Wait   time.Duration            `json:"wait" jsonschema:"default=90s"`
	Maybe  *time.Duration           `json:"maybe,omitempty" jsonschema:"nullable" jsonschema_description:"How long."`
	Quoted time.Duration            `json:"quoted,string,omitempty"`
	Steps  []time.Duration          `json:"steps,omitempty"`
	Named  map[string]time.Duration `json:"named,omitempty" jsonschema_description:"By name."`
}

func TestDurationsAreTexts(t *testing.T) {
	t.Parallel()
	minute := time.Minute
	tests := []struct {
		name string
		text string
		want timed
		err  string
	}{
		{name: "default", text: `{}`, want: timed{Wait: 90 * time.Second}},
		{name: "everywhere", text: `{"wait":"1m30s","maybe":"1m","quoted":"2h","steps":["500ms","-1s","0"],"named":{"a":"1.5h"}}`, want: timed{
			Wait: 90 * time.Second, Maybe: &minute, Quoted: 2 * time.Hour,
			Steps: []time.Duration{500 * time.Millisecond, -time.Second, 0}, Named: map[string]time.Duration{"a": 90 * time.Minute},
		}},
		{name: "null", text: `{"wait":"1s","maybe":null}`, want: timed{Wait: time.Second}},
		{name: "escapes", text: `{"wait":"1\u006d"}`, want: timed{Wait: time.Minute}},
		{name: "no unit", text: `{"wait":"90"}`, err: `wait: "90" is no duration; write a number with its unit, such as "90s" or "1m30s"`},
		{name: "words in a list", text: `{"steps":["1s","five minutes"]}`, err: `steps[1]: "five minutes" is no duration`},
		{name: "too long", text: `{"named":{"a b":"9999999h"}}`, err: `named["a b"]: "9999999h" is no duration`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got timed
			err := decodeWith(t, &got, tt.text)
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, got)

			written, err := json.Marshal(got)
			require.NoError(t, err)
			written, err = schema.CodecOf(reflect.TypeFor[timed]()).Encode(written)
			require.NoError(t, err)
			var again timed
			require.NoError(t, decodeWith(t, &again, string(written)), "%s", written)
			require.Equal(t, got, again)
		})
	}
}

func TestDurationsAreDescribed(t *testing.T) {
	t.Parallel()
	got, err := schema.Reflect(reflect.TypeFor[timed]())
	require.NoError(t, err)
	const text = `"description":"A duration with its unit, such as \"90s\", \"1m30s\" or \"500ms\""`
	require.Contains(t, string(got), `"wait":{"type":"string","default":"90s",`+text+`}`)
	require.Contains(t, string(got), `"maybe":{"oneOf":[{"type":"string","description":"How long. (a duration such as \"90s\" or \"1m30s\")"},{"type":"null"}]}`)
	require.Contains(t, string(got), `"steps":{"items":{"type":"string",`+text+`},"type":"array"}`)
	_, err = schema.Reflect(structWith(time.Second, `jsonschema:"default=5"`))
	require.ErrorContains(t, err, `the default "5" does not fit into time.Duration`)
}

type grudge struct{ Text string }

func (g *grudge) UnmarshalText([]byte) error { return errors.New("not today") }

func TestFaultNamesTheValue(t *testing.T) {
	t.Parallel()
	type input struct {
		Plain string             `json:"plain"`
		By    map[string]*grudge `json:"by"`
		List  []grudge           `json:"list"`
		Bytes []byte             `json:"bytes"`
		Wait  time.Duration      `json:"wait"`
	}
	for _, tt := range []struct {
		name, text, path, err string
	}{
		{name: "none", text: `{"plain":"a","by":{},"list":[],"wait":5}`},
		{name: "in a map", text: `{"by":{"a b":"x"},"list":["y"]}`, path: `by["a b"]`, err: "not today"},
		{name: "in a list", text: `{"list":["x"]}`, path: "list[0]", err: "not today"},
		{name: "base64", text: `{"bytes":"%"}`, path: "bytes", err: "illegal base64"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path, err := schema.CodecOf(reflect.TypeFor[input]()).Fault([]byte(tt.text))
			require.Equal(t, tt.path, path)
			if tt.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tt.err)
			}
		})
	}
	path, err := schema.CodecOf(reflect.TypeFor[grudge]()).Fault([]byte(`"x"`))
	require.Empty(t, path, "the root has no path")
	require.ErrorContains(t, err, "not today")
}
