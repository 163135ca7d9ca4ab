package pegboard_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// TestPatternForTooManyNames stands for all that lies below.
func TestPatternForTooManyNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 1001 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprint("f", i)), nil, 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
	for pattern, want := range map[string]policy.Behavior{"f*": policy.Deny, "f?": policy.Allow} {
		a := reading(policy.Target{Value: pattern, Shell: policy.ShellFacts{Glob: true}})
		pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, "", policy.RuleSet{Deny: []string{"Read(./sub/x)"}})}))
		require.Equal(t, want.String(), judge(t, pool).behavior.String(), pattern)
	}
}

func TestGlobInTheHomeIsExpanded(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(home, "keys"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, "keys", "id"), nil, 0o600))
	a := reading(policy.Target{Value: "~/keys/*", Shell: policy.ShellFacts{Glob: true}})
	require.Equal(t, "deny", judgeOnce(t, a, pegboard.SessionConfig{Dir: t.TempDir(), Home: home}, policy.ModeBypass, policy.RuleSet{Deny: []string{"Read(~/keys/id)"}}))
}

// A pattern followed by .. is resolved through the link that it matches, before the path
// is cleaned.
func TestGlobWithDotsIsFollowedThroughALink(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(outside, "d"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), nil, 0o600))
	require.NoError(t, os.Symlink(filepath.Join(outside, "d"), filepath.Join(dir, "link")))
	a := reading(policy.Target{Value: "lin*/../secret", Shell: policy.ShellFacts{Glob: true}}) // cat reads outside/secret
	require.Equal(t, "ask", judgeOnce(t, a, pegboard.SessionConfig{Dir: dir}, "", policy.RuleSet{}), "outside the working directory")
	require.Equal(t, "deny", judgeOnce(t, a, pegboard.SessionConfig{Dir: dir}, "", policy.RuleSet{Deny: []string{"Read(/" + outside + "/secret)"}}))
}

func TestAliasWithDotsIsFollowedThroughALink(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(outside, "d"), 0o700))
	require.NoError(t, os.Symlink(filepath.Join(outside, "d"), filepath.Join(dir, "link")))
	a := reading(policy.Target{Value: "f", Aliases: []string{"link/../secret"}})
	require.Equal(t, "ask", judgeOnce(t, a, pegboard.SessionConfig{Dir: dir}, "", policy.RuleSet{}))
}

// A pattern that matches a file called like an option is asked about: the command would
// read it as the option.
func TestGlobThatMatchesAnOptionIsAsked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	glob := pathTo(policy.Read, "*")
	glob.Shell.Glob = true
	reads := actor{traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{glob}}}
	for _, name := range []string{"a", "-R"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
		want := map[string]string{"a": "allow", "-R": "ask"}[name]
		require.Equal(t, want, judgeOnce(t, reads, pegboard.SessionConfig{Dir: dir}, "", policy.RuleSet{}))
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
		access   policy.Access
		mode     policy.Mode
		before   policy.Behavior
		after    policy.Behavior
	}{
		{name: "read", readOnly: true, access: policy.Read, before: policy.Ask, after: policy.Allow},
		{name: "read, plan", readOnly: true, access: policy.Read, mode: policy.ModePlan, before: policy.Ask, after: policy.Allow},
		{name: "edit", access: policy.Write, before: policy.Ask, after: policy.Ask},
		{name: "edit, acceptEdits", access: policy.Write, mode: policy.ModeAcceptEdits, before: policy.Ask, after: policy.Allow},
		{name: "edit, dontAsk", access: policy.Write, mode: policy.ModeDontAsk, before: policy.Deny, after: policy.Deny},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := actor{name: "T", traits: pegboard.Traits{ReadOnly: tc.readOnly, Targets: []policy.Target{
				{Kind: policy.Path, Access: tc.access, Value: filepath.Join(added, "f")},
			}}}
			pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: t.TempDir(), Permissions: rules(t, tc.mode, policy.RuleSet{})}))
			require.Equal(t, tc.before.String(), judge(t, pool).behavior.String())
			update := func(kind policy.UpdateType) {
				require.NoError(t, pool.Session().UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) {
					return p.Apply(policy.Update{Type: kind, Directories: []string{added}, Destination: policy.SourceSession})
				}))
			}
			update(policy.AddDirectories)
			require.Equal(t, tc.after.String(), judge(t, pool).behavior.String())
			update(policy.RemoveDirectories)
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
	perms := rules(t, "", policy.RuleSet{Deny: []string{"Read(//**/secret)"}})
	s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Permissions: perms})
	fork := forked(t, s, pegboard.SessionConfig{})
	look := func(access policy.Access) pegboard.Tool {
		return pegboard.Build(pegboard.Definition[struct {
			Path string `json:"path"`
		}, string]{
			Info: pegboard.Info{Name: "Look"}, Description: "Looks.",
			Inspect: func(in struct {
				Path string `json:"path"`
			}, _ *pegboard.Call) pegboard.Traits {
				return pegboard.Traits{ReadOnly: access == policy.Read, Targets: []policy.Target{{Kind: policy.Path, Access: access, Value: in.Path}}}
			},
			Call: func(context.Context, struct {
				Path string `json:"path"`
			}, *pegboard.Call) (string, error) {
				return "", nil
			},
		})
	}
	decide := func(s *pegboard.Session, access policy.Access, path string) policy.Behavior {
		var reg pegboard.Registry
		require.NoError(t, reg.Add(look(access)))
		return reg.AssemblePool(s, pegboard.PoolConfig{}).Decide(t.Context(), call("1", "Look", fmt.Sprintf(`{"path":%q}`, path))).Behavior
	}
	file := filepath.Join(stored, "file")
	require.Equal(t, policy.Ask, decide(s, policy.Read, file))
	fork.AllowReads(stored)
	for _, agent := range []*pegboard.Session{s, fork} {
		require.Equal(t, policy.Allow, decide(agent, policy.Read, file))
		require.NotEqual(t, policy.Allow, decide(agent, policy.Write, file))
		require.NotEqual(t, policy.Allow, decide(agent, policy.Read, filepath.Join(outside, "other")))
		require.NotEqual(t, policy.Allow, decide(agent, policy.Read, filepath.Join(stored, "out", "other")), "a link leads out")
		require.Equal(t, policy.Deny, decide(agent, policy.Read, filepath.Join(stored, "secret")))
	}
	require.Equal(t, []string{s.Dir()}, s.Dirs())
}

func TestStoreDirectoryIsReadOnly(t *testing.T) {
	t.Parallel()
	store := dirStore(t, pegboard.DirOptions{})
	for _, mode := range []policy.Mode{policy.ModeDefault, policy.ModeAcceptEdits} {
		s := session(t, pegboard.SessionConfig{Results: store, Dir: t.TempDir(), Permissions: rules(t, mode, policy.RuleSet{})})
		outside := filepath.Join(t.TempDir(), "secret")
		require.NoError(t, os.WriteFile(outside, nil, 0o600))
		link := filepath.Join(store.Dir(), fmt.Sprint("link", mode))
		require.NoError(t, os.Symlink(outside, link))
		for _, tt := range []struct {
			access policy.Access
			path   string
			want   policy.Behavior
		}{
			{policy.Read, filepath.Join(store.Dir(), "x"), policy.Allow},
			{policy.Write, filepath.Join(store.Dir(), "x"), policy.Ask},
			{policy.Read, filepath.Dir(store.Dir()), policy.Ask},
			{policy.Read, filepath.Join(store.Dir(), "..", "s2", "x"), policy.Ask},
			{policy.Read, link, policy.Ask},
		} {
			tool := pegboard.Build(pegboard.Definition[struct{}, string]{
				Info: pegboard.Info{Name: "T"}, Description: "For a test.",
				Traits: pegboard.Traits{ReadOnly: tt.access == policy.Read, Targets: []policy.Target{{Kind: policy.Path, Access: tt.access, Value: tt.path}}},
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
			Traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Path, Access: policy.Read, Value: path}}},
			Call:   func(ctx, struct{}, *pegboard.Call) (string, error) { return "", nil },
		})
		require.Equal(t, policy.Ask, registryOf(t, tool).AssemblePool(s, pegboard.PoolConfig{}).Decide(t.Context(), call("1", "T", `{}`)).Behavior)
	}
}
