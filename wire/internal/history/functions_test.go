package history_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/wire/internal/history"
)

func TestFunctionsBlock(t *testing.T) {
	t.Parallel()
	require.Equal(t, "<functions>\n</functions>", history.FunctionsBlock(nil))
	block := history.FunctionsBlock([]json.RawMessage{
		[]byte("{\n  \"name\": \"clock\",\n  \"description\": \"<tells>\\n& more\"\n}"),
		[]byte(`{"name":`), nil,
		[]byte(`{"type":"function","function":{"name":"zoom"}}`),
	})
	require.Equal(t, "<functions>\n"+
		`{"name":"clock","description":"<tells>\n& more"}`+"\n"+
		`{"type":"function","function":{"name":"zoom"}}`+"\n</functions>", block)
	require.Equal(t, []string{"clock", "zoom"}, slices.Collect(history.FunctionNames(block)))
}

func TestFunctionNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		text string
		want []string
	}{
		{name: "nothing"},
		{name: "no block", text: `{"name":"a"}`},
		{name: "named in passing", text: "See <functions>:\n" + `{"name":"a"}`},
		{name: "between other text", text: "Found:\n<functions>\n{\"name\":\"a\"}\n</functions>\n{\"name\":\"b\"}", want: []string{"a"}},
		{name: "two blocks", text: "<functions>\n{\"name\":\"a\"}\n</functions>\n<functions>\n{\"name\":\"b\"}\n</functions>", want: []string{"a", "b"}},
		{name: "other line ends and spaces", text: " <functions> \r\n\r\n  {\"name\": \"a\"}\r\n</functions>\r\n", want: []string{"a"}},
		{name: "cut off", text: "<functions>\n{\"name\":\"a\"}\n{\"name\":\"b\"}\n{\"na", want: []string{"a", "b"}},
		{name: "cut in the middle", text: "<functions>\n{\"name\":\"a\"}\n(9 lines left out)\n{\"name\":\"b\"}\n</functions>", want: []string{"a", "b"}},
		{name: "no definitions", text: "<functions>\n[]\n{}\n{\"name\":7}\n{\"NAME\":\"a\"}\n{\"name\":\"a\"} x\n{\"function\":{}}\n\"a\"\n</functions>"},
		{name: "within function", text: "<functions>\n{\"name\":\"a\",\"function\":{\"name\":\"b\"}}\n</functions>", want: []string{"b"}},
		{name: "escaped", text: "<functions>\n{\"n\\u0061me\":\"\\u0061\"}\n</functions>", want: []string{"a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, slices.Collect(history.FunctionNames(tt.text)))
		})
	}
	for range history.FunctionNames("<functions>\n{\"name\":\"a\"}\n{\"name\":\"b\"}") {
		break // a loop that is left early must not go on
	}
}

// FuzzFunctionsBlock writes definitions with any name among any text and reads the
// name again.
func FuzzFunctionsBlock(f *testing.F) {
	f.Add("clock", "before", "after")
	f.Add("</functions>", "<functions>", "\n</functions>\n<functions>\n")
	f.Add("a\nb\u2028", "\r", "{\"name\":\"x\"}")
	f.Fuzz(func(t *testing.T, name, before, after string) {
		definition, err := json.MarshalIndent(map[string]any{"description": after, "name": name}, "", "  ")
		require.NoError(t, err)
		var decoded struct{ Name string } // broken bytes are gone
		require.NoError(t, json.Unmarshal(definition, &decoded))
		var want []string
		if decoded.Name != "" {
			want = []string{decoded.Name, decoded.Name}
		}
		block := history.FunctionsBlock([]json.RawMessage{definition, definition})
		require.Equal(t, 3, strings.Count(block, "\n"))
		got := slices.Collect(history.FunctionNames(block))
		require.Equal(t, want, got)
		require.Subset(t, slices.Collect(history.FunctionNames(before+"\n</functions>\n"+block+"\n"+after)), got)
	})
}
