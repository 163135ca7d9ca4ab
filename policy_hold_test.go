package pegboard_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// holder is a tool that keeps its targets until release is called.
type holder struct {
	mu      sync.Mutex
	release func()
}

func (h *holder) tool(name string, targets ...policy.Target) pegboard.Tool {
	a := actor{name: name, traits: pegboard.Traits{Targets: targets}, call: func(_ ctx, c *pegboard.Call) error {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.release = c.Hold("the task t1", c.Targets()...)
		return nil
	}}
	return a.tool()
}

// TestHolds: what goes on in the background may move what a later call is decided on, and a
// later call what that was decided on.
func TestHolds(t *testing.T) {
	t.Parallel()
	cmd := func(change ...func(*policy.Target)) policy.Target {
		x := policy.Target{Kind: policy.Command, Access: policy.Run, Value: "x", Shell: policy.ShellFacts{Simple: true}}
		for _, c := range change {
			c(&x)
		}
		return x
	}
	path := func(access policy.Access, name string, change ...func(*policy.Target)) policy.Target {
		x := policy.Target{Kind: policy.Path, Access: access, Value: name}
		for _, c := range change {
			c(&x)
		}
		return x
	}
	moves, tree, guess := func(x *policy.Target) { x.Shell.MovesNames = true }, func(x *policy.Target) { x.Tree = true }, func(x *policy.Target) { x.Shell.Guess = true }
	const read, write = policy.Read, policy.Write
	for _, tt := range []struct {
		name        string
		held, later []policy.Target
		asks        bool
	}{
		{name: "the path that moves", held: []policy.Target{cmd(), path(write, "a", moves)}, later: []policy.Target{cmd(), path(read, "a")}, asks: true},
		{name: "below it", held: []policy.Target{cmd(), path(write, "a", moves)}, later: []policy.Target{cmd(), path(write, "a/b/c")}, asks: true},
		{name: "beside it", held: []policy.Target{cmd(), path(write, "a", moves)}, later: []policy.Target{cmd(), path(write, "ab")}},
		{name: "above it", held: []policy.Target{cmd(), path(write, "a/b", moves)}, later: []policy.Target{cmd(), path(write, "a")}},
		{name: "a tree above it that is written", held: []policy.Target{cmd(), path(write, "a/b", moves)}, later: []policy.Target{cmd(), path(write, "a", tree)}, asks: true},
		{name: "a tree above it that is read", held: []policy.Target{cmd(), path(write, "a/b", moves)}, later: []policy.Target{cmd(), path(read, "a", tree)}},
		{name: "perhaps", held: []policy.Target{cmd(), path(write, "a", moves)}, later: []policy.Target{cmd(), path(write, "a", guess)}},
		{name: "perhaps moved", held: []policy.Target{cmd(), path(write, "a", moves, guess)}, later: []policy.Target{cmd(), path(write, "a")}},
		{name: "a link on the way", held: []policy.Target{cmd(), path(write, "second", moves)}, later: []policy.Target{cmd(), path(write, "first/x")}, asks: runtime.GOOS != "windows"},
		{name: "a tool that opens what was decided", held: []policy.Target{cmd(), path(write, "a", moves)}, later: []policy.Target{path(write, "a/b")}},
		{name: "what is only written", held: []policy.Target{cmd(), path(write, "log")}, later: []policy.Target{cmd(), path(read, "log")}},
		{name: "what is moved later", held: []policy.Target{cmd(), path(write, "a/b")}, later: []policy.Target{cmd(), path(write, "a", moves)}, asks: true},
		{name: "what is read and moved later", held: []policy.Target{cmd(), path(read, "a/b")}, later: []policy.Target{cmd(), path(write, "a", moves)}, asks: true},
		{name: "nobody knows what moves", held: []policy.Target{cmd(moves)}, later: []policy.Target{cmd(), path(read, "a")}, asks: true},
		{name: "nobody knows what moves later", held: []policy.Target{cmd(), path(write, "a")}, later: []policy.Target{cmd(moves)}, asks: true},
		{name: "a command without paths", held: []policy.Target{cmd(moves)}, later: []policy.Target{cmd()}},
		{name: "two that move anything", held: []policy.Target{cmd(moves)}, later: []policy.Target{cmd(moves)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, mode := range []policy.Mode{policy.ModeBypass, policy.ModeAcceptEdits} {
				perms, err := policy.New(mode, policy.RuleSet{Allow: []string{"Held", "Later"}})
				require.NoError(t, err)
				dir := t.TempDir()
				require.NoError(t, os.Mkdir(filepath.Join(dir, "inner"), 0o700))
				if runtime.GOOS != "windows" { // where a link needs a right
					require.NoError(t, os.Symlink("inner", filepath.Join(dir, "second")))
					require.NoError(t, os.Symlink("second", filepath.Join(dir, "first")))
				}
				s := session(t, pegboard.SessionConfig{Dir: dir, Permissions: perms})
				fork := forked(t, s, pegboard.SessionConfig{Role: pegboard.RoleSubAgent})
				var h holder
				reg := registryOf(t, h.tool("Held", tt.held...), (&actor{name: "Later", traits: pegboard.Traits{Targets: tt.later}}).tool())
				ex := executor(pegboard.Executor{})
				require.NoError(t, ex.Run(t.Context(), reg.AssemblePool(s, pegboard.PoolConfig{}), call("1", "Held", ``))[0].Err)
				for _, agent := range []*pegboard.Session{s, fork} {
					d := reg.AssemblePool(agent, pegboard.PoolConfig{}).Decide(t.Context(), call("2", "Later", ``))
					require.Equal(t, tt.asks, d.Behavior == policy.Ask, "%s %s", mode, d.Reason)
					if tt.asks {
						require.Contains(t, d.Reason, "the task t1 still goes on")
					}
				}
				h.release()
				h.release()
				d := reg.AssemblePool(s, pegboard.PoolConfig{}).Decide(t.Context(), call("3", "Later", ``))
				require.Equal(t, policy.Allow, d.Behavior, d.Reason)
			}
		})
	}
}

// TestEndOfAHoldAnswersItsQuestion: nobody need answer a question whose reason is gone.
func TestEndOfAHoldAnswersItsQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		moved := policy.Target{Kind: policy.Path, Value: "a", Shell: policy.ShellFacts{MovesNames: true}}
		below := policy.Target{Kind: policy.Path, Value: filepath.Join("a", "b")}
		line := policy.Target{Kind: policy.Command, Access: policy.Run, Value: "x", Shell: policy.ShellFacts{Simple: true}}
		cfg := bypass(t)
		cfg.Ask = func(c context.Context, _ *pegboard.Question) (policy.Decision, error) {
			<-c.Done()
			return policy.Decision{}, context.Cause(c)
		}
		var h holder
		pool := registryOf(t, h.tool("Held", line, moved), (&actor{name: "Later", traits: pegboard.Traits{Targets: []policy.Target{line, below}}}).tool()).
			AssemblePool(session(t, cfg), pegboard.PoolConfig{})
		ex := executor(pegboard.Executor{})
		require.NoError(t, ex.Run(t.Context(), pool, call("1", "Held", ``))[0].Err)
		time.AfterFunc(time.Minute, func() { h.release() })
		start := time.Now()
		require.NoError(t, ex.Run(t.Context(), pool, call("2", "Later", ``))[0].Err)
		require.Equal(t, time.Minute, time.Since(start))
	})
}

// TestHoldsAddAndRelease from many goroutines.
func TestHoldsAddAndRelease(t *testing.T) {
	t.Parallel()
	line := policy.Target{Kind: policy.Command, Access: policy.Run, Value: "x", Shell: policy.ShellFacts{MovesNames: true}}
	s := session(t, bypass(t))
	reg := registryOf(t, (&actor{name: "Held", traits: pegboard.Traits{Concurrency: pegboard.Shared, Targets: []policy.Target{line}}, call: func(_ ctx, c *pegboard.Call) error {
		for range 100 {
			c.Hold("it", c.Targets()...)()
		}
		return nil
	}}).tool(), (&actor{name: "Later", traits: pegboard.Traits{Targets: []policy.Target{line, {Kind: policy.Path, Value: "a"}}}}).tool())
	pool := reg.AssemblePool(s, pegboard.PoolConfig{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			ex := executor(pegboard.Executor{})
			ex.Run(t.Context(), pool, call("1", "Held", ``))
		})
	}
	wg.Wait()
	require.Equal(t, policy.Allow, pool.Decide(t.Context(), call("2", "Later", ``)).Behavior)
	require.NotPanics(t, func() { (&pegboard.Call{}).Hold("x", line)() })
}
