package session_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/session"
)

// TestRulesOfTheCheckout name places in the checkout in every way, and keep sessions and their
// forks from the same places of a worktree, however they came there.
func TestRulesOfTheCheckout(t *testing.T) {
	t.Parallel()
	ways := map[string]func(y *yard) *yard{
		"EnterWorktree": func(y *yard) *yard {
			y.enter(map[string]any{"name": "w"})
			return y
		},
		"EnterWorktree in a fork": func(y *yard) *yard {
			fork, err := y.s.Fork(pegboard.SessionConfig{AgentID: "a"})
			require.NoError(y.t, err)
			y.in(fork).enter(map[string]any{"name": "w"})
			return y.in(fork)
		},
		"a fork made there": func(y *yard) *yard {
			y.enter(map[string]any{"name": "w"})
			fork, err := y.s.Fork(pegboard.SessionConfig{AgentID: "a"})
			require.NoError(y.t, err)
			return y.in(fork)
		},
		"the host": func(y *yard) *yard {
			y.enter(map[string]any{"name": "w"})
			y.exit(map[string]any{"action": "keep"})
			require.NoError(y.t, y.s.SetDir(".claude/worktrees/w"))
			return y
		},
		"a path below": func(y *yard) *yard {
			y.enter(map[string]any{"name": "w"})
			y.exit(map[string]any{"action": "keep"})
			y.enter(map[string]any{"path": ".claude/worktrees/w/src"})
			return y
		},
		"the host had moved it before": func(y *yard) *yard {
			require.NoError(y.t, y.s.SetDir("src"))
			y.enter(map[string]any{"name": "w"})
			return y
		},
		"rules that came later": func(y *yard) *yard {
			rules := y.s.Permissions()
			bare, err := pegboard.NewPermissions(pegboard.ModeBypass)
			require.NoError(y.t, err)
			require.NoError(y.t, y.s.SetPermissions(bare))
			y.enter(map[string]any{"name": "w"})
			require.NoError(y.t, y.s.SetPermissions(rules))
			return y
		},
	}
	for way, there := range ways {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t)
			require.NoError(t, os.WriteFile(filepath.Join(dir, "src/k.pem"), nil, 0o600))
			git(t, dir, "add", "-A")
			git(t, dir, "commit", "-qm", "more")
			rules := pegboard.RuleSet{
				Source: pegboard.SourceUser,
				Deny:   []string{"Read(/" + dir + "/keys/**)", "Edit(~/main/src/home)", "Edit(/src/root)", "Edit(./src/dot)", "Edit(src/plain)", "Edit(deep/**)", "Edit(bare)", "Read(*.pem)"},
			}
			y := newYard(t, dir, session.WorktreeOptions{}, pegboard.SessionConfig{Home: filepath.Dir(dir)}, pegboard.ModeBypass, rules)
			y = there(y)
			tree := y.s.Dir()
			for filepath.Base(filepath.Dir(tree)) != "worktrees" {
				tree = filepath.Dir(tree)
			}
			for _, name := range []string{"src/home", "src/root", "src/dot", "src/plain", "deep/x", "src/deep/x", "bare", "src/bare"} {
				require.ErrorIs(t, y.write(filepath.Join(tree, name)).Err, pegboard.ErrDenied, name)
			}
			require.ErrorIs(t, y.bash("cat "+tree+"/keys/k").Err, pegboard.ErrDenied)
			require.ErrorIs(t, y.bash("cat "+tree+"/src/k.pem").Err, pegboard.ErrDenied)
			require.NoError(t, y.write(filepath.Join(tree, "src/public")).Err)
			n := len(y.s.Permissions().Rules())
			require.NoError(t, y.write(filepath.Join(tree, "src/public2")).Err)
			require.Len(t, y.s.Permissions().Rules(), n, "rules are repeated once")
		})
	}
}

// TestNestedWorktrees are behind the fence of each checkout around them.
func TestNestedWorktrees(t *testing.T) {
	t.Parallel()
	y := newYard(t, newRepository(t), session.WorktreeOptions{BaseRef: "head"}, pegboard.SessionConfig{}, pegboard.ModeBypass)
	outer := y.enter(map[string]any{"name": "outer"}).WorktreePath
	fork, err := y.s.Fork(pegboard.SessionConfig{AgentID: "a", Role: pegboard.RoleAsyncAgent})
	require.NoError(t, err)
	agent := y.in(fork)
	inner := agent.enter(map[string]any{"name": "inner"}).WorktreePath
	require.Equal(t, filepath.Join(outer, ".claude/worktrees/inner"), inner)
	for _, dir := range []string{y.dir, outer} {
		require.ErrorIs(t, agent.write(filepath.Join(dir, "src/new")).Err, pegboard.ErrDenied, dir)
		require.ErrorIs(t, agent.bash("touch "+dir+"/src/new").Err, pegboard.ErrDenied, dir)
		require.ErrorIs(t, agent.bash("git -C "+dir+" commit --allow-empty -m x").Err, pegboard.ErrDenied, dir)
	}
	require.NoError(t, agent.write("src/new").Err)
	y.refuses("other worktrees", "ExitWorktree", map[string]any{"action": "remove", "discard_changes": true})
	agent.exit(map[string]any{"action": "remove", "discard_changes": true})
	require.Equal(t, outer, fork.Dir())
	y.exit(map[string]any{"action": "remove"})
	require.Error(t, agent.write("src/new").Err)
	require.NoFileExists(t, filepath.Join(y.dir, "src/new"))
}

// TestTaskOfAnEarlierStay runs in a worktree that the session has left and entered again.
func TestTaskOfAnEarlierStay(t *testing.T) {
	t.Parallel()
	y := newYard(t, newRepository(t), session.WorktreeOptions{}, pegboard.SessionConfig{}, pegboard.ModeBypass)
	path := y.enter(map[string]any{"name": "w"}).WorktreePath
	require.NoError(t, y.call("Bash", map[string]any{"command": "sleep 60", "run_in_background": true}).Err)
	y.exit(map[string]any{"action": "keep"})
	y.enter(map[string]any{"path": path})
	require.ErrorIs(t, y.fails("tasks run", "ExitWorktree", map[string]any{"action": "remove", "discard_changes": true}), session.ErrWouldLose)
	require.DirExists(t, path)
}

// TestResumedAfterAKill: the worktree of a conversation whose program was killed is in use again
// once the host has moved the session there, and can be entered by its path.
func TestResumedAfterAKill(t *testing.T) {
	t.Parallel()
	dir := newRepository(t)
	killed(t, dir, "unchanged")
	path := filepath.Join(dir, ".claude/worktrees/unchanged")
	y := newYard(t, dir, session.WorktreeOptions{}, pegboard.SessionConfig{}, pegboard.ModeBypass)
	require.NoError(t, session.InWorktree(path))
	require.NoError(t, y.s.SetDir(path))
	require.NoError(t, y.bash("git status").Err)

	other := newYard(t, dir, session.WorktreeOptions{}, pegboard.SessionConfig{}, pegboard.ModeBypass)
	other.enter(map[string]any{"name": "w"}) // it cleans up first
	require.DirExists(t, path)
	other.exit(map[string]any{"action": "keep"})
	require.ErrorIs(t, other.fails("in use", "EnterWorktree", map[string]any{"path": path}), session.ErrWorktreeTaken)

	require.NoError(t, y.s.SetDir(dir))
	other.enter(map[string]any{"path": path})
	other.exit(map[string]any{"action": "keep"})
	require.NoError(t, y.s.SetDir(path))
	require.NoError(t, y.bash("git status").Err)
	require.ErrorIs(t, other.fails("in use", "EnterWorktree", map[string]any{"path": path}), session.ErrWorktreeTaken)
	require.NoError(t, y.s.Close(t.Context()))
	require.NotContains(t, git(t, dir, "worktree", "list", "--porcelain"), "\nlocked")
	other.enter(map[string]any{"path": path})

	killed(t, dir, "again")
	third := newYard(t, dir, session.WorktreeOptions{}, pegboard.SessionConfig{}, pegboard.ModeBypass)
	third.enter(map[string]any{"path": ".claude/worktrees/again"})
}
