package toolname_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/toolname"
)

// TestExposed has its digests from another program, sha1sum.
func TestExposed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, source, tool, want string
	}{
		{name: "plain", source: "github", tool: "create_issue", want: "mcp__github__create_issue"},
		{name: "hyphens and digits stay", source: "s-1", tool: "t-2", want: "mcp__s-1__t-2"},
		{name: "case stays", source: "GitHub", tool: "Read", want: "mcp__GitHub__Read"},
		{name: "dots, slashes and blanks fold", source: "a.b c", tool: "x/y:z", want: "mcp__a_b_c__x_y_z"},
		{name: "a character folds to one underscore", source: "Ä", tool: "日本🔧", want: "mcp__" + "_" + "__" + "___"},
		{name: "a broken character too", source: "a", tool: "b\xff", want: "mcp__a__b_"},
		{name: "underscores stay", source: "a__b", tool: "_c", want: "mcp__a__b___c"},
		{name: "empty tool", source: "a", tool: "", want: "mcp__a__"},
		{name: "as long as may be", source: "a", tool: strings.Repeat("t", 56), want: "mcp__a__" + strings.Repeat("t", 56)},
		{name: "a byte longer", source: "a", tool: strings.Repeat("t", 57), want: "mcp__a__" + strings.Repeat("t", 43) + "_88c53f6b61ab"},
		{name: "long", source: "a-very-long-source-name", tool: "a_very_long_tool_name_that_no_provider_would_take", want: "mcp__a-very-long-source-name__a_very_long_tool_name_" + "21a5cb1e0ea7"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tc.want, toolname.Exposed(tc.source, tc.tool))
		})
	}
}

// TestLongNamesStayApart takes pairs that are the same once cut, or folded.
func TestLongNamesStayApart(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 80)
	pairs := [][2]string{
		{"s", long}, {"s", long + "y"}, {"s", long + "z"}, {"s", "." + long}, {"s", "_" + long},
		{long, "t"}, {long, "u"}, {long + "t", ""}, {"." + long, "t"}, {"_" + long, "t"},
	}
	seen := map[string][2]string{}
	for _, p := range pairs {
		name := toolname.Exposed(p[0], p[1])
		require.Len(t, name, toolname.MaxLen)
		require.NotContains(t, seen, name, "%q", p)
		seen[name] = p
	}
}

func TestServer(t *testing.T) {
	t.Parallel()
	tests := []struct{ source, want string }{
		{source: "github", want: "mcp__github"},
		{source: "a.b c", want: "mcp__a_b_c"},
		{source: strings.Repeat("s", 100), want: "mcp__" + strings.Repeat("s", 100)}, // a rule is not cut
	}
	for _, tc := range tests {
		require.Equal(t, tc.want, toolname.Server(tc.source))
	}
}

func TestIsExposed(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"mcp__a__b": true, "mcp__a": true, "Bash": false, "mcp__a.b__c": false, "mcp__a__b c": false, "mcp__a__" + strings.Repeat("t", 60): false} {
		require.Equal(t, want, toolname.IsExposed(name), name)
	}
}

// FuzzExposed holds the name against a plain description of it.
func FuzzExposed(f *testing.F) {
	f.Add("github", "create_issue")
	f.Add("a.b", "c d")
	f.Add("", "")
	f.Add("\xff", "Ä\x00")
	f.Add("source", strings.Repeat("t", 49))
	f.Add("source", strings.Repeat("t", 50))
	f.Add(strings.Repeat("ß", 90), "t")
	folded := regexp.MustCompile(`[^A-Za-z0-9_-]`)
	cut := regexp.MustCompile(`^mcp__[A-Za-z0-9_-]{46}_[0-9a-f]{12}$`)
	f.Fuzz(func(t *testing.T, source, tool string) {
		got := toolname.Exposed(source, tool)
		full := "mcp__" + folded.ReplaceAllString(source, "_") + "__" + folded.ReplaceAllString(tool, "_")
		require.Equal(t, got, toolname.Exposed(source, tool))
		if len(full) <= 64 {
			require.Equal(t, full, got)
			return
		}
		require.Regexp(t, cut, got)
		require.True(t, strings.HasPrefix(full, got[:51]))
		require.NotEqual(t, got, toolname.Exposed(source, tool+"x"))
	})
}
