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
		want    map[string]toolname.Claim
	}{
		{name: "none", want: map[string]toolname.Claim{}},
		{name: "apart", servers: []string{"mcp__a", "mcp__b"}, want: map[string]toolname.Claim{"mcp__a": toolname.Sole, "mcp__b": toolname.Sole}},
		{name: "one name", servers: []string{"mcp__a_b", "mcp__a_b"}, want: map[string]toolname.Claim{"mcp__a_b": toolname.Folded}},
		{name: "one continues the other", servers: []string{"mcp__git", "mcp__git__hub", "mcp__gi"},
			want: map[string]toolname.Claim{"mcp__git": toolname.Nested, "mcp__git__hub": toolname.Nested, "mcp__gi": toolname.Sole}},
		{name: "both", servers: []string{"mcp__git", "mcp__git", "mcp__git__hub"},
			want: map[string]toolname.Claim{"mcp__git": toolname.Nested, "mcp__git__hub": toolname.Nested}},
		{name: "a single underscore continues nothing", servers: []string{"mcp__git", "mcp__git_hub"},
			want: map[string]toolname.Claim{"mcp__git": toolname.Sole, "mcp__git_hub": toolname.Sole}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tc.want, toolname.Claims(tc.servers))
		})
	}
}

func TestAlike(t *testing.T) {
	t.Parallel()
	names := []string{"read_file", "read-file", "Read.File", "x", "x ", "y", "readfile", "Ä", "ä"}
	want := map[string]string{"read-file": "read_file", "Read.File": "read_file", "x ": "x", "ä": "Ä"}
	require.Equal(t, want, toolname.Alike(names))
}
