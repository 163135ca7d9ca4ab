package pegboard_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func TestWithAnnotations(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, title, annotations, want string }{
		{name: "none"},
		{name: "no JSON", annotations: `{`},
		{name: "no object", annotations: `["title"]`},
		{name: "no title", annotations: `{"readOnlyHint":true}`},
		{name: "a title", annotations: `{"title":"Create issue","readOnlyHint":true}`, want: "Create issue"},
		{name: "the tool's own comes first", title: "New issue", annotations: `{"title":"Create issue"}`, want: "New issue"},
		{name: "a blank one does not", title: " ", annotations: `{"title":"Create issue"}`, want: "Create issue"},
		{name: "a wrong type", annotations: `{"title":["Create"]}`},
		{name: "null", annotations: `{"title":null}`},
		{name: "a title that cannot be shown", annotations: `{"title":"Create\u001b[2K"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := pegboard.Info{Name: "create", Title: tt.title, MaxResult: 5}.WithAnnotations(json.RawMessage(tt.annotations))
			require.Equal(t, tt.want, got.Title)
			require.Equal(t, 5, got.MaxResult)
			require.Equal(t, "create", got.Name)
		})
	}
}

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
