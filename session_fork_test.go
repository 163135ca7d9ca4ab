package pegboard_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func TestForkRefusesWhatItsParentDoesNotHave(t *testing.T) {
	t.Parallel()
	dir, more, outside := t.TempDir(), t.TempDir(), t.TempDir()
	for _, sub := range []string{"sub", "sub/deep"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, sub), 0o700))
	}
	require.NoError(t, linkDir(outside, filepath.Join(dir, "out")))
	require.NoError(t, linkDir(filepath.Join(dir, "sub"), filepath.Join(dir, "in")))
	require.NoError(t, linkDir(filepath.Join(dir, "sub"), filepath.Join(outside, "back")))
	at := func(names ...string) string { return filepath.Join(append([]string{dir}, names...)...) }
	p := func(mode pegboard.Mode, set pegboard.RuleSet) pegboard.Permissions { return rules(t, mode, set) }
	tests := []struct {
		name   string
		parent pegboard.Mode
		cfg    pegboard.SessionConfig
		says   string // empty: it is a fork
	}{
		{name: "nothing of its own"},
		{name: "role coordinator", cfg: pegboard.SessionConfig{Role: pegboard.RoleCoordinator}, says: "role coordinator"},
		{name: "allow rule", cfg: pegboard.SessionConfig{Permissions: p("", pegboard.RuleSet{Allow: []string{"Edit(a)"}})}, says: `allow rule "Edit(a)"`},
		{name: "allow rule the parent has", parent: pegboard.ModeBypass, cfg: pegboard.SessionConfig{Permissions: p("", pegboard.RuleSet{Allow: []string{"T"}})}, says: `allow rule "T"`},
		{name: "deny and ask rules", cfg: pegboard.SessionConfig{Permissions: p("", pegboard.RuleSet{Ask: []string{"T"}, Deny: []string{"U"}})}},
		{name: "default to bypass", cfg: pegboard.SessionConfig{Permissions: p(pegboard.ModeBypass, pegboard.RuleSet{})}, says: "laxer"},
		{name: "plan to default", parent: pegboard.ModePlan, cfg: pegboard.SessionConfig{Permissions: p(pegboard.ModeDefault, pegboard.RuleSet{})}, says: "laxer"},
		{name: "plan to bypass", parent: pegboard.ModePlan, cfg: pegboard.SessionConfig{Permissions: p(pegboard.ModeBypass, pegboard.RuleSet{})}, says: "laxer"},
		{name: "bypass to plan", parent: pegboard.ModeBypass, cfg: pegboard.SessionConfig{Permissions: p(pegboard.ModePlan, pegboard.RuleSet{})}},
		{name: "the same mode", parent: pegboard.ModeBypass, cfg: pegboard.SessionConfig{Permissions: p(pegboard.ModeBypass, pegboard.RuleSet{})}},
		{name: "directory inside", cfg: pegboard.SessionConfig{Dir: at("sub", "deep")}},
		{name: "directory of the parent's others", cfg: pegboard.SessionConfig{Dir: more, MoreDirs: []string{dir}}},
		{name: "directory above", cfg: pegboard.SessionConfig{Dir: filepath.Dir(dir)}, says: "outside the parent's"},
		{name: "directory outside", cfg: pegboard.SessionConfig{Dir: outside}, says: "outside the parent's"},
		{name: "further directory outside", cfg: pegboard.SessionConfig{MoreDirs: []string{outside}}, says: "outside the parent's"},
		{name: "directory by dots", cfg: pegboard.SessionConfig{Dir: at("sub") + "/../.."}, says: "outside the parent's"},
		{name: "link that stays inside", cfg: pegboard.SessionConfig{Dir: at("in")}},
		{name: "link that leads outside", cfg: pegboard.SessionConfig{Dir: at("out")}, says: "outside the parent's"},
		{name: "link outside that leads inside", cfg: pegboard.SessionConfig{Dir: filepath.Join(outside, "back")}, says: "outside the parent's"},
		{name: "no directory", cfg: pegboard.SessionConfig{Dir: at("nothing")}, says: "nothing"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			parent := session(t, pegboard.SessionConfig{Dir: dir, MoreDirs: []string{more}, Permissions: rules(t, tc.parent, pegboard.RuleSet{})})
			if !strings.HasPrefix(tc.name, "role") {
				tc.cfg.Role = pegboard.RoleAsyncAgent
			}
			_, err := parent.Fork(tc.cfg)
			if tc.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.says)
		})
	}
}

func TestForkInherits(t *testing.T) {
	t.Parallel()
	dir, more := t.TempDir(), t.TempDir()
	var story []string
	note := func(who string) pegboard.Hooks {
		return pegboard.Hooks{
			Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
				story = append(story, who+" before")
				return pegboard.Decision{}, nil
			},
			Post: func(ctx, *pegboard.HookCall) error { story = append(story, who+" after"); return nil },
		}
	}
	var questions []*pegboard.Question
	parent := session(t, pegboard.SessionConfig{
		ID: "7", AgentType: "boss", Dir: dir, MoreDirs: []string{more}, Hooks: note("parent"), Permissions: rules(t, pegboard.ModePlan, pegboard.RuleSet{}),
		Ask: answering(&questions, pegboard.Decision{Behavior: pegboard.Allow}, nil),
	})
	fork := forked(t, parent, pegboard.SessionConfig{AgentID: "a1", AgentType: "worker", Hooks: note("fork")})
	require.Equal(t, []string{"7", "a1", "worker", dir}, []string{fork.ID(), fork.AgentID(), fork.AgentType(), fork.Dir()})
	require.Equal(t, pegboard.RoleSubAgent, fork.Role())
	require.Equal(t, pegboard.ModePlan, fork.Permissions().Mode())

	inMore := []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: filepath.Join(more, "a")}}
	a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: inMore}}
	require.Equal(t, "allow", judge(t, a.pool(t, fork)).behavior.String(), "the parent's further directories")
	require.Empty(t, questions)
	require.Equal(t, []string{"parent before", "fork before", "parent after", "fork after"}, story)

	a.traits = pegboard.Traits{}
	require.Equal(t, "allow", judge(t, a.pool(t, fork)).behavior.String())
	require.Len(t, questions, 1, "the parent's asker")
}

// TestForkHooksOnlyNarrow: a fork's hook may refuse and ask. It cannot spare a
// question that the parent would have put.
func TestForkHooksOnlyNarrow(t *testing.T) {
	t.Parallel()
	say := func(b pegboard.Behavior) pegboard.Hooks {
		return pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (pegboard.Decision, error) {
			return pegboard.Decision{Behavior: b}, nil
		}}
	}
	tests := []struct{ parent, fork, want pegboard.Behavior }{
		{parent: pegboard.Undecided, fork: pegboard.Deny, want: pegboard.Deny},
		{parent: pegboard.Allow, fork: pegboard.Undecided, want: pegboard.Allow},
		{parent: pegboard.Allow, fork: pegboard.Ask, want: pegboard.Ask},
		{parent: pegboard.Deny, fork: pegboard.Allow, want: pegboard.Deny},
		{parent: pegboard.Ask, fork: pegboard.Allow, want: pegboard.Ask},
		{parent: pegboard.Undecided, fork: pegboard.Allow, want: pegboard.Ask},
	}
	for _, tc := range tests {
		t.Run(tc.parent.String()+" "+tc.fork.String(), func(t *testing.T) {
			t.Parallel()
			a := actor{name: "T"}
			fork := forked(t, session(t, pegboard.SessionConfig{Hooks: say(tc.parent)}), pegboard.SessionConfig{Hooks: say(tc.fork)})
			require.Equal(t, tc.want.String(), judge(t, a.pool(t, fork)).behavior.String())
		})
	}
}

// TestForkBringsNoAsker: a fork asks through its parent's Asker.
func TestForkBringsNoAsker(t *testing.T) {
	t.Parallel()
	yes := func(ctx, *pegboard.Question) (pegboard.Decision, error) {
		return pegboard.Decision{Behavior: pegboard.Allow}, nil
	}
	for _, parent := range []pegboard.Asker{nil, yes} {
		s := session(t, pegboard.SessionConfig{Ask: parent})
		_, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, Ask: yes})
		require.ErrorContains(t, err, "leave Ask empty")
	}
}

func TestForkWithoutARoleIsASubAgent(t *testing.T) {
	t.Parallel()
	parent := session(t, pegboard.SessionConfig{})
	child, err := parent.Fork(pegboard.SessionConfig{})
	require.NoError(t, err)
	require.Equal(t, pegboard.RoleSubAgent, child.Role())

	_, err = parent.Fork(pegboard.SessionConfig{Dir: t.TempDir()})
	require.ErrorContains(t, err, "outside the parent's", "the error is about the directory and not about the role")
}

func TestForkMayEnterADirectoryThatWasAdded(t *testing.T) {
	t.Parallel()
	added := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(added, "sub"), 0o700))
	parent := session(t, pegboard.SessionConfig{Dir: t.TempDir()})
	_, err := parent.Fork(pegboard.SessionConfig{Dir: filepath.Join(added, "sub")})
	require.ErrorContains(t, err, "outside the parent's", "it was not added yet")

	update := pegboard.PermissionUpdate{Type: pegboard.UpdateAddDirectories, Directories: []string{added}}
	require.NoError(t, parent.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) { return p.Apply(update) }))
	child, err := parent.Fork(pegboard.SessionConfig{Dir: filepath.Join(added, "sub"), MoreDirs: []string{parent.Dir()}})
	require.NoError(t, err)
	grandchild, err := child.Fork(pegboard.SessionConfig{})
	require.NoError(t, err)
	inside := func(s *pegboard.Session) string {
		a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: filepath.Join(added, "sub", "f")}}}}
		return judge(t, a.pool(t, s)).behavior.String()
	}
	require.Equal(t, "allow", inside(child))
	require.Equal(t, "allow", inside(grandchild))

	require.NoError(t, parent.SetPermissions(pegboard.Permissions{}))
	require.Equal(t, "ask", inside(parent))
	require.Equal(t, "ask", inside(child), "the fork loses it with its parent")
	require.Equal(t, "ask", inside(grandchild))
	require.Equal(t, []string{parent.Dir()}, child.Dirs())
}

func TestTeammatesForkOnlyAgentsThatTheyWaitFor(t *testing.T) {
	t.Parallel()
	teammate := forked(t, session(t, pegboard.SessionConfig{}), pegboard.SessionConfig{Role: pegboard.RoleTeammate})
	helper := forked(t, teammate, pegboard.SessionConfig{})
	for _, s := range []*pegboard.Session{teammate, helper} {
		for _, role := range []pegboard.Role{pegboard.RoleAsyncAgent, pegboard.RoleTeammate} {
			_, err := s.Fork(pegboard.SessionConfig{Role: role})
			require.ErrorContains(t, err, "a teammate starts only agents that it waits for")
		}
	}
	_, err := forked(t, session(t, pegboard.SessionConfig{}), pegboard.SessionConfig{Role: pegboard.RoleAsyncAgent}).Fork(pegboard.SessionConfig{Role: pegboard.RoleAsyncAgent})
	require.NoError(t, err)
}

func TestAgentPath(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{ID: "talk"})
	require.Empty(t, s.AgentPath())
	one := forked(t, s, pegboard.SessionConfig{AgentID: "one"})
	two := forked(t, one, pegboard.SessionConfig{AgentID: "two"})
	require.Equal(t, []string{"one"}, one.AgentPath())
	require.Equal(t, []string{"one", "two"}, two.AgentPath())
	require.Equal(t, "talk", two.ID())
}
