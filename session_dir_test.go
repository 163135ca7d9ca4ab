package pegboard_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// nested makes a project with directories to move to, and returns it by its real path.
func nested(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, dir := range []string{"p/sub/sub", "p/tree/sub/sub", "p/tree/.git", "more/sub", "out"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o700))
	}
	require.NoError(t, linkDir("tree", filepath.Join(root, "p", "link")))
	require.NoError(t, linkDir(filepath.Join(root, "out"), filepath.Join(root, "p", "away")))
	require.NoError(t, linkDir(filepath.Join(root, "p"), filepath.Join(root, "again")))
	return root
}

func TestSetDirRefuses(t *testing.T) {
	t.Parallel()
	root := nested(t)
	at := func(name string) string { return filepath.Join(root, name) }
	require.NoError(t, os.WriteFile(at("p/file"), nil, 0o600))
	for _, tc := range []struct {
		name, from, to, is string
		err                error
	}{
		{name: "below", from: "p/tree", is: "p/tree"},
		{name: "relative", from: "p/tree", to: "sub", is: "p/tree/sub"},
		{name: "through a link inside", from: "p/link/sub", is: "p/link/sub"},
		{name: "home again", from: "p/tree/sub", to: root + "/p", is: "p"},
		{name: "further directory", from: "more/sub", is: "more/sub"},
		{name: "further directory from below", from: "p/tree", to: root + "/more", is: "more"},
		{name: "itself", from: "p", is: "p"},
		{name: "above", from: "p", to: "..", err: pegboard.ErrOutside},
		{name: "up again", from: "p/tree/sub", to: "..", err: pegboard.ErrOutside},
		{name: "beside", from: "p/tree", to: "../sub", err: pegboard.ErrOutside},
		{name: "link that leads out", from: "p", to: "away", err: pegboard.ErrOutside},
		{name: "link outside that leads home", from: "p/tree", to: root + "/again", err: pegboard.ErrOutside},
		{name: "link outside that leads inside", from: "p", to: root + "/again/tree", err: pegboard.ErrOutside},
		{name: "not there", from: "p", to: "none", err: fs.ErrNotExist},
		{name: "the root", from: "p", to: "/", err: pegboard.ErrOutside},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, pegboard.SessionConfig{Dir: at("p"), MoreDirs: []string{at("more")}})
			require.NoError(t, s.SetDir(at(tc.from)))
			var err error
			if tc.to != "" {
				err = s.SetDir(filepath.FromSlash(tc.to))
			}
			require.ErrorIs(t, err, tc.err)
			if tc.err != nil {
				tc.is = tc.from
			}
			require.Equal(t, at(tc.is), s.Dir())
			require.Equal(t, []string{at(tc.is), at("more")}, s.Dirs())
		})
	}
	s := session(t, pegboard.SessionConfig{Dir: at("p")})
	require.ErrorContains(t, s.SetDir(""), "empty")
	require.ErrorContains(t, s.SetDir("file"), "not a directory")
	require.Equal(t, at("p"), s.Dir())
	require.Panics(t, func() { _ = (*pegboard.Session)(nil).SetDir("sub") })
	require.Panics(t, func() { _ = new(pegboard.Session).SetDir("sub") })
}

// TestSetDirIsLikeASessionMadeThere compares sessions that have moved with sessions that were
// made in the same directory, with the same rules anchored where they were added, and the deny
// and ask rules once more.
func TestSetDirIsLikeASessionMadeThere(t *testing.T) {
	t.Parallel()
	root := nested(t)
	home := filepath.Join(root, "p")
	places := []string{home, filepath.Join(home, "sub"), filepath.Join(home, "tree"), filepath.Join(home, "link"), filepath.Join(home, "tree", "sub"), filepath.Join(root, "more", "sub")}
	dirs := append([]string{"", "sub", "..", "../sub", "tree", "link", filepath.Join(root, "out"), filepath.Join(home, "away"), root}, places...)
	moves := 0
	for seed := range effort.Of(t, uint64(1500)) {
		d := dice{rand.New(rand.NewPCG(seed, 23)), dirs}
		cfg := pegboard.SessionConfig{Dir: home, MoreDirs: []string{filepath.Join(root, "more")}, Home: filepath.Join(root, "p", "sub"), Classifier: undecided}
		mode, _ := d.mode(laxest)
		moved := session(t, cfg)
		var added pegboard.Permissions // as they are anchored where they were added
		var again []pegboard.RuleSet   // the deny and ask rules
		for step := range 1 + d.IntN(3) {
			if step > 0 {
				dir := one(d, places...)
				if err := moved.SetDir(dir); err != nil {
					require.ErrorIs(t, err, pegboard.ErrOutside)
				} else {
					moves++
				}
			}
			set := pegboard.RuleSet{Source: pegboard.RuleSource(fmt.Sprint(step)), Allow: d.anchored(3), Ask: d.anchored(1), Deny: d.anchored(1)}
			again = append(again, pegboard.RuleSet{Source: set.Source, Ask: set.Ask, Deny: set.Deny})
			cfg.Dir = moved.Dir()
			there := session(t, cfg)
			if step == 0 {
				require.NoError(t, there.SetPermissions(rules(t, mode, set)))
				require.NoError(t, moved.SetPermissions(rules(t, mode, set)))
			} else {
				require.NoError(t, there.SetPermissions(added))
				more := func(p pegboard.Permissions) (pegboard.Permissions, error) { return p.WithRules(set) }
				require.NoError(t, there.UpdatePermissions(more))
				require.NoError(t, moved.UpdatePermissions(more))
			}
			added = there.Permissions()
		}
		made := session(t, cfg)
		both, err := added.WithRules(again...)
		require.NoError(t, err)
		require.NoError(t, made.SetPermissions(both))
		require.Equal(t, made.Dirs(), moved.Dirs())
		for range 4 {
			a := d.actor()
			require.Equal(t, settledBehavior(t, a.pool(t, made)), settledBehavior(t, a.pool(t, moved)),
				"seed %d in %s: %+v\nmoved %v\nmade %v", seed, moved.Dir(), a.traits, moved.Permissions().Rules(), made.Permissions().Rules())
		}
	}
	require.Positive(t, moves)
}

// anchored returns rules that depend on a directory.
func (d dice) anchored(most int) (list []string) {
	for range d.IntN(most + 1) {
		path := one(d, "a", "b", "./a", "./sub/a", "/a", "/sub/**", "sub/a", "sub/**", "./*", "**/a", "~/a", "~/**", "//**/b", "/tree/**", "/tree/sub/a", "link/**", "/link/**", "/away/**")
		list = append(list, one(d, "Edit(", "Read(")+path+")")
	}
	return list
}

// TestForkIsNeverLaxerAfterSetDir compares forks that move with the session that they were made
// of, which stays.
func TestForkIsNeverLaxerAfterSetDir(t *testing.T) {
	t.Parallel()
	root := nested(t)
	home := filepath.Join(root, "p")
	places := []string{home, filepath.Join(home, "sub"), filepath.Join(home, "tree"), filepath.Join(home, "link"), filepath.Join(home, "tree", "sub"), filepath.Join(root, "more", "sub")}
	for seed := range effort.Of(t, uint64(800)) {
		d := dice{rand.New(rand.NewPCG(seed, 29)), places}
		mode, lax := d.mode(laxest)
		parent := session(t, pegboard.SessionConfig{Dir: home, MoreDirs: []string{filepath.Join(root, "more")}, Classifier: undecided})
		require.NoError(t, parent.SetPermissions(rules(t, mode, pegboard.RuleSet{Allow: d.anchored(3), Ask: d.anchored(1), Deny: d.anchored(1)})))
		mode, _ = d.mode(lax)
		fork, err := parent.Fork(pegboard.SessionConfig{Permissions: rules(t, mode, pegboard.RuleSet{Ask: d.anchored(1), Deny: d.anchored(1)})})
		require.NoError(t, err)
		for range 1 + d.IntN(2) {
			if err := fork.SetDir(one(d, places...)); err != nil {
				require.ErrorIs(t, err, pegboard.ErrOutside)
			}
		}
		a := d.actor()
		require.GreaterOrEqual(t, settledBehavior(t, a.pool(t, fork)), settledBehavior(t, a.pool(t, parent)),
			"seed %d in %s: %+v\nparent %v\nfork %v", seed, fork.Dir(), a.traits, parent.Permissions().Rules(), fork.Permissions().Rules())
	}
}

func TestSetDirOfForks(t *testing.T) {
	t.Parallel()
	root := nested(t)
	at := func(name string) string { return filepath.Join(root, name) }
	s := session(t, pegboard.SessionConfig{Dir: at("p"), MoreDirs: []string{at("more")}})
	before := forked(t, s, pegboard.SessionConfig{})
	require.NoError(t, s.SetDir("tree"))
	require.Equal(t, []string{at("p"), at("more")}, before.Dirs(), "a fork that is there stays")
	later := forked(t, s, pegboard.SessionConfig{})
	require.Equal(t, at("p/tree"), later.Dir())
	require.Equal(t, []string{at("p/tree"), at("more")}, later.Dirs())
	_, err := s.Fork(pegboard.SessionConfig{Dir: at("p/sub")})
	require.ErrorIs(t, err, pegboard.ErrOutside)
	require.ErrorIs(t, later.SetDir(at("p")), pegboard.ErrOutside)
	require.NoError(t, later.SetDir("sub"))
	require.NoError(t, later.SetDir(at("p/tree")), "where it was made")
	require.NoError(t, before.SetDir("sub"))
	require.NoError(t, before.SetDir(at("p")))

	require.NoError(t, s.SetDir(at("p")))
	require.Equal(t, []string{at("p/tree"), at("more")}, later.Dirs())
	require.ErrorIs(t, later.SetDir(at("p")), pegboard.ErrOutside, "it lies in the parent's directories, and not in its own")
}

// TestForkKeepsTheRulesOfItsPlace: a fork that was made in a directory to which its parent had
// moved is still kept from what the rules deny there, when the parent has moved on.
func TestForkKeepsTheRulesOfItsPlace(t *testing.T) {
	t.Parallel()
	root := nested(t)
	s := session(t, pegboard.SessionConfig{Dir: filepath.Join(root, "p"), Permissions: rules(t, pegboard.ModeBypass, pegboard.RuleSet{Deny: []string{"Edit(/a)"}})})
	require.NoError(t, s.SetDir("tree"))
	fork := forked(t, s, pegboard.SessionConfig{})
	require.NoError(t, s.SetDir(filepath.Join(root, "p")))
	writing := func(s *pegboard.Session, name string) pegboard.Behavior {
		a := actor{name: "T", traits: pegboard.Traits{Targets: []pegboard.Target{pathTo(pegboard.AccessWrite, name)}}}
		return settledBehavior(t, a.pool(t, s))
	}
	require.Equal(t, pegboard.Deny, writing(fork, "a"))
	require.Equal(t, pegboard.Deny, writing(fork, filepath.Join(root, "p", "a")))
	require.Equal(t, pegboard.Allow, writing(fork, "b"))
	require.Equal(t, pegboard.Allow, writing(s, "tree/a"), "the session itself is home again")
}

// TestDenyRuleOfTwoPlaces: the same rule, added once more elsewhere, does not lift the first.
func TestDenyRuleOfTwoPlaces(t *testing.T) {
	t.Parallel()
	root := nested(t)
	s := session(t, pegboard.SessionConfig{Dir: filepath.Join(root, "p")})
	add := pegboard.PermissionUpdate{
		Type: pegboard.UpdateAddRules, Behavior: pegboard.Deny, Destination: pegboard.SourceSession,
		Rules: []pegboard.PermissionUpdateRule{{Tool: "Read", Pattern: "/a"}},
	}
	apply := func(u pegboard.PermissionUpdate) {
		require.NoError(t, s.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) { return p.Apply(u) }))
	}
	reads := func(name string) pegboard.Behavior {
		a := reading(pegboard.Target{Value: filepath.Join(root, name)})
		return settledBehavior(t, a.pool(t, s))
	}
	apply(add)
	apply(add)
	require.Len(t, s.Permissions().Rules(), 1)
	require.NoError(t, s.SetDir("tree"))
	apply(add)
	apply(add)
	require.Len(t, s.Permissions().Rules(), 2)
	require.NoError(t, s.SetDir(filepath.Join(root, "p")))
	require.Equal(t, pegboard.Deny, reads("p/a"))
	require.Equal(t, pegboard.Deny, reads("p/tree/a"), "it was added there")
	add.Type = pegboard.UpdateRemoveRules
	apply(add)
	require.Empty(t, s.Permissions().Rules())
	require.Equal(t, pegboard.Allow, reads("p/tree/a"))
}

func TestOnSetDir(t *testing.T) {
	t.Parallel()
	root := nested(t)
	at := func(name string) string { return filepath.Join(root, name) }
	s := session(t, pegboard.SessionConfig{Dir: at("p")})
	var told []string
	note := func(who string) func(from, to string) {
		return func(from, to string) { told = append(told, fmt.Sprint(who, " ", from, " ", to, " ", s.Dir() == to)) }
	}
	s.OnSetDir("one", note("one"))
	s.OnSetDir("two", note("two"))
	s.OnSetDir("one", note("ONE"))
	require.NoError(t, s.SetDir("tree"))
	require.Error(t, s.SetDir("none"))
	s.OnSetDir("two", nil)
	s.OnSetDir("three", nil)
	require.NoError(t, s.SetDir(at("p")))
	require.Equal(t, []string{
		fmt.Sprint("ONE ", at("p"), " ", at("p/tree"), " true"), fmt.Sprint("two ", at("p"), " ", at("p/tree"), " true"),
		fmt.Sprint("ONE ", at("p/tree"), " ", at("p"), " true"),
	}, told)
}

// TestAddedDirectoryKeepsItsPlace: a directory that was added under a relative name does not
// move with the session.
func TestAddedDirectoryKeepsItsPlace(t *testing.T) {
	t.Parallel()
	root := nested(t)
	at := func(name string) string { return filepath.Join(root, name) }
	s := session(t, pegboard.SessionConfig{Dir: at("p")})
	add := func(p pegboard.Permissions) (pegboard.Permissions, error) {
		return p.WithDirectories(pegboard.AddedDirectory{Path: "sub", Source: pegboard.SourceSession}), nil
	}
	require.NoError(t, s.UpdatePermissions(add))
	require.NoError(t, s.SetDir("tree"))
	require.Equal(t, []string{at("p/tree"), at("p/sub")}, s.Dirs())
	require.NoError(t, s.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) { return p.WithMode(pegboard.ModePlan) }))
	require.Equal(t, []string{at("p/tree"), at("p/sub")}, s.Dirs())
	require.NoError(t, s.SetDir(at("p/sub/sub")))
	require.NoError(t, s.SetDir(at("p/sub")))
}

// TestSetDirBesideCalls moves a session while batches run. Each call sees one place: its
// directory, its targets, what it may touch and what its rules are about.
func TestSetDirBesideCalls(t *testing.T) {
	t.Parallel()
	root := nested(t)
	home, tree := filepath.Join(root, "p"), filepath.Join(root, "p", "tree")
	s := session(t, pegboard.SessionConfig{Dir: home, Permissions: rules(t, pegboard.ModeAcceptEdits, pegboard.RuleSet{Deny: []string{"Read(sub/sub/**)"}})})
	begun := make(chan struct{}, 1) // a call runs, and the session moves once
	var mu sync.Mutex
	seen := map[string]int{}
	tool := pegboard.Build(pegboard.Definition[touch, string]{
		Info: pegboard.Info{Name: "Touch"}, Description: "Touches a file.",
		Inspect: func(in touch, c *pegboard.Call) pegboard.Traits {
			target := pegboard.Target{Kind: pegboard.TargetPath, Value: in.Path}
			return pegboard.Traits{Concurrency: pegboard.PerTarget, Targets: []pegboard.Target{target, {Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: filepath.Join(c.Dir(), "b")}}}
		},
		Call: func(ctx ctx, in touch, c *pegboard.Call) (string, error) {
			select {
			case begun <- struct{}{}:
			default:
			}
			var places []string
			note := func(path string) { places = append(places, filepath.Dir(path)) }
			dir := c.Dir()
			for _, target := range c.Targets() {
				note(target.Value)
				note(target.Real())
			}
			for range 3 {
				late, err := c.PathTarget(ctx, pegboard.AccessWrite, "late")
				if err != nil {
					return "", err
				}
				note(late.Value)
				if c.Check(ctx, pathTo(pegboard.AccessWrite, "x")) != nil || c.Filter(pathTo(pegboard.AccessRead, "sub/sub/x")) {
					return "", fmt.Errorf("in %s: x is denied, or sub/sub/x is not", dir)
				}
				if up := c.Filter(pathTo(pegboard.AccessWrite, filepath.Join(home, "up"))); up != (dir == home) {
					return "", fmt.Errorf("in %s: writing above is %v", dir, up)
				}
				if c.Dirs()[0] != dir || c.Dir() != dir || c.ShortPath(filepath.Join(dir, "b")) != "b" {
					return "", fmt.Errorf("%s, then %s", dir, c.Dirs())
				}
			}
			if i := slices.IndexFunc(places, func(p string) bool { return p != dir }); i >= 0 {
				return "", fmt.Errorf("%s and %s", dir, places[i])
			}
			mu.Lock()
			seen[dir]++
			mu.Unlock()
			return "ok", nil
		},
	})
	pool := registryOf(t, tool).AssemblePool(s, pegboard.PoolConfig{})
	stop, moved := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(moved)
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			case <-begun:
			}
			if err := s.SetDir([]string{tree, home}[n%2]); err != nil {
				panic(err)
			}
			if n%8 == 0 {
				if fork, err := s.Fork(pegboard.SessionConfig{}); err == nil {
					_ = fork.SetDir("sub")
					_ = fork.Close(t.Context())
				}
			}
		}
	}()
	var batches sync.WaitGroup
	for range 4 {
		batches.Go(func() {
			for range effort.Of(t, 60) {
				ex := executor(pegboard.Executor{})
				for _, out := range ex.Run(t.Context(), pool, touching("1", "a"), touching("2", "b"), touching("3", "a")) {
					if out.Err != nil {
						t.Errorf("%s: %v", out.Call.ID, out.Err)
					}
				}
			}
		})
	}
	batches.Wait()
	close(stop)
	<-moved
	if effort.Full(t) {
		require.Positive(t, seen[home])
		require.Positive(t, seen[tree])
	}
}
