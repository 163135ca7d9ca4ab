package tooltest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func TestRunTakesTheWholeWay(t *testing.T) {
	t.Parallel()
	require.ErrorIs(t, tooltest.Run(t.Context(), shout(), nil, `{"text":true}`).Err, pegboard.ErrInvalidInput)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, tooltest.Run(ctx, shout(), nil, `{"text":"a"}`).Err, pegboard.ErrCancelled)
}

type commandInput struct {
	Command string `json:"command"`
}

func TestRunUsesTheSession(t *testing.T) {
	t.Parallel()
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Bash(pwd)"}})
	require.NoError(t, err)
	dir := t.TempDir()
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: perms})
	require.NoError(t, err)
	bash := pegboard.Build(pegboard.Definition[commandInput, string]{
		Info: pegboard.Info{Name: "Bash"}, Description: "For a test.",
		Inspect: func(in commandInput, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Targets: []policy.Target{{Kind: policy.Command, Access: policy.Run, Value: in.Command}}}
		},
		Call: func(_ context.Context, _ commandInput, c *pegboard.Call) (string, error) {
			return c.Session().Dir(), nil
		},
	})
	out := tooltest.Run(t.Context(), bash, s, `{"command":"pwd"}`)
	require.NoError(t, out.Err)
	require.Equal(t, dir, out.Result.Text())
	require.ErrorIs(t, tooltest.Run(t.Context(), bash, s, `{"command":"rm"}`).Err, pegboard.ErrDenied)

	require.NoError(t, s.Close(t.Context()), "Run does not close a session that it was given")
	require.ErrorIs(t, tooltest.Run(t.Context(), bash, s, `{"command":"pwd"}`).Err, pegboard.ErrClosed)
}

// TestRunFindsEveryTool has the well-known names that gates and tables hide.
func TestRunFindsEveryTool(t *testing.T) {
	t.Parallel()
	main, err := tooltest.NewSession(t.TempDir())
	require.NoError(t, err)
	sessions := []*pegboard.Session{main}
	for _, role := range []pegboard.Role{pegboard.RoleSubAgent, pegboard.RoleAsyncAgent, pegboard.RoleTeammate} {
		fork, err := main.Fork(pegboard.SessionConfig{Role: role})
		require.NoError(t, err)
		sessions = append(sessions, fork)
	}
	coordinator, err := pegboard.NewSession(pegboard.SessionConfig{Role: pegboard.RoleCoordinator, Permissions: main.Permissions()})
	require.NoError(t, err)
	for _, s := range append(sessions, coordinator) {
		for _, name := range append(pegboard.BuiltinNames(), "My own") {
			out := tooltest.Run(t.Context(), tooltest.NewFake(name), s, `{}`)
			require.NoError(t, out.Err, "%s for a %v", name, s.Role())
		}
	}
	require.NoError(t, errors.Join(main.Close(t.Context()), coordinator.Close(t.Context())))
}

func TestRunReportsWhatCannotRun(t *testing.T) {
	t.Parallel()
	out := tooltest.Run(t.Context(), nil, nil, `{}`)
	require.ErrorContains(t, out.Err, "is nil")
	require.True(t, out.Result.IsError)
	require.NotEmpty(t, out.Result.Text())
	require.NotNil(t, out.Call)

	hidden := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "T"}, Description: "For a test.",
		Enabled: func(*pegboard.Session) bool { return false },
		Call:    func(context.Context, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})
	require.ErrorIs(t, tooltest.Run(t.Context(), hidden, nil, `{}`).Err, pegboard.ErrUnknownTool)
}

func TestRunClosesItsSession(t *testing.T) {
	t.Parallel()
	stuck := errors.New("stuck")
	closed := 0
	leave := func(err error) pegboard.Tool {
		return pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "T"}, Description: "For a test.",
			Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
				c.Session().OnClose("watch", func(context.Context) error { closed++; return err })
				return "started", nil
			},
		})
	}
	require.NoError(t, tooltest.Run(t.Context(), leave(nil), nil, ``).Err)
	require.Equal(t, 1, closed)
	out := tooltest.Run(t.Context(), leave(stuck), nil, ``)
	require.ErrorIs(t, out.Err, stuck)
	require.ErrorContains(t, out.Err, "watch")
	require.Equal(t, "started", out.Result.Text())
}
