package toolname_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/toolname"
)

func TestClashes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		servers []string
		want    map[string]toolname.Clash
	}{
		{name: "none", want: map[string]toolname.Clash{}},
		{name: "apart", servers: []string{"mcp__a", "mcp__b"}, want: map[string]toolname.Clash{}},
		{name: "one name", servers: []string{"mcp__a_b", "mcp__a_b"}, want: map[string]toolname.Clash{"mcp__a_b": {Folded: true}}},
		{name: "a newer one continues the other", servers: []string{"mcp__git", "mcp__git__hub", "mcp__gi"},
			want: map[string]toolname.Clash{"mcp__git": {}, "mcp__git__hub": {Nested: true}}},
		{name: "an older one continues the other", servers: []string{"mcp__git__hub", "mcp__git"},
			want: map[string]toolname.Clash{"mcp__git": {Older: []string{"mcp__git__hub"}}, "mcp__git__hub": {}}},
		{name: "both", servers: []string{"mcp__git", "mcp__git", "mcp__git__hub"},
			want: map[string]toolname.Clash{"mcp__git": {Folded: true}, "mcp__git__hub": {Nested: true}}},
		{name: "a single underscore continues nothing", servers: []string{"mcp__git", "mcp__git_hub"}, want: map[string]toolname.Clash{}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tc.want, toolname.Clashes(tc.servers))
		})
	}
}

func TestAlike(t *testing.T) {
	t.Parallel()
	names := []string{"read_file", "read-file", "Read.File", "x", "x ", "y", "readfile", "Ä", "ä"}
	want := map[string]string{"read-file": "read_file", "Read.File": "read_file", "x ": "x", "ä": "Ä"}
	require.Equal(t, want, toolname.Lookalikes(names))
}
