package deferral_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/wire/internal/deferral"
)

func TestResult(t *testing.T) {
	t.Parallel()
	const block = "<functions>\n{\"name\":\"a\"}\n{\"name\":\"b\"}\n</functions>"
	tests := []struct {
		name   string
		result deferral.Result
		want   []string
	}{
		{name: "zero"},
		{name: "a search", result: deferral.Result{Tool: "ToolSearch", Texts: []string{"Found:", block}}, want: []string{"a", "b"}},
		{name: "in each text", result: deferral.Result{Tool: "ToolSearch", Texts: []string{block, block}}, want: []string{"a", "b", "a", "b"}},
		{name: "across texts", result: deferral.Result{Tool: "ToolSearch", Texts: []string{"<functions>", "{\"name\":\"a\"}"}}},
		{name: "nothing found", result: deferral.Result{Tool: "ToolSearch", Texts: []string{"<functions>\n</functions>"}}},
		{name: "a search that failed", result: deferral.Result{Tool: "ToolSearch", Failed: true, Texts: []string{block}}},
		{name: "another tool", result: deferral.Result{Tool: "toolsearch", Texts: []string{block}}},
		{name: "an unknown call", result: deferral.Result{Texts: []string{block}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, slices.Collect(tt.result.Shown()))
			require.Equal(t, len(tt.want) > 0, tt.result.ShowsTools())
		})
	}
	require.Equal(t, "1\n2", deferral.Result{Texts: []string{"1", "2"}}.Text())
}
