package schema_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/schema"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

type encodesChan chan int

func (encodesChan) MarshalText() ([]byte, error) { return nil, nil }

func TestCheckOutput(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		of   reflect.Type
		want string // "" if it is accepted
	}{
		{name: "string", of: reflect.TypeFor[string]()},
		{name: "any", of: reflect.TypeFor[any]()},
		{name: "interface", of: reflect.TypeFor[struct{ R io.Reader }]()},
		{name: "raw", of: reflect.TypeFor[json.RawMessage]()},
		{name: "struct", of: reflect.TypeFor[looseInput]()},
		{name: "recursive", of: reflect.TypeFor[*tree]()},
		{name: "embeds itself", of: reflect.TypeFor[Loop]()},
		{name: "time", of: reflect.TypeFor[[]time.Time]()},
		{name: "encodes itself", of: reflect.TypeFor[encodesChan]()},
		{name: "keys that encode themselves", of: reflect.TypeFor[map[encodesChan]int]()},
		{name: "left out", of: reflect.TypeFor[struct {
			C chan int `json:"-"`
			f func()
		}]()},
		{name: "chan", of: reflect.TypeFor[chan int](), want: "chan int: a chan int has no JSON form"},
		{name: "func", of: reflect.TypeFor[*func()](), want: "a func() has no JSON form"},
		{name: "func in a list", of: reflect.TypeFor[struct{ L []map[string]func() }](), want: ".L[][]: a func() has no JSON form; leave it out with the tag"},
		{name: "keys", of: reflect.TypeFor[map[bool]int](), want: "the keys of map[bool]int are no strings"},
		{name: "complex", of: reflect.TypeFor[complex64](), want: "complex64 has no JSON form"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := schema.CheckOutput(tt.of)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.want)
		})
	}
}

type (
	color      string
	textValue  int // has MarshalText
	textPtr    int // its pointer has MarshalText
	jsonPtr    int // its pointer has MarshalJSON
	neverZero  []int
	namedList  []int
	tier       struct{ Kids []*tier }
	names      map[string]names
	inner      struct{ A, B int }
	Shadow     struct{ A string }
	pair       struct{ X, Y inner }
	looped     *looped
	日本         []日本
	withHidden struct {
		inner `json:"under"`
		Seen  int `jsonschema:"-"`
	}
)

func (v textValue) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "t%d", int(v)), nil }
func (*textPtr) MarshalText() ([]byte, error)    { return []byte("t"), nil }
func (*jsonPtr) MarshalJSON() ([]byte, error)    { return []byte(`[true]`), nil }
func (neverZero) IsZero() bool                   { return false }

// outputOf is an output with all that encoding/json knows.
type outputOf struct {
	*Shadow
	A        int `json:"a"`
	Text     string
	Color    color     `json:",omitempty" jsonschema:"enum=red,description=What it looks like\\, roughly"`
	Quoted   int       `json:",string"`
	QPointer *bool     `json:",string"`
	QOmitted *bool     `json:",string,omitempty"`
	QText    textValue `json:",string"`
	Number   json.Number
	Raw      json.RawMessage
	Bytes    []byte
	Array    [2]byte
	List     []string  `jsonschema_description:"All of them"`
	Omitted  []string  `json:",omitempty"`
	OmitZero []int     `json:",omitzero"`
	Never    neverZero `json:",omitzero"`
	Map      map[int]*inner
	MapText  map[textValue]bool
	Any      any
	Time     time.Time
	TimePtr  *time.Time
	Duration time.Duration
	TextPtr  textPtr
	JSONPtr  map[string]jsonPtr
	TextAt   *textPtr
	Deep     **[]int `json:",omitempty"`
	Pair     pair
	Level    tier
	Skipped  int `json:"-"`
}

// TestOutputSchema of types that encoding/json treats in ways of their own.
func TestOutputSchema(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		of   reflect.Type
		want string // "" if there is none
	}{
		{name: "struct", of: reflect.TypeFor[inner](), want: `{"type":"object","properties":{"A":{"type":"integer"},"B":{"type":"integer"}},"required":["A","B"],"additionalProperties":false}`},
		{name: "pointer", of: reflect.TypeFor[**inner](), want: `{"type":"object","properties":{"A":{"type":"integer"},"B":{"type":"integer"}},"required":["A","B"],"additionalProperties":false}`},
		{name: "map", of: reflect.TypeFor[map[string]any](), want: `{"type":"object","additionalProperties":{}}`},
		{name: "recursive", of: reflect.TypeFor[tier](), want: `{"type":"object","properties":{"Kids":{"type":["array","null"],"items":{"anyOf":[{"$ref":"#/$defs/tier"},{"type":"null"}]}}},"required":["Kids"],"additionalProperties":false,` +
			`"$defs":{"tier":{"type":"object","properties":{"Kids":{"type":["array","null"],"items":{"anyOf":[{"$ref":"#/$defs/tier"},{"type":"null"}]}}},"required":["Kids"],"additionalProperties":false}}}`},
		{name: "hidden from an input", of: reflect.TypeFor[withHidden](), want: `{"type":"object","properties":{"under":{"type":"object","properties":{"A":{"type":"integer"},"B":{"type":"integer"}},"required":["A","B"],"additionalProperties":false},"Seen":{"type":"integer"}},"required":["under","Seen"],"additionalProperties":false}`},
		{name: "text", of: reflect.TypeFor[string]()},
		{name: "list", of: reflect.TypeFor[[]inner]()},
		{name: "any", of: reflect.TypeFor[any]()},
		{name: "time", of: reflect.TypeFor[time.Time]()},
		{name: "encodes itself", of: reflect.TypeFor[struct{ time.Time }]()},
		{name: "has no JSON form", of: reflect.TypeFor[struct{ F func() }]()},
		{name: "a name with a backslash", of: reflect.StructOf([]reflect.StructField{{Name: "F", Type: reflect.TypeFor[int](), Tag: `json:"a\\b"`}})},
		{name: "points to itself", of: reflect.TypeFor[struct{ L looped }]()},
		{name: "embeds itself", of: reflect.TypeFor[struct{ L Loop }]()},
		{name: "recursive without a name in ASCII", of: reflect.TypeFor[struct{ L 日本 }]()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, string(schema.ReflectOutput(tt.of)))
		})
	}
	got := string(schema.ReflectOutput(reflect.TypeFor[outputOf]()))
	require.Contains(t, got, `"Color":{"type":"string","description":"What it looks like, roughly"}`, "an enum is nothing that the encoder guarantees")
	require.Contains(t, got, `"Duration":{"type":"integer","description":"Nanoseconds"}`)
	require.Contains(t, got, `"List":{"type":["array","null"],"items":{"type":"string"},"description":"All of them"}`)
	require.Contains(t, got, `"QPointer":{"type":["string","null"]}`)
}

// TestOutputSchemaAcceptsWhatIsEncoded of types and values made at random.
func TestOutputSchemaAcceptsWhatIsEncoded(t *testing.T) {
	t.Parallel()
	fixed := []reflect.Type{
		reflect.TypeFor[outputOf](), reflect.TypeFor[*outputOf](), reflect.TypeFor[tier](), reflect.TypeFor[map[string]pair](),
		reflect.TypeFor[names](), reflect.TypeFor[withHidden](), reflect.TypeFor[map[textValue]*namedList](),
		reflect.TypeFor[struct {
			Shadow
			inner
		}](),
		reflect.TypeFor[struct {
			*Shadow `json:"s"`
			*inner
		}](),
	}
	for seed := range effort.Of(t, uint64(2000)) {
		r := outputMaker{rand.New(rand.NewPCG(seed, 7))}
		of := fixed[int(seed)%len(fixed)]
		if seed%2 == 0 {
			of = r.object(3)
		}
		raw := schema.ReflectOutput(of)
		require.NotNil(t, raw, "%v", of)
		s, err := schema.Compile(raw)
		require.NoError(t, err, "%s", raw)
		for range 5 {
			v := reflect.New(of)
			r.fill(v.Elem(), 3)
			for v.Kind() == reflect.Pointer && !v.IsNil() {
				v = v.Elem() // nil is no output
			}
			for _, value := range []any{v.Interface(), addressed(v)} { // methods of pointers are called for the second
				text, err := json.Marshal(value)
				require.NoError(t, err)
				if string(text) == "null" {
					continue
				}
				decoded, err := strictjson.Decode(text, strictjson.Limits{})
				require.NoError(t, err)
				require.NoError(t, s.Validate(decoded), "seed %d: %v\n%s\n%s", seed, of, raw, text)
			}
		}
	}
}

func addressed(v reflect.Value) any {
	if !v.CanAddr() {
		return v.Interface()
	}
	return v.Addr().Interface()
}

// An outputMaker makes types and values at random.
type outputMaker struct{ *rand.Rand }

// object returns the type of a struct.
func (r outputMaker) object(depth int) reflect.Type {
	var fields []reflect.StructField
	for i := range 1 + r.IntN(4) {
		options := []string{""}
		for _, o := range []string{"omitempty", "omitzero", "string"} {
			if r.IntN(4) == 0 {
				options = append(options, o)
			}
		}
		tag := fmt.Sprintf(`json:%q`, strings.Join(options, ","))
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: r.typ(depth - 1), Tag: reflect.StructTag(tag)})
	}
	return reflect.StructOf(fields)
}

func (r outputMaker) typ(depth int) reflect.Type {
	leaves := []reflect.Type{
		reflect.TypeFor[bool](), reflect.TypeFor[int8](), reflect.TypeFor[uint64](), reflect.TypeFor[float64](), reflect.TypeFor[string](),
		reflect.TypeFor[any](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[json.Number](), reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration](),
		reflect.TypeFor[[]byte](), reflect.TypeFor[color](), reflect.TypeFor[textValue](), reflect.TypeFor[textPtr](), reflect.TypeFor[jsonPtr](), reflect.TypeFor[neverZero](), reflect.TypeFor[tier](),
	}
	if depth <= 0 {
		return leaves[r.IntN(len(leaves))]
	}
	switch inner := r.typ(depth - 1); r.IntN(7) {
	case 0:
		return reflect.PointerTo(inner)
	case 1:
		return reflect.SliceOf(inner)
	case 2:
		return reflect.ArrayOf(r.IntN(3), inner)
	case 3:
		return reflect.MapOf(reflect.TypeFor[string](), inner)
	case 4:
		return r.object(depth)
	}
	return leaves[r.IntN(len(leaves))]
}

// fill sets a value.
func (r outputMaker) fill(v reflect.Value, depth int) {
	if !v.CanSet() || r.IntN(4) == 0 || depth < 0 {
		return
	}
	switch v.Interface().(type) {
	case json.RawMessage:
		v.SetBytes([]byte(`{"a":[null]}`))
		return
	case json.Number:
		v.SetString("-1.5e3")
		return
	case time.Time:
		v.Set(reflect.ValueOf(time.Unix(r.Int64N(1<<33), r.Int64N(1e9))))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int64:
		v.SetInt(r.Int64() >> (64 - v.Type().Bits()))
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(r.Uint64() >> (64 - v.Type().Bits()))
	case reflect.Float64:
		v.SetFloat(r.NormFloat64() * 1e300)
	case reflect.String:
		v.SetString([]string{"", "a", "null", "ü\u2028\x00", "\xff"}[r.IntN(5)])
	case reflect.Interface:
		v.Set(reflect.ValueOf([]any{1, "x", nil, map[string]any{"k": nil}}))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		r.fill(v.Elem(), depth-1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), r.IntN(3), 3))
		for i := range v.Len() {
			r.fill(v.Index(i), depth-1)
		}
	case reflect.Array:
		for i := range v.Len() {
			r.fill(v.Index(i), depth-1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range r.IntN(3) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			r.fill(key, depth-1)
			r.fill(value, depth-1)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			r.fill(v.Field(i), depth-1)
		}
	}
}
