package pegboard_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestCallRun: the calls that a call makes are decided and ordered like any other, know
// their parent, and reach the tools of the pool and those that REPL mode hides.
func TestCallRun(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		tool  string // that makes the calls
		pool  pegboard.PoolConfig
		deny  []string
		inner pegboard.Call
		want  string // what the inner call returns
		err   error
	}{
		{name: "a tool of the pool", tool: "Script", inner: pegboard.Call{ID: "in", Name: "Own"}, want: "own"},
		{name: "itself", tool: "Script", inner: pegboard.Call{ID: "in", Name: "Script"}, err: pegboard.ErrUnknownTool},
		{name: "unknown", tool: "Script", inner: pegboard.Call{ID: "in", Name: "Nothing"}, err: pegboard.ErrUnknownTool},
		{name: "bad input", tool: "Script", inner: pegboard.Call{ID: "in", Name: "Own", Input: []byte(`{"a":1}`)}, err: pegboard.ErrInvalidInput},
		{name: "denied", tool: "Script", deny: []string{"Own(x:1)", "Read"}, inner: pegboard.Call{ID: "in", Name: "Read"}, err: pegboard.ErrUnknownTool},
		{name: "not allowed", tool: "Script", inner: pegboard.Call{ID: "in", Name: "Unruled"}, err: pegboard.ErrDenied},
		{name: "hidden in REPL mode", tool: "REPL", pool: pegboard.PoolConfig{Gates: pegboard.Gates{REPL: true}}, inner: pegboard.Call{ID: "in", Name: "Read"}, want: "read"},
		{name: "hidden, for another tool", tool: "Script", pool: pegboard.PoolConfig{Gates: pegboard.Gates{REPL: true}}, inner: pegboard.Call{ID: "in", Name: "Read"}, err: pegboard.ErrUnknownTool},
		{name: "REPL in REPL", tool: "REPL", pool: pegboard.PoolConfig{Gates: pegboard.Gates{REPL: true}}, inner: pegboard.Call{ID: "in", Name: "REPL"}, err: pegboard.ErrUnknownTool},
		{
			name: "kept out by the host", tool: "REPL", inner: pegboard.Call{ID: "in", Name: "Read"}, err: pegboard.ErrUnknownTool,
			pool: pegboard.PoolConfig{Gates: pegboard.Gates{REPL: true}, Restrictions: []pegboard.Restriction{{Without: []string{"Read"}}}},
		},
		{
			name: "denied by name in REPL mode", tool: "REPL", deny: []string{"Read"}, inner: pegboard.Call{ID: "in", Name: "Read"}, err: pegboard.ErrUnknownTool,
			pool: pegboard.PoolConfig{Gates: pegboard.Gates{REPL: true}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			perms, err := pegboard.NewPermissions(pegboard.ModeDefault, pegboard.RuleSet{
				Allow: []string{"Script", "REPL", "Own", "Read"}, Deny: tt.deny,
			})
			require.NoError(t, err)
			s := session(t, pegboard.SessionConfig{Permissions: perms})
			tool, outcomes := script(tt.tool, tt.inner)
			var reg pegboard.Registry
			require.NoError(t, reg.Add(tool, plain("Own", says("own")), plain("Read", says("read")), plain("Unruled", says("unruled"))))
			if tt.tool != "REPL" {
				require.NoError(t, reg.Add(plain("REPL", says("repl"))))
			}
			pool := reg.AssemblePool(s, tt.pool)
			parents := map[string]string{}
			e := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
				if p := e.Call.Parent(); p != nil {
					parents[e.Call.ID] = p.ID
				}
			}})
			outer := e.Run(t.Context(), pool, pegboard.Call{ID: "out", Name: tt.tool})
			require.NoError(t, outer[0].Err)
			require.Len(t, *outcomes, 1)
			inner := (*outcomes)[0]
			require.Equal(t, map[string]string{"in": "out"}, parents)
			require.Nil(t, outer[0].Call.Parent())
			if tt.err != nil {
				require.ErrorIs(t, inner.Err, tt.err)
				return
			}
			require.NoError(t, inner.Err)
			require.Equal(t, tt.want, inner.Result.Text())
		})
	}
}

// TestCallRunNeedsARunningCall: it answers with a denial before the call is admitted,
// and after it has ended.
func TestCallRunNeedsARunningCall(t *testing.T) {
	t.Parallel()
	ran := false
	var kept *pegboard.Call
	keep := plain("Keep", func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
		kept = c
		return "", nil
	})
	own := plain("Own", func(context.Context, struct{}, *pegboard.Call) (string, error) {
		ran = true
		return "", nil
	})
	perms, err := pegboard.NewPermissions(pegboard.ModeDefault, pegboard.RuleSet{Allow: []string{"Keep", "Own"}})
	require.NoError(t, err)
	var reg pegboard.Registry
	require.NoError(t, reg.Add(keep, own))
	pool := reg.AssemblePool(session(t, pegboard.SessionConfig{Permissions: perms}), pegboard.PoolConfig{})
	e := executor(pegboard.Executor{})
	require.NoError(t, e.Run(t.Context(), pool, pegboard.Call{ID: "1", Name: "Keep"})[0].Err)
	for _, c := range []*pegboard.Call{kept, {Name: "Keep"}} {
		out := c.Run(t.Context(), pegboard.Call{ID: "2", Name: "Own"}, pegboard.Call{ID: "3", Name: "Own"})
		require.Len(t, out, 2)
		for _, o := range out {
			require.ErrorIs(t, o.Err, pegboard.ErrDenied)
			require.True(t, o.Result.IsError)
		}
	}
	require.False(t, ran)
}
