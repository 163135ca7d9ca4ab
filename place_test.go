package pegboard_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestPatternForTooManyNames stands for all that lies below.
func TestPatternForTooManyNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 1001 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprint("f", i)), nil, 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
	for pattern, want := range map[string]pegboard.Behavior{"f*": pegboard.Deny, "f?": pegboard.Allow} {
		a := reading(pegboard.Target{Value: pattern, Shell: pegboard.ShellFacts{Glob: true}})
		pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, "", pegboard.RuleSet{Deny: []string{"Read(./sub/x)"}})}))
		require.Equal(t, want.String(), judge(t, pool).behavior.String(), pattern)
	}
}

func TestGlobInTheHomeIsExpanded(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(home, "keys"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, "keys", "id"), nil, 0o600))
	a := reading(pegboard.Target{Value: "~/keys/*", Shell: pegboard.ShellFacts{Glob: true}})
	require.Equal(t, "deny", judgeOnce(t, a, pegboard.SessionConfig{Dir: t.TempDir(), Home: home}, pegboard.ModeBypass, pegboard.RuleSet{Deny: []string{"Read(~/keys/id)"}}))
}

// A pattern followed by .. is resolved through the link that it matches, before the path
// is cleaned.
func TestGlobWithDotsIsFollowedThroughALink(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(outside, "d"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), nil, 0o600))
	require.NoError(t, os.Symlink(filepath.Join(outside, "d"), filepath.Join(dir, "link")))
	a := reading(pegboard.Target{Value: "lin*/../secret", Shell: pegboard.ShellFacts{Glob: true}}) // cat reads outside/secret
	require.Equal(t, "ask", judgeOnce(t, a, pegboard.SessionConfig{Dir: dir}, "", pegboard.RuleSet{}), "outside the working directory")
	require.Equal(t, "deny", judgeOnce(t, a, pegboard.SessionConfig{Dir: dir}, "", pegboard.RuleSet{Deny: []string{"Read(/" + outside + "/secret)"}}))
}

func TestAliasWithDotsIsFollowedThroughALink(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(outside, "d"), 0o700))
	require.NoError(t, os.Symlink(filepath.Join(outside, "d"), filepath.Join(dir, "link")))
	a := reading(pegboard.Target{Value: "f", Aliases: []string{"link/../secret"}})
	require.Equal(t, "ask", judgeOnce(t, a, pegboard.SessionConfig{Dir: dir}, "", pegboard.RuleSet{}))
}

// A pattern that matches a file called like an option is asked about: the command would
// read it as the option.
func TestGlobThatMatchesAnOptionIsAsked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	glob := pathTo(pegboard.AccessRead, "*")
	glob.Shell.Glob = true
	reads := actor{traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{glob}}}
	for _, name := range []string{"a", "-R"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
		want := map[string]string{"a": "allow", "-R": "ask"}[name]
		require.Equal(t, want, judgeOnce(t, reads, pegboard.SessionConfig{Dir: dir}, "", pegboard.RuleSet{}))
	}
}

// TestAddedDirectoriesCount as working directories do: for reads in every mode,
// for edits where the mode permits them.
func TestAddedDirectoriesCount(t *testing.T) {
	t.Parallel()
	added := t.TempDir()
	for _, tc := range []struct {
		name     string
		readOnly bool
		access   pegboard.Access
		mode     pegboard.Mode
		before   pegboard.Behavior
		after    pegboard.Behavior
	}{
		{name: "read", readOnly: true, access: pegboard.AccessRead, before: pegboard.Ask, after: pegboard.Allow},
		{name: "read, plan", readOnly: true, access: pegboard.AccessRead, mode: pegboard.ModePlan, before: pegboard.Ask, after: pegboard.Allow},
		{name: "edit", access: pegboard.AccessWrite, before: pegboard.Ask, after: pegboard.Ask},
		{name: "edit, acceptEdits", access: pegboard.AccessWrite, mode: pegboard.ModeAcceptEdits, before: pegboard.Ask, after: pegboard.Allow},
		{name: "edit, dontAsk", access: pegboard.AccessWrite, mode: pegboard.ModeDontAsk, before: pegboard.Deny, after: pegboard.Deny},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := actor{name: "T", traits: pegboard.Traits{ReadOnly: tc.readOnly, Targets: []pegboard.Target{
				{Kind: pegboard.TargetPath, Access: tc.access, Value: filepath.Join(added, "f")},
			}}}
			pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: t.TempDir(), Permissions: rules(t, tc.mode, pegboard.RuleSet{})}))
			require.Equal(t, tc.before.String(), judge(t, pool).behavior.String())
			update := func(kind pegboard.PermissionUpdateType) {
				require.NoError(t, pool.Session().UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) {
					return p.Apply(pegboard.PermissionUpdate{Type: kind, Directories: []string{added}, Destination: pegboard.SourceSession})
				}))
			}
			update(pegboard.UpdateAddDirectories)
			require.Equal(t, tc.after.String(), judge(t, pool).behavior.String())
			update(pegboard.UpdateRemoveDirectories)
			require.Equal(t, tc.before.String(), judge(t, pool).behavior.String())
		})
	}
}

// TestAllowReads: every agent can read below the directory, none can write there, and
// rules still hold.
func TestAllowReads(t *testing.T) {
	t.Parallel()
	outside, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	stored := filepath.Join(outside, "stored")
	require.NoError(t, os.Mkdir(stored, 0o700))
	require.NoError(t, os.Symlink(outside, filepath.Join(stored, "out")))
	perms := rules(t, "", pegboard.RuleSet{Deny: []string{"Read(//**/secret)"}})
	s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Permissions: perms})
	fork := forked(t, s, pegboard.SessionConfig{})
	look := func(access pegboard.Access) pegboard.Tool {
		return pegboard.Build(pegboard.Definition[struct {
			Path string `json:"path"`
		}, string]{
			Info: pegboard.Info{Name: "Look"}, Description: "Looks.",
			Inspect: func(in struct {
				Path string `json:"path"`
			}, _ *pegboard.Call) pegboard.Traits {
				return pegboard.Traits{ReadOnly: access == pegboard.AccessRead, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Access: access, Value: in.Path}}}
			},
			Call: func(context.Context, struct {
				Path string `json:"path"`
			}, *pegboard.Call) (string, error) {
				return "", nil
			},
		})
	}
	decide := func(s *pegboard.Session, access pegboard.Access, path string) pegboard.Behavior {
		var reg pegboard.Registry
		require.NoError(t, reg.Add(look(access)))
		return reg.AssemblePool(s, pegboard.PoolConfig{}).Decide(t.Context(), call("1", "Look", fmt.Sprintf(`{"path":%q}`, path))).Behavior
	}
	file := filepath.Join(stored, "file")
	require.Equal(t, pegboard.Ask, decide(s, pegboard.AccessRead, file))
	fork.AllowReads(stored)
	for _, agent := range []*pegboard.Session{s, fork} {
		require.Equal(t, pegboard.Allow, decide(agent, pegboard.AccessRead, file))
		require.NotEqual(t, pegboard.Allow, decide(agent, pegboard.AccessWrite, file))
		require.NotEqual(t, pegboard.Allow, decide(agent, pegboard.AccessRead, filepath.Join(outside, "other")))
		require.NotEqual(t, pegboard.Allow, decide(agent, pegboard.AccessRead, filepath.Join(stored, "out", "other")), "a link leads out")
		require.Equal(t, pegboard.Deny, decide(agent, pegboard.AccessRead, filepath.Join(stored, "secret")))
	}
	require.Equal(t, []string{s.Dir()}, s.Dirs())
}

func TestStoreDirectoryIsReadOnly(t *testing.T) {
	t.Parallel()
	store := dirStore(t, pegboard.DirOptions{})
	for _, mode := range []pegboard.Mode{pegboard.ModeDefault, pegboard.ModeAcceptEdits} {
		s := session(t, pegboard.SessionConfig{Results: store, Dir: t.TempDir(), Permissions: rules(t, mode, pegboard.RuleSet{})})
		outside := filepath.Join(t.TempDir(), "secret")
		require.NoError(t, os.WriteFile(outside, nil, 0o600))
		link := filepath.Join(store.Dir(), fmt.Sprint("link", mode))
		require.NoError(t, os.Symlink(outside, link))
		for _, tt := range []struct {
			access pegboard.Access
			path   string
			want   pegboard.Behavior
		}{
			{pegboard.AccessRead, filepath.Join(store.Dir(), "x"), pegboard.Allow},
			{pegboard.AccessWrite, filepath.Join(store.Dir(), "x"), pegboard.Ask},
			{pegboard.AccessRead, filepath.Dir(store.Dir()), pegboard.Ask},
			{pegboard.AccessRead, filepath.Join(store.Dir(), "..", "s2", "x"), pegboard.Ask},
			{pegboard.AccessRead, link, pegboard.Ask},
		} {
			tool := pegboard.Build(pegboard.Definition[struct{}, string]{
				Info: pegboard.Info{Name: "T"}, Description: "For a test.",
				Traits: pegboard.Traits{ReadOnly: tt.access == pegboard.AccessRead, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Access: tt.access, Value: tt.path}}},
				Call:   func(ctx, struct{}, *pegboard.Call) (string, error) { return "", nil },
			})
			d := registryOf(t, tool).AssemblePool(s, pegboard.PoolConfig{}).Decide(t.Context(), call("1", "T", `{}`))
			require.Equal(t, tt.want, d.Behavior, "%v %v %s", mode, tt.access, tt.path)
		}
	}
}

// dirlessStore has a method Dir, and no directory at present.
type dirlessStore struct{ oddStore }

func (dirlessStore) Dir() string { return "" }

func TestStoreWithoutADirectoryAllowsNoReads(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Results: dirlessStore{}})
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, path := range []string{file, "/etc/passwd"} {
		tool := pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "T"}, Description: "For a test.",
			Traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: path}}},
			Call:   func(ctx, struct{}, *pegboard.Call) (string, error) { return "", nil },
		})
		require.Equal(t, pegboard.Ask, registryOf(t, tool).AssemblePool(s, pegboard.PoolConfig{}).Decide(t.Context(), call("1", "T", `{}`)).Behavior)
	}
}
