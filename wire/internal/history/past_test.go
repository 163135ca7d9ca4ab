package history_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/wire/internal/history"
)

func TestLoaded(t *testing.T) {
	t.Parallel()
	const block = "<functions>\n{\"name\":\"a\"}\n{\"name\":\"b\"}\n</functions>"
	search := func(texts ...string) []history.Entry {
		return []history.Entry{{Past: &history.PastResult{Search: true, Texts: texts}}}
	}
	tests := []struct {
		name    string
		entries []history.Entry
		want    []string
	}{
		{name: "nothing"},
		{name: "names", entries: []history.Entry{{Names: []string{"", "zoom", "edit"}}, {Names: []string{"zoom"}}, {Names: []string{"", "clock", "edit"}}}, want: []string{"ZOOM", "EDIT", "CLOCK"}},
		{name: "a search", entries: search("Found:", block), want: []string{"A", "B"}},
		{name: "in each text, once", entries: search(block, block), want: []string{"A", "B"}},
		{name: "across texts", entries: search("<functions>", "{\"name\":\"a\"}")},
		{name: "nothing found", entries: search("<functions>\n</functions>")},
		{name: "references come first", entries: []history.Entry{{Names: []string{"b"}, Past: &history.PastResult{Search: true, Texts: []string{block}}}}, want: []string{"B", "A"}},
		{name: "a search that failed", entries: []history.Entry{{Past: &history.PastResult{Search: true, Failed: true, Texts: []string{block}}}}},
		{name: "another tool", entries: []history.Entry{{Past: &history.PastResult{Tool: "toolsearch", Texts: []string{block}}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, history.Loaded(tt.entries, strings.ToUpper))
		})
	}
}
