package pegboard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// Init has the session before anyone else, and is not inherited.
func TestInit(t *testing.T) {
	t.Parallel()
	key, calls := pegboard.NewKey[string]("test"), 0
	cfg := pegboard.SessionConfig{Dir: t.TempDir(), Init: func(s *pegboard.Session) {
		calls++
		key.Set(s, s.Dir())
	}}
	s := session(t, cfg)
	v, ok := key.Get(s)
	require.True(t, ok)
	require.Equal(t, s.Dir(), v)
	_, err := s.Fork(pegboard.SessionConfig{})
	require.NoError(t, err)
	require.Equal(t, 1, calls)
	_, err = s.Fork(pegboard.SessionConfig{Init: func(f *pegboard.Session) { calls++; require.Equal(t, pegboard.RoleSubAgent, f.Role()) }})
	require.NoError(t, err)
	require.Equal(t, 2, calls)
}
