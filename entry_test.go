package pegboard_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestInfoIsASnapshot registers tools that turn into others afterwards.
func TestInfoIsASnapshot(t *testing.T) {
	t.Parallel()
	info := pegboard.Info{Name: "Before", Aliases: []string{"Old"}}
	tool := posing{inert("T"), func() pegboard.Info { return info }}
	reg := registryOf(t, tool)
	_, err := reg.Attach("src", tool)
	require.NoError(t, err)
	s := session(t, pegboard.SessionConfig{})
	early := reg.AssemblePool(s, pegboard.PoolConfig{})

	info.Aliases[0] = "Stolen"
	info = pegboard.Info{Name: "After", Aliases: []string{"Stolen"}}
	for _, pool := range []*pegboard.Pool{early, reg.AssemblePool(s, pegboard.PoolConfig{})} {
		for _, name := range []string{"Before", "Old", "mcp__src__Before"} {
			_, ok := pool.Lookup(name)
			require.True(t, ok, name)
		}
		for _, name := range []string{"After", "Stolen", "mcp__src__After"} {
			_, ok := pool.Lookup(name)
			require.False(t, ok, name)
		}
	}
	require.ErrorIs(t, reg.Add(inert("Before")), pegboard.ErrDuplicate)
	require.NoError(t, reg.Add(inert("After")))
}

// TestQuarantineIsExplained takes the name of a tool that cannot be offered, as
// its source and as a model would say it.
func TestQuarantineIsExplained(t *testing.T) {
	t.Parallel()
	broken := errors.New("the schema is broken")
	tests := []struct {
		name string
		tool pegboard.Tool
		key  string
		says string
	}{
		{name: "unusable", tool: pegboard.InvalidTool("c.d", broken), key: "c.d", says: "the schema is broken"},
		{name: "unusable without a reason", tool: pegboard.InvalidTool("c.d", nil), key: "c.d", says: "quarantined"},
		{name: "a control character", tool: called("c\td"), key: "c\td", says: "control character"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var reg pegboard.Registry
			report, err := reg.Attach("src", inert("good"), tc.tool)
			require.NoError(t, err)
			require.Contains(t, report.Quarantined, tc.key)
			clear(report.Quarantined) // the report is the caller's own

			pool := reg.AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
			require.Equal(t, []string{"mcp__src__good"}, names(pool))
			require.Len(t, pool.Excluded(), 1)
			out := pool.Excluded()[0]
			require.Contains(t, out.Reason, tc.says)
			require.Contains(t, pool.Explain(tc.key), tc.says)
			require.Equal(t, pegboard.Origin{Source: "src", Tool: tc.key}, out.Origin)
			require.Equal(t, "mcp__src__c_d", out.Name)
			require.Contains(t, pool.Explain("mcp__src__c_d"), tc.says)
		})
	}
}
