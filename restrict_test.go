package pegboard_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func TestRestriction(t *testing.T) {
	t.Parallel()
	all := []string{"Bash", "Edit", "Read", "mcp__gh__list", "mcp__gh__read", "mcp__web__read"}
	type restriction = pegboard.Restriction
	tests := []struct {
		name string
		re   restriction
		want []string
	}{
		{name: "zero", want: all},
		{name: "only", re: restriction{Only: []string{"Read", "Nothing"}}, want: []string{"Read"}},
		{name: "only, by alias", re: restriction{Only: []string{"View"}}, want: []string{"Read"}},
		{name: "only nothing", re: restriction{Only: []string{}}, want: []string{}},
		{name: "only, star", re: restriction{Only: []string{"mcp__*__read"}}, want: []string{"mcp__gh__read", "mcp__web__read"}},
		{name: "only, star for all", re: restriction{Only: []string{"*"}}, want: all},
		{name: "only, star for an alias", re: restriction{Only: []string{"Vie*"}}, want: []string{}},
		{name: "without", re: restriction{Without: []string{"Bash", "Nothing"}}, want: without(all, "Bash")},
		{name: "without, by alias", re: restriction{Without: []string{"View"}}, want: without(all, "Read")},
		{name: "without, star", re: restriction{Without: []string{"mcp__gh__*"}}, want: without(all, "mcp__gh__list", "mcp__gh__read")},
		{name: "without beats only", re: restriction{Only: []string{"Read", "Edit"}, Without: []string{"Read"}}, want: []string{"Edit"}},
		{name: "keep beats both", re: restriction{Only: []string{}, Without: []string{"Read", "Bash"}, Always: []string{"View"}}, want: []string{"Read"}},
		{name: "attached tools left alone", re: restriction{Only: []string{"Read"}, Without: []string{"mcp__*"}, SkipExternal: true}, want: without(all, "Bash", "Edit")},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.re.Reason = "said so"
			reg := registryOf(t, inert("Bash"), inert("Edit"), inert("Read", "View"))
			attach(t, reg, "gh", "list", "read")
			attach(t, reg, "web", "read")
			s := session(t, pegboard.SessionConfig{})
			pool := reg.AssemblePool(s, pegboard.PoolConfig{}).Restrict(tc.re)
			require.Equal(t, tc.want, names(pool))
			require.Equal(t, names(pool), names(reg.AssemblePool(s, pegboard.PoolConfig{Restrictions: []pegboard.Restriction{tc.re}})), "as an option")
			require.Len(t, pool.Excluded(), len(all)-pool.Len())
			for _, x := range pool.Excluded() {
				require.Equal(t, "said so", x.Reason)
				_, ok := pool.Lookup(x.Name)
				require.False(t, ok)
			}
			_, ok := pool.Lookup("View")
			require.Equal(t, slices.Contains(tc.want, "Read"), ok, "an alias goes with its tool")
			require.Equal(t, slices.DeleteFunc(slices.Clone(tc.want), func(n string) bool { return n > "mcp__" }), declared(pool, pegboard.Builtin))
		})
	}
}

// TestRestrictionsAddUp takes one after the other; the first that removes a tool
// is the one that is named.
func TestRestrictionsAddUp(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, inerts("Bash", "Edit", "Read", "TaskStop")...)
	s := session(t, pegboard.SessionConfig{Role: pegboard.RoleSubAgent})
	pool := reg.AssemblePool(s,
		pegboard.PoolConfig{Restrictions: []pegboard.Restriction{{Reason: "first", Without: []string{"Bash", "TaskStop"}}, {Reason: "second", Without: []string{"Bash", "Edit"}}, {Without: []string{"Read"}}}})
	require.Zero(t, pool.Len())
	require.Contains(t, pool.Explain("TaskStop"), "sub-agent", "the role comes before the host")
	require.Contains(t, pool.Explain("Bash"), "first")
	require.Contains(t, pool.Explain("Edit"), "second")
	require.Regexp(t, `: \w+`, pool.Explain("Read"), "a reason although none was given")
}
