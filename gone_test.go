package pegboard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestUnknownDeniedAndRemovedAreToldApart: the model reads which it was.
func TestUnknownDeniedAndRemovedAreToldApart(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, inert("Read"), inert("Bash"))
	attach(t, reg, "gh", "list", "search")
	attach(t, reg, "web", "fetch")
	attach(t, reg, "gh", "search")
	reg.Detach("web")
	s := denying(t, "Bash")
	pool := reg.AssemblePool(s, pegboard.PoolConfig{}).Restrict(pegboard.Restriction{Without: []string{"mcp__gh__search"}})
	for name, says := range map[string]string{
		"Reed":            "not a registered tool. Did you mean Read?",
		"Bash":            `not available here: deny rule "Bash"`,
		"mcp__gh__search": "not available here: a restriction",
		"mcp__gh__list":   `no longer there: "gh" has withdrawn it`,
		"mcp__web__fetch": `no longer there: "web"`,
	} {
		ex := executor(pegboard.Executor{})
		out := ex.Run(t.Context(), pool, call("1", name, ``))[0]
		require.ErrorIs(t, out.Err, pegboard.ErrUnknownTool)
		require.Contains(t, out.Result.Text(), says)
	}
	attach(t, reg, "web", "fetch")
	require.Contains(t, reg.AssemblePool(s, pegboard.PoolConfig{}).Explain("mcp__web__fetch"), "is available")
}
