package exchange_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/exchange"
)

func find(text string, piece int) string {
	var f exchange.IDFinder
	for rest := []byte(text); len(rest) > 0; rest = rest[min(piece, len(rest)):] {
		n, err := f.Write(rest[:min(piece, len(rest))])
		if err != nil || n != min(piece, len(rest)) {
			return "short write"
		}
	}
	return string(f.ID())
}

func TestIDFinder(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{name: "first", text: `{"id":17,"result":{`, want: "17"},
		{name: "last", text: `{"result":{"id":3,"a":[{"id":4}]} , "id" : "a\"b" }`, want: `"a\"b"`},
		{name: "within a string", text: `{"result":"\"id\":1,\\","id":2}`, want: "2"},
		{name: "not ended", text: `{"result":"a","id":12`, want: ""},
		{name: "string not ended", text: `{"result":"a,\"id\":12,`, want: ""},
		{name: "value named id", text: `{"a":"id","b":1}`, want: ""},
		{name: "key in capitals", text: `{"ID":1}`, want: ""},
		{name: "escaped key", text: `{"\u0069d":1}`, want: "1"},
		{name: "twice", text: `{"id":1,"id":2}`, want: "2"},
		{name: "an object", text: `{"id":{"a":1}}`, want: ""},
		{name: "a list", text: `{"id":[1,2]}`, want: ""},
		{name: "long", text: `{"id":"` + strings.Repeat("a", 500) + `"}`, want: ""},
		{name: "long key", text: `{"` + strings.Repeat("a", 500) + `":1,"id":2}`, want: "2"},
		{name: "a batch", text: `[{"id":1}]`, want: ""},
		{name: "text", text: `"id":1,`, want: ""},
		{name: "closed too often", text: `}}]{"id":1}`, want: ""},
		{name: "a second message", text: `{"id":1}{"id":2}`, want: "1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, piece := range []int{1, 2, 7, len(tt.text)} {
				require.Equal(t, tt.want, find(tt.text, piece), "in pieces of %d", piece)
			}
		})
	}
}

// FuzzIDFinder compares the finder with encoding/json, for messages with a short id that is a
// string or a number.
func FuzzIDFinder(f *testing.F) {
	for _, seed := range []string{`{"id":1}`, `{"a":{"id":2},"id":"x\\"}`, `{"a":"\\\"","id":-1.5e3 }`, `{"id":null}`, `{"id":1,"id":[]}`, ` {"\u0069d" : "\u00e9"}`, `[`, `{"id":1,`} {
		f.Add([]byte(seed), 3)
	}
	f.Fuzz(func(t *testing.T, raw []byte, piece int) {
		piece = max(1, piece)
		got := find(string(raw), piece)
		require.Equal(t, got, find(string(raw), max(1, len(raw))))
		var members map[string]json.RawMessage
		if json.Unmarshal(raw, &members) != nil || members == nil {
			return
		}
		want := string(bytes.TrimSpace(members["id"]))
		if strings.HasPrefix(want, "{") || strings.HasPrefix(want, "[") || len(want) > 100 {
			want = ""
		}
		require.Equal(t, want, got)
	})
}
