package strictjson_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

func TestFindFault(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		offset     int
		what       string
	}{
		{name: "a zero before a number", text: `[01]`, offset: 2, what: "found '1' where a comma or ] is wanted"},
		{name: "a point without digits", text: `[1.]`, offset: 3, what: "found ']' inside a number"},
		{name: "an exponent without digits", text: `{"a":1e+}`, offset: 8, what: "found '}' inside a number"},
		{name: "a number that is cut", text: `-`, offset: 1, what: "the text ends before the value is complete"},
		{name: "a word that is cut", text: `nul`, offset: 3, what: "the text ends before the value is complete"},
		{name: "an escape that is cut", text: `"\`, offset: 2, what: "the text ends inside a string"},
		{name: "a code point that is cut", text: `"\u00`, offset: 5, what: "the text ends inside a string"},
		{name: "brackets that do not match", text: `[{"a":[]]`, offset: 8, what: "found ']' where a comma or } is wanted"},
		{name: "a comma too many", text: `[1,]`, offset: 3, what: "found ']' where a value is wanted"},
		{name: "only a comma", text: `[,]`, offset: 1, what: "found ',' where a value is wanted"},
		{name: "a key and no more", text: `{"a"`, offset: 4, what: "the text ends before the value is complete"},
		{name: "a character outside ASCII", text: "[é]", offset: 1, what: "found 'é' where a value is wanted"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fault := strictjson.FindFault([]byte(tt.text))
			require.NotNil(t, fault)
			require.Equal(t, tt.what, fault.What)
			require.Equal(t, tt.offset, fault.Offset)
			require.NotEmpty(t, fault.Advice)
			require.False(t, fault.TooDeep)
		})
	}
}

func TestFindFaultCountsLevels(t *testing.T) {
	t.Parallel()
	const most = 10_000
	require.Nil(t, strictjson.FindFault([]byte(strings.Repeat("[", most)+strings.Repeat("]", most))))
	fault := strictjson.FindFault([]byte(strings.Repeat("[", 3*most)))
	require.True(t, fault.TooDeep)
	require.Equal(t, most, fault.Offset)
}

// TestFindFaultWhereJSONIsNotValid damages JSON texts: there is a fault in those that
// json.Valid refuses, and what is before it is how some valid text begins.
func TestFindFaultWhereJSONIsNotValid(t *testing.T) {
	t.Parallel()
	const whole = `{"a":[1,-0.5e+3,{"b":"x\n\u00e9","":null}],"c":true,"d":{},"e":[false, 12 ]} `
	const pieces = "{}[]\",:\\tfn-0159.eE+ \n\x01éu"
	random := rand.New(rand.NewPCG(1, 2))
	for range effort.Of(t, 20_000) {
		text := []byte(whole)[:random.IntN(len(whole)+1)]
		for range random.IntN(3) {
			at, c := random.IntN(len(text)+1), pieces[random.IntN(len(pieces))]
			text = append(text[:at:at], append([]byte{c}, text[min(at+random.IntN(2), len(text)):]...)...)
		}
		requireFault(t, text)
	}
}

func requireFault(t *testing.T, text []byte) {
	t.Helper()
	fault := strictjson.FindFault(text)
	require.Equal(t, json.Valid(text), fault == nil, "%q: %+v", text, fault)
	if fault == nil {
		return
	}
	require.LessOrEqual(t, fault.Offset, len(text), "%q", text)
	before := strictjson.FindFault(text[:fault.Offset])
	require.True(t, before == nil || before.Offset == fault.Offset, "%q: %+v, but %+v", text, fault, before)
}

func FuzzFindFault(f *testing.F) {
	for _, seed := range []string{``, `{"a":[1,2.5e-3,"\u00e9\\"],"b":{"c":null}}`, `[01]`, `{"a":1,}`, "\"\t\"", "\xff", `{} {}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) { requireFault(t, text) })
}
