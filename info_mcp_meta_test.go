package pegboard_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func TestWithMeta(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		meta string
		want pegboard.Info
	}{
		{name: "none"},
		{name: "no JSON", meta: `{`},
		{name: "no object", meta: `[1]`},
		{name: "of somebody else", meta: `{"com.example/alwaysLoad":true,"alwaysLoad":true}`},
		{
			name: "all", meta: `{"anthropic/alwaysLoad":true,"anthropic/maxResultSizeChars":100000,"anthropic/requiresUserInteraction":true,"anthropic/searchHint":"paint pictures"}`,
			want: pegboard.Info{Loading: pegboard.LoadAlways, MaxResult: 100_000, RequiresUser: true, Hint: "paint pictures"},
		},
		{name: "more than is allowed", meta: `{"anthropic/maxResultSizeChars":1e300}`, want: pegboard.Info{MaxResult: pegboard.MaxExternalResult}},
		{name: "nothing at all", meta: `{"anthropic/maxResultSizeChars":0}`},
		{name: "less than nothing", meta: `{"anthropic/maxResultSizeChars":-5}`},
		{name: "wrong types", meta: `{"anthropic/alwaysLoad":"true","anthropic/maxResultSizeChars":"9","anthropic/requiresUserInteraction":1,"anthropic/searchHint":["a"]}`},
		{name: "one wrong type", meta: `{"anthropic/alwaysLoad":1,"anthropic/requiresUserInteraction":true}`, want: pegboard.Info{RequiresUser: true}},
		{name: "a hint that cannot be shown", meta: `{"anthropic/searchHint":"a\u0000b"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, pegboard.Info{}.WithMeta(json.RawMessage(tt.meta)))
		})
	}
	all := pegboard.Info{Loading: pegboard.LoadAlways}
	require.Equal(t, pegboard.Info{}, all.WithMeta(json.RawMessage(`{"anthropic/alwaysLoad":false}`)), "as its server has it for all others")
	require.Equal(t, all, all.WithMeta(json.RawMessage(`{"anthropic/alwaysLoad":null}`)))
	kept := pegboard.Info{Name: "x", RequiresUser: true, MaxResult: 5, Loading: pegboard.LoadOnSearch}
	require.Equal(t, kept, kept.WithMeta(json.RawMessage(`{"anthropic/requiresUserInteraction":false,"anthropic/alwaysLoad":false}`)))
}
