package pegboard_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func TestNewSession(t *testing.T) {
	t.Parallel()
	here, err := os.Getwd()
	require.NoError(t, err)
	s := session(t, pegboard.SessionConfig{})
	require.Equal(t, here, s.Dir())
	require.Equal(t, pegboard.RoleMain, s.Role())
	require.Empty(t, s.ID()+s.AgentID()+s.AgentType())
	require.Equal(t, pegboard.ModeDefault, s.Permissions().Mode())

	s = session(t, pegboard.SessionConfig{ID: "1", Role: pegboard.RoleCoordinator, AgentType: "lead", Dir: "internal"})
	require.Equal(t, filepath.Join(here, "internal"), s.Dir())
	require.Equal(t, "1lead coordinator", s.ID()+s.AgentType()+" "+s.Role().String())

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, cfg := range []pegboard.SessionConfig{{Dir: file}, {MoreDirs: []string{file}}} {
		_, err := pegboard.NewSession(cfg)
		require.ErrorContains(t, err, "not a directory")
	}
	for _, cfg := range []pegboard.SessionConfig{{Dir: file + "2"}, {MoreDirs: []string{".", file + "2"}}} {
		_, err := pegboard.NewSession(cfg)
		require.ErrorIs(t, err, os.ErrNotExist)
	}
}

// TestSessionIsSafeForConcurrentUse does everything at once, for the race
// detector.
func TestSessionIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	s := session(t, bypass(t))
	a := actor{name: "T", call: func(ctx ctx, c *pegboard.Call) error { return c.Check(ctx, pegboard.Target{}) }}
	plan := rules(t, pegboard.ModePlan, pegboard.RuleSet{Deny: []string{"U"}})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			f, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent})
			if err != nil {
				t.Error(err)
				return
			}
			f.OnClose("x", func(ctx) error { return nil })
			ex := executor(pegboard.Executor{})
			ex.Run(context.Background(), a.pool(t, f), call("1", "T", ``))
			if err := errors.Join(f.SetPermissions(plan), s.SetPermissions(s.Permissions()), f.Close(context.Background())); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
