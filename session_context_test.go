package pegboard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func TestSessionInContext(t *testing.T) {
	t.Parallel()
	_, ok := pegboard.SessionFrom(t.Context())
	require.False(t, ok)
	_, ok = pegboard.SessionFrom(pegboard.WithSession(t.Context(), nil))
	require.False(t, ok)

	other, s := session(t, pegboard.SessionConfig{}), session(t, bypass(t))
	var seen, called *pegboard.Session
	a := actor{name: "T", call: func(ctx ctx, c *pegboard.Call) error {
		seen, _ = pegboard.SessionFrom(ctx)
		called = c.Session()
		return nil
	}}
	ex := executor(pegboard.Executor{})
	require.NoError(t, ex.Run(pegboard.WithSession(t.Context(), other), a.pool(t, s), call("1", "T", ``))[0].Err)
	require.Same(t, s, seen, "the pool's session, whatever the host's context carried")
	require.Same(t, s, called)
}
