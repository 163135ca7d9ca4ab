package pegboard_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// TestInvariant4ForkIsNeverLaxer compares random agents with the sessions they
// were forked from, also after these changed.
func TestInvariant4ForkIsNeverLaxer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	require.NoError(t, os.Mkdir(sub, 0o700))
	for _, tc := range []struct {
		name string
		dirs []string // of the forks; empty: the parent's
	}{{name: "same directory", dirs: []string{""}}, {name: "narrower directory", dirs: []string{"", sub}}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for seed := range effort.Of(t, uint64(1000)) {
				d := dice{rand.New(rand.NewPCG(seed, 2)), []string{dir, sub, filepath.Dir(dir)}}
				a := d.actor()
				mode, lax := d.mode(laxest)
				line := []*pegboard.Session{session(t, pegboard.SessionConfig{Dir: dir, Classifier: undecided})}
				pools := []*pegboard.Pool{a.pool(t, line[0])}
				require.NoError(t, line[0].SetPermissions(rules(t, mode, pegboard.RuleSet{Allow: d.rules(3), Ask: d.rules(1), Deny: d.rules(1)})))
				for range 2 {
					mode, lax = d.mode(lax)
					fork, err := line[len(line)-1].Fork(pegboard.SessionConfig{
						Role: pegboard.RoleSubAgent, Dir: one(d, tc.dirs...),
						Permissions: rules(t, mode, pegboard.RuleSet{Ask: d.rules(1), Deny: d.rules(1)}),
					})
					if err != nil { // the parent took a narrower directory than this
						require.ErrorContains(t, err, "outside")
						continue
					}
					line = append(line, fork)
					pools = append(pools, a.pool(t, fork))
				}
				compare := func() {
					for i := range pools[1:] {
						parent, child := judge(t, pools[i]), judge(t, pools[i+1])
						require.GreaterOrEqual(t, child.behavior, parent.behavior, "seed %d: %+v\nparent %v\nchild %v\n%s: %s",
							seed, a.traits, line[i].Permissions(), line[i+1].Permissions(), parent.reason, child.reason)
					}
				}
				compare()
				mode, _ = d.mode(laxest)
				require.NoError(t, line[0].SetPermissions(rules(t, mode, pegboard.RuleSet{Allow: d.rules(2), Ask: d.rules(1), Deny: d.rules(1)})))
				compare()
			}
		})
	}
}

// TestChildIsNeverLaxerInAnyPairOfModes, nor after the parent took any other mode
// or rules, or the child a rule.
func TestChildIsNeverLaxerInAnyPairOfModes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	require.NoError(t, os.Mkdir(sub, 0o700))
	modes := strictness()
	seed := uint64(0)
	for i, mode := range modes {
		for _, childs := range modes[:i+1] {
			for _, later := range modes {
				seed++
				d := dice{rand.New(rand.NewPCG(seed, 7)), []string{dir, sub, filepath.Dir(dir)}}
				a := d.actor()
				parent := session(t, pegboard.SessionConfig{Dir: dir, Classifier: undecided})
				above := a.pool(t, parent)
				allowed := d.rules(3)
				require.NoError(t, parent.SetPermissions(rules(t, mode, pegboard.RuleSet{Allow: allowed, Ask: d.rules(1), Deny: d.rules(1)})))
				child := forked(t, parent, pegboard.SessionConfig{
					Dir: one(d, "", sub), Permissions: rules(t, childs, pegboard.RuleSet{Allow: allowed, Ask: d.rules(1), Deny: d.rules(1)}),
				})
				under := a.pool(t, child)
				compare := func(when string) {
					p, c := settledBehavior(t, above), settledBehavior(t, under)
					require.GreaterOrEqual(t, c, p, "seed %d, %s: %s, the child %s, later %s\n%+v\nparent %v\nchild %v", seed, when, mode, childs, later, a.traits, parent.Permissions(), child.Permissions())
				}
				compare("at first")
				require.NoError(t, child.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) {
					return p.WithRules(pegboard.RuleSet{Ask: d.rules(1), Deny: d.rules(1)})
				}))
				compare("after a rule of the child")
				require.NoError(t, parent.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) {
					return p.WithAvailable(later).WithMode(later)
				}))
				compare("after the parent took another mode")
				require.NoError(t, parent.SetPermissions(d.policy(t)))
				compare("after the parent took other rules")
			}
		}
	}
}

// TestForkKeepsTheAnchorsOfItsParentsRules: a rule means the same files in a
// fork that works further down.
func TestForkKeepsTheAnchorsOfItsParentsRules(t *testing.T) {
	t.Parallel()
	dir, more := t.TempDir(), t.TempDir()
	sub := filepath.Join(dir, "sub")
	require.NoError(t, os.Mkdir(sub, 0o700))
	tests := []struct {
		name, path string
		mode       pegboard.Mode
		set        pegboard.RuleSet
		cfg        pegboard.SessionConfig
		want       string
	}{
		{name: "deny", path: "sub/a", mode: pegboard.ModeBypass, set: pegboard.RuleSet{Deny: []string{"Edit(./sub/a)"}}, cfg: pegboard.SessionConfig{Dir: sub}, want: "deny"},
		{name: "deny from the source's root", path: "sub/a", mode: pegboard.ModeBypass, set: pegboard.RuleSet{Deny: []string{"Edit(/sub/a)"}}, cfg: pegboard.SessionConfig{Dir: sub}, want: "deny"},
		{name: "ask", path: "sub/a", mode: pegboard.ModeBypass, set: pegboard.RuleSet{Ask: []string{"Edit(sub/a)"}}, cfg: pegboard.SessionConfig{Dir: sub}, want: "ask"},
		{name: "deny of a bare name", path: "a", mode: pegboard.ModeBypass, set: pegboard.RuleSet{Deny: []string{"Edit(a)"}}, cfg: pegboard.SessionConfig{Dir: sub, MoreDirs: []string{dir}}, want: "deny"},
		{name: "allow", path: "sub/a", set: pegboard.RuleSet{Allow: []string{"Edit(./a)"}}, cfg: pegboard.SessionConfig{Dir: sub}, want: "ask"},
		{name: "allow of a bare name", path: filepath.Join(more, "a"), set: pegboard.RuleSet{Allow: []string{"Edit(a)"}}, cfg: pegboard.SessionConfig{Dir: more}, want: "ask"},
		{name: "a rule of its own", path: "sub/a", mode: pegboard.ModeBypass, cfg: pegboard.SessionConfig{Dir: sub, Permissions: rules(t, "", pegboard.RuleSet{Deny: []string{"Edit(./a)"}})}, want: "deny"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			parent := session(t, pegboard.SessionConfig{Dir: dir, MoreDirs: []string{more}, Permissions: rules(t, tc.mode, tc.set)})
			if !filepath.IsAbs(tc.path) {
				tc.path = filepath.Join(dir, tc.path)
			}
			a := actor{name: "T", traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: tc.path}}}}
			require.Equal(t, tc.want, judge(t, a.pool(t, forked(t, parent, tc.cfg))).behavior.String())
		})
	}
}

// A directory that is removed from the parent is removed from the child.
func TestAChildLosesADirectoryWithItsParent(t *testing.T) {
	t.Parallel()
	added := t.TempDir()
	p, err := pegboard.Permissions{}.Apply(pegboard.PermissionUpdate{Type: pegboard.UpdateAddDirectories, Directories: []string{added}})
	require.NoError(t, err)
	parent := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Permissions: p})
	child := forked(t, parent, pegboard.SessionConfig{Permissions: p})
	require.NoError(t, parent.SetPermissions(pegboard.Permissions{}))
	a := reading(pegboard.Target{Value: filepath.Join(added, "f")})
	require.GreaterOrEqual(t, judge(t, a.pool(t, child)).behavior, judge(t, a.pool(t, parent)).behavior)
}

// A relative directory means the same place in a child that works elsewhere.
func TestAChildsRelativeDirectoryIsItsParents(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(top, "b", "c", "d"), 0o700))
	p, err := pegboard.Permissions{}.Apply(pegboard.PermissionUpdate{Type: pegboard.UpdateAddDirectories, Directories: []string{"../../x"}}) // of b/c: top/x
	require.NoError(t, err)
	parent := session(t, pegboard.SessionConfig{Dir: filepath.Join(top, "b", "c"), Permissions: p})
	child := forked(t, parent, pegboard.SessionConfig{Dir: filepath.Join(top, "b", "c", "d"), Permissions: p})
	a := reading(pegboard.Target{Value: filepath.Join(top, "b", "x", "f")})
	require.GreaterOrEqual(t, judge(t, a.pool(t, child)).behavior, judge(t, a.pool(t, parent)).behavior)
}
