package toolname_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/toolname"
)

func TestClaims(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		servers []string
		want    map[string]toolname.Clash
	}{
		{name: "none", want: map[string]toolname.Clash{}},
		{name: "apart", servers: []string{"mcp__a", "mcp__b"}, want: map[string]toolname.Clash{"mcp__a": toolname.NoClash, "mcp__b": toolname.NoClash}},
		{name: "one name", servers: []string{"mcp__a_b", "mcp__a_b"}, want: map[string]toolname.Clash{"mcp__a_b": toolname.FoldedClash}},
		{name: "one continues the other", servers: []string{"mcp__git", "mcp__git__hub", "mcp__gi"},
			want: map[string]toolname.Clash{"mcp__git": toolname.NestedClash, "mcp__git__hub": toolname.NestedClash, "mcp__gi": toolname.NoClash}},
		{name: "both", servers: []string{"mcp__git", "mcp__git", "mcp__git__hub"},
			want: map[string]toolname.Clash{"mcp__git": toolname.NestedClash, "mcp__git__hub": toolname.NestedClash}},
		{name: "a single underscore continues nothing", servers: []string{"mcp__git", "mcp__git_hub"},
			want: map[string]toolname.Clash{"mcp__git": toolname.NoClash, "mcp__git_hub": toolname.NoClash}},
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
