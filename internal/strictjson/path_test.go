package strictjson_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

func TestPathAt(t *testing.T) {
	t.Parallel()
	const text = ` {"a": [1, {"b c":[] , "d":-2}], "\u0065" : "x"} `
	for before, want := range map[string]string{
		``:                                   "",
		` {`:                                 "",
		` {"a"`:                              "",
		` {"a": [`:                           "a",
		` {"a": [1`:                          "a[0]",
		` {"a": [1, {"b c"`:                  "a[1]",
		` {"a": [1, {"b c":[`:                `a[1]["b c"]`,
		` {"a": [1, {"b c":[] , "d":-2`:      "a[1].d",
		` {"a": [1, {"b c":[] , "d":-2}]`:    "a",
		` {"a": [1, {"b c":[] , "d":-2}], "`: "",
		text[:len(text)-2]:                   "e",
		text:                                 "",
	} {
		require.True(t, strings.HasPrefix(text, before))
		require.Equal(t, want, strictjson.PathAt([]byte(text), len(before)), before)
	}
	require.Empty(t, strictjson.PathAt([]byte("12"), 2))
}

func TestPaths(t *testing.T) {
	t.Parallel()
	path := strictjson.AppendKey("", "items")
	path = strictjson.AppendIndex(path, 2)
	path = strictjson.AppendKey(path, "name")
	require.Equal(t, "items[2].name", path)
	require.Equal(t, `a["b c"]`, strictjson.AppendKey("a", "b c"))
	require.Equal(t, `[""]`, strictjson.AppendKey("", ""))
	require.Equal(t, "a.b", strictjson.Join("a", "b"))
	require.Equal(t, "a[0]", strictjson.Join("a", "[0]"))
	require.Equal(t, "a", strictjson.Join("a", ""))
}
