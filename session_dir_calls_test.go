package pegboard_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// mover returns a tool that moves its session when all calls beside it have ended.
func mover(t *testing.T) pegboard.Tool {
	t.Helper()
	return pegboard.Build(pegboard.Definition[touch, string]{
		Info: pegboard.Info{Name: "Move"}, Description: "Moves the session.",
		Inspect: func(touch, *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Exclusive}
		},
		Permit: func(ctx, touch, *pegboard.Call) pegboard.Decision {
			return pegboard.Decision{Behavior: pegboard.Allow}
		},
		Call: func(_ ctx, in touch, _ *pegboard.Call) (string, error) { return in.Path, nil },
		Result: func(path string) *pegboard.Result {
			return &pegboard.Result{Parts: []pegboard.Part{{Text: "moved"}}, UpdateSession: func(s *pegboard.Session) {
				if err := s.SetDir(path); err != nil {
					panic(err)
				}
			}}
		},
	})
}

// TestSetDirInAMessage: a call behind one that moves the session is decided in the new place,
// although its targets were known before.
func TestSetDirInAMessage(t *testing.T) {
	t.Parallel()
	root := nested(t)
	home, tree := filepath.Join(root, "p"), filepath.Join(root, "p", "tree")
	s := session(t, pegboard.SessionConfig{Dir: home, Permissions: rules(t, pegboard.ModeAcceptEdits, pegboard.RuleSet{Deny: []string{"Edit(/denied)"}})})
	var mu sync.Mutex
	at := map[string]string{}
	tool := pegboard.Build(pegboard.Definition[touch, string]{
		Info: pegboard.Info{Name: "Touch"}, Description: "Touches a file.",
		Inspect: func(in touch, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Concurrency: pegboard.PerTarget, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: in.Path}}}
		},
		Call: func(_ ctx, _ touch, c *pegboard.Call) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			at[c.ID] = c.Targets()[0].Value
			return c.Dir(), nil
		},
	})
	pool := registryOf(t, mover(t), tool).AssemblePool(s, pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{})
	outs := ex.Run(t.Context(), pool, touching("1", "a"), call("2", "Move", `{"path":"tree"}`), touching("3", "a"), touching("4", "denied"), touching("5", filepath.Join(home, "a")))
	for i := range 3 {
		require.NoError(t, outs[i].Err)
	}
	require.Equal(t, map[string]string{"1": filepath.Join(home, "a"), "3": filepath.Join(tree, "a")}, at)
	require.ErrorContains(t, outs[3].Err, "deny rule")
	require.ErrorIs(t, outs[4].Err, pegboard.ErrNoApprover, "the former directory is outside")
}

// TestAnswerAfterSetDir: what is asked about keeps its place, and so does what the answer adds.
func TestAnswerAfterSetDir(t *testing.T) {
	t.Parallel()
	root := nested(t)
	home, tree := filepath.Join(root, "p"), filepath.Join(root, "p", "tree")
	var s *pegboard.Session
	asked := 0
	s = session(t, pegboard.SessionConfig{Dir: home, Ask: func(_ context.Context, q *pegboard.Question) (pegboard.Decision, error) {
		asked++
		all := q.Suggestions(pegboard.SourceSession)
		if err := s.SetDir(tree); err != nil {
			return pegboard.Decision{}, err
		}
		return pegboard.Decision{Behavior: pegboard.Allow, Remember: all[0]}, nil
	}})
	var touched []string
	pool := toucherPool(t, s, func(path string) { touched = append(touched, path) })
	ex := executor(pegboard.Executor{})
	out := ex.Run(t.Context(), pool, touching("1", "a"))[0]
	require.NoError(t, out.Err)
	require.Equal(t, []string{"a"}, touched)
	require.Equal(t, filepath.Join(home, "a"), out.Call.Targets()[0].Value)
	require.Equal(t, home, out.Call.Dir())
	decide := func(path string) pegboard.Behavior { return pool.Decide(t.Context(), touching("1", path)).Behavior }
	require.Equal(t, pegboard.Allow, decide(filepath.Join(home, "a")), "the rule is about the file that was shown")
	require.Equal(t, pegboard.Ask, decide("a"))

	out = ex.Run(t.Context(), pool, touching("2", "a"))[0]
	require.NoError(t, out.Err)
	require.Equal(t, 2, asked)
	require.Equal(t, pegboard.Allow, decide("a"))
	require.NoError(t, s.SetDir(home))
	require.Equal(t, pegboard.Allow, decide(filepath.Join(tree, "a")), "what was allowed in the tree was about the tree")
	require.Equal(t, pegboard.Ask, decide("b"))
}

// TestDirectoryIsReplaced: a directory that became a link after the session had moved there
// gives nothing elsewhere.
func TestDirectoryIsReplaced(t *testing.T) {
	t.Parallel()
	root := nested(t)
	home, tree := filepath.Join(root, "p"), filepath.Join(root, "p", "tree")
	s := session(t, pegboard.SessionConfig{Dir: home, Permissions: rules(t, pegboard.ModeAcceptEdits, pegboard.RuleSet{})})
	require.NoError(t, s.SetDir(tree))
	pool := toucherPool(t, s, nil)
	decide := func(path string) pegboard.Behavior { return pool.Decide(t.Context(), touching("1", path)).Behavior }
	require.Equal(t, pegboard.Allow, decide("a"))
	require.NoError(t, os.Rename(tree, filepath.Join(home, "gone")))
	require.NoError(t, linkDir(filepath.Join(root, "out"), tree))
	require.Equal(t, pegboard.Ask, decide("a"))
	require.ErrorIs(t, s.SetDir("."), pegboard.ErrOutside)
	require.NoError(t, s.SetDir(home), "it may still go home")

	require.NoError(t, s.SetDir("sub"))
	require.NoError(t, os.Rename(home, filepath.Join(root, "q")))
	require.NoError(t, linkDir(filepath.Join(root, "out"), home))
	require.ErrorIs(t, s.SetDir(home), pegboard.ErrOutside, "another directory has its name")
	require.NoError(t, os.Remove(home))
	require.ErrorIs(t, s.SetDir(home), os.ErrNotExist)
	require.Equal(t, filepath.Join(home, "sub"), s.Dir())
}

// TestSetDirBesideChanges changes a session in every way at once.
func TestSetDirBesideChanges(t *testing.T) {
	t.Parallel()
	root := nested(t)
	home, more := filepath.Join(root, "p"), filepath.Join(root, "more")
	s := session(t, pegboard.SessionConfig{Dir: home, Permissions: rules(t, pegboard.ModeAcceptEdits, pegboard.RuleSet{Deny: []string{"Edit(/denied)"}})})
	pool := toucherPool(t, s, nil)
	var all sync.WaitGroup
	beside := func(f func(n int)) {
		all.Go(func() {
			for n := range 100 {
				f(n)
			}
		})
	}
	beside(func(n int) { _ = s.SetDir([]string{"tree", home, "sub", home}[n%4]) })
	beside(func(n int) { _ = s.SetDir([]string{home, filepath.Join(more, "sub")}[n%2]) })
	beside(func(n int) {
		u := pegboard.PermissionUpdate{Type: []pegboard.PermissionUpdateType{pegboard.UpdateAddDirectories, pegboard.UpdateRemoveDirectories}[n%2], Directories: []string{more}, Destination: pegboard.SourceSession}
		_ = s.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) { return p.Apply(u) })
	})
	beside(func(int) {
		fork, err := s.Fork(pegboard.SessionConfig{})
		if err != nil {
			return // the directory of s was lost with more
		}
		_ = fork.SetDir("sub")
		_, _ = fork.Dirs(), fork.Permissions()
		_ = fork.Close(context.Background())
	})
	beside(func(int) {
		if pool.Decide(t.Context(), touching("1", "denied")).Behavior != pegboard.Deny {
			t.Error("a deny rule does not hold where the session is")
		}
		s.NewTurn()
		_, _ = s.Dir(), s.ShortPath(home)
	})
	all.Wait()
	require.NoError(t, s.Close(context.Background()))
	require.NoError(t, s.SetDir(home))
}
