package excerpt_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/excerpt"
)

func TestBreakLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 980)
	numbers := strings.TrimSuffix(strings.Repeat("12345,", 400), ",")
	row := strings.TrimSuffix(strings.Repeat("12345,", 19), ",")
	tests := []struct {
		name, text, want string
	}{
		{name: "nothing"},
		{name: "no JSON", text: strings.Repeat("word ", 500), want: strings.Repeat("word ", 500)},
		{name: "a log that begins like an array", text: "[2024] " + long + long, want: "[2024] " + long + long},
		{name: "a string", text: `"` + long + long + `"`, want: `"` + long + long + `"`},
		{name: "short lines", text: `{"a": 1}`, want: `{"a": 1}`},
		{name: "lines are there", text: "{\n\"a\":  \"" + long + "\"\n}", want: "{\n\"a\":  \"" + long + "\"\n}"},
		{
			name: "short values stay together", text: `{"a":[{"id":1,"s":",}]\""},{"id":2,"s":"` + long + `"}],"b":{},"c":null}`,
			want: "{\n  \"a\":[\n    {\"id\":1,\"s\":\",}]\\\"\"},\n    {\n      \"id\":2,\n      \"s\":\"" + long + "\"\n    }\n  ],\n  \"b\":{},\n  \"c\":null\n}",
		},
		{
			name: "numbers share lines", text: "[" + numbers + "]",
			want: "[\n" + strings.Repeat("  "+row+",\n", 21) + "  12345\n]",
		},
		{name: "a document for each line", text: `{"a":"` + long + `"}` + "\nword\n[1, 2]", want: "{\"a\":\"" + long + "\"}\nword\n[1, 2]"},
		{name: "long documents for each line", text: `{"a":"` + long + long + `"}` + "\nword\n[1, 2]", want: "{\n  \"a\":\"" + long + long + "\"\n}\nword\n[1, 2]"},
		{name: "escapes and numbers keep their bytes", text: `["\u00e9<é",1e2,1.50,"` + long + `"]`, want: "[\n  \"\\u00e9<é\",1e2,1.50,\n  \"" + long + "\"\n]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, excerpt.BreakLines(tt.text))
		})
	}
}

// TestBreakLinesOfRandomDocuments checks that only space changes, and that the length of
// the lines depends on the scalars only.
func TestBreakLinesOfRandomDocuments(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(1000)) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		raw, err := json.Marshal(map[string]any{"all": randomTree(rnd, 6), "more": randomTree(rnd, 5)})
		require.NoError(t, err)
		broken := excerpt.BreakLines(string(raw))
		if len(raw) <= 1000 {
			require.Equal(t, string(raw), broken)
			continue
		}
		require.JSONEq(t, string(raw), broken)
		for line := range strings.Lines(broken) {
			require.Less(t, len(line), 200)
		}
		require.Equal(t, broken, excerpt.BreakLines(broken))
	}
}

func randomTree(rnd *rand.Rand, depth int) any {
	switch n := rnd.IntN(8); {
	case depth == 0 || n < 2:
		return []any{nil, true, 1.5, "text", "\"{[,]}\\", fmt.Sprint(rnd.Uint64())}[rnd.IntN(6)]
	case n < 5:
		list := make([]any, rnd.IntN(9))
		for i := range list {
			list[i] = randomTree(rnd, depth-1)
		}
		return list
	}
	object := map[string]any{}
	for range rnd.IntN(9) {
		object[fmt.Sprint(rnd.IntN(100), ",\"}")] = randomTree(rnd, depth-1)
	}
	return object
}

// TestBreakLinesOfDeepDocument checks that the indentation does not make the text long.
func TestBreakLinesOfDeepDocument(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000)
	require.Less(t, len(excerpt.BreakLines(deep)), 25*len(deep))
	require.True(t, json.Valid([]byte(excerpt.BreakLines(deep))))
}

func FuzzBreakLines(f *testing.F) {
	f.Add(`{"a":[1,{"b":"\"}"},[]],"c":-1e5}`)
	f.Add("[1]\n{\"a\"")
	f.Fuzz(func(t *testing.T, text string) {
		text += "\n" + `["` + strings.Repeat("x", 1000) + `",` + text + "]"
		broken := excerpt.BreakLines(text)
		drop := strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "")
		require.Equal(t, drop.Replace(text), drop.Replace(broken))
		require.Equal(t, json.Valid([]byte(text)), json.Valid([]byte(broken)))
	})
}
