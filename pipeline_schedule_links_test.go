package pegboard_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// TestRunResolvesAgainAfterWaiting lets one call turn the directory of another
// into a link that leads outside. The second is decided on where it leads then.
func TestRunResolvesAgainAfterWaiting(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		swap := pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "Swap"}, Description: "For a test.", Traits: pegboard.Traits{ReadOnly: true}, // it lies
			Call: func(ctx, struct{}, *pegboard.Call) (string, error) {
				synctest.Wait() // the other was resolved, and waits
				return "", linkDir(outside, dir+"/sub")
			},
		})
		var reg pegboard.Registry
		require.NoError(t, reg.Add(swap, worker(func(job, bool) {})))
		ex := executor(pegboard.Executor{})
		outs := ex.Run(t.Context(), reg.AssemblePool(session(t, pegboard.SessionConfig{Dir: dir}), pegboard.PoolConfig{}),
			call("1", "Swap", ``), call("2", "Work", `{"path":"sub/file","class":"target"}`))
		require.NoError(t, outs[0].Err)
		require.ErrorIs(t, outs[1].Err, pegboard.ErrDenied)
		require.Contains(t, outs[1].Result.Text(), "outside the working directories")
	})
}

// TestCallsKeepTheirOrderWhereALinkLeads: two calls wait for one that makes a link. The
// earlier reads through the link, the later writes the file that the link leads to. The
// earlier reads the old text, as if one had run after the other.
func TestCallsKeepTheirOrderWhereALinkLeads(t *testing.T) {
	t.Parallel()
	for range effort.Of(t, 20) {
		dir := t.TempDir()
		at := func(name string) string { return filepath.Join(dir, name) }
		touch := func(name string, a pegboard.Access, do func(c *pegboard.Call) (string, error)) pegboard.Tool {
			return pegboard.Build(pegboard.Definition[struct{}, string]{
				Info: pegboard.Info{Name: name}, Description: "For a test.",
				Inspect: func(struct{}, *pegboard.Call) pegboard.Traits {
					return pegboard.Traits{Concurrency: pegboard.PerTarget, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Access: a, Value: name}}}
				},
				Call: func(_ ctx, _ struct{}, c *pegboard.Call) (string, error) { return do(c) },
			})
		}
		require.NoError(t, os.WriteFile(at("file"), []byte("old"), 0o600))
		link := pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "make"}, Description: "For a test.",
			Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "", os.Symlink(at("file"), at("link")) },
		})
		read := touch("link", pegboard.AccessRead, func(c *pegboard.Call) (string, error) {
			text, err := os.ReadFile(c.Targets()[0].Real())
			return string(text), err
		})
		write := touch("file", pegboard.AccessWrite, func(c *pegboard.Call) (string, error) {
			return "", os.WriteFile(c.Targets()[0].Real(), []byte("new"), 0o600)
		})
		pool := registryOf(t, link, read, write).AssemblePool(session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, pegboard.ModeBypass, pegboard.RuleSet{})}), pegboard.PoolConfig{})
		ex := executor(pegboard.Executor{})
		outs := ex.Run(t.Context(), pool, call("1", "make", ``), call("2", "link", ``), call("3", "file", ``))
		for _, o := range outs {
			require.NoError(t, o.Err)
		}
		require.Equal(t, "old", outs[1].Result.Parts[0].Text)
	}
}

// racers are two calls of one message: the second is inspected, and waits if it
// must, before the first puts a link at a path that the second reads.
type racers struct {
	first, second pegboard.Traits
	link, to      string // where it is put, and what it leads to
	held          bool   // the second has not run by then
}

// pool returns the tools First and Second. It must be used within a synctest
// bubble.
func (r racers) pool(t testing.TB, s *pegboard.Session) *pegboard.Pool {
	t.Helper()
	var inspected, ran atomic.Bool
	first := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "First"}, Description: "For a test.",
		Inspect: func(struct{}, *pegboard.Call) pegboard.Traits { return r.first },
		Call: func(ctx, struct{}, *pegboard.Call) (string, error) {
			synctest.Wait() // the second has gone as far as it can
			if !inspected.Load() || ran.Load() == r.held {
				return "", errors.New("the second call is not where it should be")
			}
			return "", linkDir(r.to, r.link)
		},
	})
	second := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Second"}, Description: "For a test.",
		Inspect: func(struct{}, *pegboard.Call) pegboard.Traits { inspected.Store(true); return r.second },
		Call: func(_ ctx, _ struct{}, c *pegboard.Call) (string, error) {
			ran.Store(true)
			text, err := os.ReadFile(c.Targets()[0].Real())
			return string(text), err
		},
	})
	return registryOf(t, first, second).AssemblePool(s, pegboard.PoolConfig{})
}

// run returns the outcome of the second call. It is decided under bypass, with a
// rule that denies reading the place the link leads to.
func (r racers) run(t *testing.T) (second pegboard.Outcome) {
	t.Helper()
	dir := filepath.Dir(r.link)
	p := rules(t, pegboard.ModeBypass, pegboard.RuleSet{Deny: []string{"Read(/" + filepath.ToSlash(r.to) + ")"}})
	synctest.Test(t, func(t *testing.T) {
		ex := executor(pegboard.Executor{})
		pool := r.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Permissions: p}))
		outs := ex.Run(t.Context(), pool, call("1", "First", ``), call("2", "Second", ``))
		require.NoError(t, outs[0].Err)
		second = outs[1]
	})
	return second
}

// TestPathIsDecidedWhereItLeadsAfterWaiting: a call that the path waited for may have
// put a link in its place.
func TestPathIsDecidedWhereItLeadsAfterWaiting(t *testing.T) {
	t.Parallel()
	notes := pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: "notes"}
	tests := []struct {
		name    string
		class   pegboard.Concurrency
		targets []pegboard.Target
	}{
		{name: "exclusive", class: pegboard.Exclusive, targets: []pegboard.Target{notes}},
		{name: "by target", class: pegboard.PerTarget, targets: []pegboard.Target{notes}},
		{name: "by target, with a command", class: pegboard.PerTarget, targets: []pegboard.Target{notes, {Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "wc"}}},
		{name: "by target, with something unknown", class: pegboard.PerTarget, targets: []pegboard.Target{notes, {}}},
		{name: "shared", class: pegboard.Shared, targets: []pegboard.Target{notes}},
		{name: "only under another name", class: pegboard.Exclusive, targets: []pegboard.Target{
			{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: "other", Aliases: []string{"notes"}},
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir, secret := t.TempDir(), filepath.Join(t.TempDir(), "secret")
			require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o600))
			r := racers{link: filepath.Join(dir, "notes"), to: secret, held: true, second: pegboard.Traits{Concurrency: tc.class, Targets: tc.targets}}
			out := r.run(t)
			require.ErrorIs(t, out.Err, pegboard.ErrDenied)
			require.NotNil(t, out.Decision.Rule)
		})
	}
}

// TestWritingADirectoryHoldsUpWhatLiesBelow: a call that writes a path may turn it into
// a link, which moves everything below it.
func TestWritingADirectoryHoldsUpWhatLiesBelow(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		access pegboard.Access // of the first call, to d
		class  pegboard.Concurrency
		reads  string
		held   bool
	}{
		{name: "written, by target", access: pegboard.AccessWrite, class: pegboard.PerTarget, reads: "d/f", held: true},
		{name: "written, shared", access: pegboard.AccessWrite, class: pegboard.Shared, reads: "d/f", held: true},
		{name: "run", access: pegboard.AccessRun, class: pegboard.PerTarget, reads: "d/f", held: true},
		{name: "far below", access: pegboard.AccessWrite, class: pegboard.PerTarget, reads: "d/e/f", held: true},
		{name: "beside", access: pegboard.AccessWrite, class: pegboard.PerTarget, reads: "d2/f"},
		{name: "only read", access: pegboard.AccessRead, class: pegboard.PerTarget, reads: "d/f"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir, outside := t.TempDir(), t.TempDir()
			r := racers{
				link: filepath.Join(dir, "d"), to: outside, held: tc.held,
				first:  pegboard.Traits{Concurrency: pegboard.PerTarget, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Access: tc.access, Value: "d"}}},
				second: pegboard.Traits{Concurrency: tc.class, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: tc.reads}}},
			}
			out := r.run(t)
			require.Equal(t, tc.held, errors.Is(out.Err, pegboard.ErrDenied), "%v", out.Err)
			require.Equal(t, tc.held, out.Decision.Behavior == pegboard.Deny)
		})
	}
}
