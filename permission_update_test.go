package pegboard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// settled returns permissions of two sources with two directories.
func settled(t testing.TB) pegboard.Permissions {
	t.Helper()
	p, err := pegboard.NewPermissions("",
		pegboard.RuleSet{Source: pegboard.SourceUser, Allow: []string{"A", "B(x)"}, Deny: []string{"D"}},
		pegboard.RuleSet{Source: pegboard.SourceSession, Allow: []string{"A"}, Ask: []string{"Q"}})
	require.NoError(t, err)
	p, err = p.Apply(
		pegboard.PermissionUpdate{Type: pegboard.UpdateAddDirectories, Directories: []string{"/u"}, Destination: pegboard.SourceUser},
		pegboard.PermissionUpdate{Type: pegboard.UpdateAddDirectories, Directories: []string{"/s"}, Destination: pegboard.SourceSession})
	require.NoError(t, err)
	return p
}

func TestUpdates(t *testing.T) {
	t.Parallel()
	const (
		user, here = pegboard.SourceUser, pegboard.SourceSession
		allow, ask = pegboard.Allow, pegboard.Ask
	)
	type update = pegboard.PermissionUpdate
	is := func(list ...string) []pegboard.PermissionUpdateRule {
		var rs []pegboard.PermissionUpdateRule
		for i := 0; i < len(list); i += 2 {
			rs = append(rs, pegboard.PermissionUpdateRule{Tool: list[i], Pattern: list[i+1]})
		}
		return rs
	}
	tests := []struct {
		name    string
		updates []update
		want    []string
	}{
		{name: "none", want: []string{"default", "deny D userSettings", "ask Q session", "allow A userSettings", "allow B(x) userSettings", "allow A session", "dir /u userSettings", "dir /s session"}},
		{name: "add rules", updates: []update{{Type: pegboard.UpdateAddRules, Behavior: ask, Rules: is("E", "", "Edit", "/src"), Destination: here}},
			want: []string{"default", "deny D userSettings", "ask Q session", "ask E session", "ask Edit(/src) session", "allow A userSettings", "allow B(x) userSettings", "allow A session", "dir /u userSettings", "dir /s session"}},
		{name: "add a rule that is there", updates: []update{{Type: pegboard.UpdateAddRules, Behavior: allow, Rules: is("A", "*"), Destination: here}},
			want: []string{"default", "deny D userSettings", "ask Q session", "allow A userSettings", "allow B(x) userSettings", "allow A session", "dir /u userSettings", "dir /s session"}},
		{name: "add to a new destination", updates: []update{{Type: pegboard.UpdateAddRules, Behavior: pegboard.Deny, Rules: is("A", ""), Destination: pegboard.SourceLocal}},
			want: []string{"default", "deny D userSettings", "deny A localSettings", "ask Q session", "allow A userSettings", "allow B(x) userSettings", "allow A session", "dir /u userSettings", "dir /s session"}},
		{name: "replace rules of one behavior and destination", updates: []update{{Type: pegboard.UpdateReplaceRules, Behavior: allow, Rules: is("N", ""), Destination: user}},
			want: []string{"default", "deny D userSettings", "ask Q session", "allow A session", "allow N userSettings", "dir /u userSettings", "dir /s session"}},
		{name: "replace by nothing", updates: []update{{Type: pegboard.UpdateReplaceRules, Behavior: allow, Destination: here}},
			want: []string{"default", "deny D userSettings", "ask Q session", "allow A userSettings", "allow B(x) userSettings", "dir /u userSettings", "dir /s session"}},
		{name: "remove a rule", updates: []update{{Type: pegboard.UpdateRemoveRules, Behavior: allow, Rules: is("A", ""), Destination: user}},
			want: []string{"default", "deny D userSettings", "ask Q session", "allow B(x) userSettings", "allow A session", "dir /u userSettings", "dir /s session"}},
		{name: "remove a rule of another behavior", updates: []update{{Type: pegboard.UpdateRemoveRules, Behavior: ask, Rules: is("A", ""), Destination: user}},
			want: []string{"default", "deny D userSettings", "ask Q session", "allow A userSettings", "allow B(x) userSettings", "allow A session", "dir /u userSettings", "dir /s session"}},
		{name: "remove a rule of another destination", updates: []update{{Type: pegboard.UpdateRemoveRules, Behavior: allow, Rules: is("B", "x"), Destination: here}},
			want: []string{"default", "deny D userSettings", "ask Q session", "allow A userSettings", "allow B(x) userSettings", "allow A session", "dir /u userSettings", "dir /s session"}},
		{name: "remove a rule by half its words", updates: []update{{Type: pegboard.UpdateRemoveRules, Behavior: allow, Rules: is("B", ""), Destination: user}},
			want: []string{"default", "deny D userSettings", "ask Q session", "allow A userSettings", "allow B(x) userSettings", "allow A session", "dir /u userSettings", "dir /s session"}},
		{name: "set the mode", updates: []update{{Type: pegboard.UpdateSetMode, Mode: pegboard.ModeAcceptEdits, Destination: here}},
			want: []string{"acceptEdits", "deny D userSettings", "ask Q session", "allow A userSettings", "allow B(x) userSettings", "allow A session", "dir /u userSettings", "dir /s session"}},
		{name: "set the mode by its other name", updates: []update{{Type: pegboard.UpdateSetMode, Mode: pegboard.ModePlan}, {Type: pegboard.UpdateSetMode, Mode: "manual", Destination: here}},
			want: []string{"default", "deny D userSettings", "ask Q session", "allow A userSettings", "allow B(x) userSettings", "allow A session", "dir /u userSettings", "dir /s session"}},
		{name: "add directories", updates: []update{{Type: pegboard.UpdateAddDirectories, Directories: []string{"/n", "/u"}, Destination: user}},
			want: []string{"default", "deny D userSettings", "ask Q session", "allow A userSettings", "allow B(x) userSettings", "allow A session", "dir /s session", "dir /n userSettings", "dir /u userSettings"}},
		{name: "remove directories", updates: []update{{Type: pegboard.UpdateRemoveDirectories, Directories: []string{"/s", "/none"}, Destination: here}},
			want: []string{"default", "deny D userSettings", "ask Q session", "allow A userSettings", "allow B(x) userSettings", "allow A session", "dir /u userSettings"}},
		{name: "remove directories of another destination", updates: []update{{Type: pegboard.UpdateRemoveDirectories, Directories: []string{"/u"}, Destination: here}},
			want: []string{"default", "deny D userSettings", "ask Q session", "allow A userSettings", "allow B(x) userSettings", "allow A session", "dir /u userSettings", "dir /s session"}},
		{name: "in their order", updates: []update{
			{Type: pegboard.UpdateAddRules, Behavior: allow, Rules: is("N", ""), Destination: user},
			{Type: pegboard.UpdateReplaceRules, Behavior: allow, Rules: is("M", ""), Destination: user},
			{Type: pegboard.UpdateAddRules, Behavior: allow, Rules: is("O", ""), Destination: user},
			{Type: pegboard.UpdateRemoveRules, Behavior: allow, Rules: is("M", ""), Destination: user},
		}, want: []string{"default", "deny D userSettings", "ask Q session", "allow A session", "allow O userSettings", "dir /u userSettings", "dir /s session"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := settled(t)
			before := holds(p)
			q, err := p.Apply(tc.updates...)
			require.NoError(t, err)
			require.Equal(t, tc.want, holds(q))
			require.Equal(t, before, holds(p), "the value is immutable")
		})
	}
}

// TestUpdatesThatAreWrong change nothing, not even by those before them.
func TestUpdatesThatAreWrong(t *testing.T) {
	t.Parallel()
	good := pegboard.PermissionUpdate{Type: pegboard.UpdateAddRules, Behavior: pegboard.Allow, Rules: []pegboard.PermissionUpdateRule{{Tool: "N"}}, Destination: pegboard.SourceSession}
	tests := []struct {
		name  string
		wrong pegboard.PermissionUpdate
		says  string
	}{
		{name: "no type", says: "unknown type"},
		{name: "unknown type", wrong: pegboard.PermissionUpdate{Type: "addrules"}, says: "update addrules: unknown type"},
		{name: "no behavior", wrong: pegboard.PermissionUpdate{Type: pegboard.UpdateAddRules, Rules: []pegboard.PermissionUpdateRule{{Tool: "N"}}}, says: "the behavior is undecided"},
		{name: "no tool", wrong: pegboard.PermissionUpdate{Type: pegboard.UpdateAddRules, Behavior: pegboard.Deny, Rules: []pegboard.PermissionUpdateRule{{Tool: "N"}, {Pattern: "x"}}}, says: "is empty"},
		{name: "a rule nobody understands", wrong: pegboard.PermissionUpdate{Type: pegboard.UpdateReplaceRules, Behavior: pegboard.Deny, Rules: []pegboard.PermissionUpdateRule{{Tool: "Edit", Pattern: "../x"}}}, says: `".."`},
		{name: "a rule to remove that nobody understands", wrong: pegboard.PermissionUpdate{Type: pegboard.UpdateRemoveRules, Behavior: pegboard.Deny, Rules: []pegboard.PermissionUpdateRule{{Tool: "Bash", Pattern: " "}}}, says: "update removeRules"},
		{name: "an allow rule that is too broad", wrong: pegboard.PermissionUpdate{Type: pegboard.UpdateAddRules, Behavior: pegboard.Allow, Rules: []pegboard.PermissionUpdateRule{{Tool: "*"}}}, says: "an allow rule approves nothing"},
		{name: "unknown mode", wrong: pegboard.PermissionUpdate{Type: pegboard.UpdateSetMode, Mode: "yolo"}, says: `unknown permission mode "yolo"`},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, pegboard.SessionConfig{Permissions: settled(t)})
			before := holds(s.Permissions())
			q, err := s.Permissions().Apply(good, tc.wrong, good)
			require.ErrorContains(t, err, tc.says)
			require.Equal(t, pegboard.Permissions{}, q)
			err = s.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) { return p.Apply(good, tc.wrong) })
			require.ErrorContains(t, err, tc.says)
			require.Equal(t, before, holds(s.Permissions()))
		})
	}
}

// TestBypassIsEnteredOnlyWhereItWasAvailable: an update to it changes nothing
// elsewhere, and is no error.
func TestBypassIsEnteredOnlyWhereItWasAvailable(t *testing.T) {
	t.Parallel()
	enter := pegboard.PermissionUpdate{Type: pegboard.UpdateSetMode, Mode: pegboard.ModeBypass, Destination: pegboard.SourceSession}
	leave := pegboard.PermissionUpdate{Type: pegboard.UpdateSetMode, Mode: pegboard.ModeDefault, Destination: pegboard.SourceSession}
	add := pegboard.PermissionUpdate{Type: pegboard.UpdateAddRules, Behavior: pegboard.Deny, Rules: []pegboard.PermissionUpdateRule{{Tool: "N"}}}
	for _, from := range strictness() {
		p := rules(t, from, pegboard.RuleSet{})
		q, err := p.Apply(enter, add)
		require.NoError(t, err)
		require.Equal(t, []string{string(from), "deny N "}, holds(q), "the others take place")
		if from == pegboard.ModeBypass {
			q, err = p.Apply(leave)
			require.NoError(t, err)
			require.Equal(t, pegboard.ModeDefault, q.Mode())
			q, err = q.Apply(add, enter)
			require.NoError(t, err)
			require.Equal(t, pegboard.ModeBypass, q.Mode(), "it was launched in it")
		}
	}
	p, err := pegboard.Permissions{}.WithAvailable(pegboard.ModeBypass).Apply(leave, enter)
	require.NoError(t, err)
	require.Equal(t, pegboard.ModeBypass, p.Mode())
}

// TestPlanModeRemembers the mode before it.
func TestPlanModeRemembers(t *testing.T) {
	t.Parallel()
	with := func(p pegboard.Permissions, m pegboard.Mode) pegboard.Permissions {
		q, err := p.WithMode(m)
		require.NoError(t, err)
		return q
	}
	set := func(p pegboard.Permissions, m pegboard.Mode) pegboard.Permissions {
		q, err := p.Apply(pegboard.PermissionUpdate{Type: pegboard.UpdateSetMode, Mode: m, Destination: pegboard.SourceSession})
		require.NoError(t, err)
		return q
	}
	for _, enter := range []func(pegboard.Permissions, pegboard.Mode) pegboard.Permissions{with, set} {
		for _, from := range strictness() {
			p := rules(t, from, pegboard.RuleSet{Deny: []string{"D"}})
			plan := enter(p, pegboard.ModePlan)
			require.Equal(t, pegboard.ModePlan, plan.Mode())
			want := from
			if from == pegboard.ModePlan { // it was never in another
				want = pegboard.ModeDefault
			}
			after := plan.AfterPlan()
			require.Equal(t, []string{string(want), "deny D "}, holds(after))
			require.Equal(t, want, enter(plan, pegboard.ModePlan).AfterPlan().Mode(), "entering twice is entering once")
			require.Equal(t, want, after.AfterPlan().Mode(), "leaving twice is leaving once")
			more, err := plan.WithRules(pegboard.RuleSet{Ask: []string{"Q"}})
			require.NoError(t, err)
			require.Equal(t, want, more.AfterPlan().Mode(), "a rule in between")
			if from != pegboard.ModePlan {
				require.Equal(t, holds(p), holds(p.AfterPlan()), "outside plan mode there is nothing to leave")
			}
			other := enter(enter(plan, pegboard.ModeAcceptEdits), pegboard.ModePlan)
			require.Equal(t, pegboard.ModeAcceptEdits, other.AfterPlan().Mode(), "the last mode before it")
		}
	}
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, pegboard.ModeAcceptEdits, pegboard.RuleSet{})})
	require.NoError(t, s.SetPermissions(with(s.Permissions(), pegboard.ModePlan)))
	require.NoError(t, s.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) { return p.AfterPlan(), nil }))
	require.Equal(t, pegboard.ModeAcceptEdits, s.Permissions().Mode())
}

// TestUpdateIsTheDocumentedJSON: updates have the JSON that Claude Code's documentation
// of hooks gives.
func TestUpdateIsTheDocumentedJSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]pegboard.PermissionUpdate{
		`{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm test"},{"toolName":"Read"}],"behavior":"allow","destination":"localSettings"}`: {
			Type: pegboard.UpdateAddRules, Rules: []pegboard.PermissionUpdateRule{{Tool: "Bash", Pattern: "npm test"}, {Tool: "Read"}}, Behavior: pegboard.Allow, Destination: pegboard.SourceLocal},
		`{"type":"replaceRules","rules":[{"toolName":"Bash"}],"behavior":"deny","destination":"userSettings"}`: {
			Type: pegboard.UpdateReplaceRules, Rules: []pegboard.PermissionUpdateRule{{Tool: "Bash"}}, Behavior: pegboard.Deny, Destination: pegboard.SourceUser},
		`{"type":"removeRules","rules":[{"toolName":"Bash"}],"behavior":"ask","destination":"projectSettings"}`: {
			Type: pegboard.UpdateRemoveRules, Rules: []pegboard.PermissionUpdateRule{{Tool: "Bash"}}, Behavior: pegboard.Ask, Destination: pegboard.SourceProject},
		`{"type":"setMode","mode":"acceptEdits","destination":"session"}`: {
			Type: pegboard.UpdateSetMode, Mode: pegboard.ModeAcceptEdits, Destination: pegboard.SourceSession},
		`{"type":"addDirectories","directories":["/a","../b"],"destination":"cliArg"}`: {
			Type: pegboard.UpdateAddDirectories, Directories: []string{"/a", "../b"}, Destination: pegboard.SourceCLI},
		`{"type":"removeDirectories","directories":["/a"],"destination":"session"}`: {
			Type: pegboard.UpdateRemoveDirectories, Directories: []string{"/a"}, Destination: pegboard.SourceSession},
	} {
		var got pegboard.PermissionUpdate
		require.NoError(t, json.Unmarshal([]byte(text), &got))
		require.Equal(t, want, got)
		again, err := json.Marshal(got)
		require.NoError(t, err)
		require.Equal(t, text, string(again))
		_, err = pegboard.Permissions{}.Apply(got)
		require.NoError(t, err)
	}
	for _, text := range []string{`{"type":"addRules","behavior":"Allow"}`, `{"type":"addRules","behavior":"undecided"}`, `{"type":"addRules","behavior":1}`} {
		require.Error(t, json.Unmarshal([]byte(text), new(pegboard.PermissionUpdate)), text)
	}
}

// TestUpdatesAgainstAList applies random updates to permissions and to a plain
// list, which must stay the same.
func TestUpdatesAgainstAList(t *testing.T) {
	t.Parallel()
	type rule struct {
		b        pegboard.Behavior
		tool, of string
	}
	behaviors := []pegboard.Behavior{pegboard.Deny, pegboard.Ask, pegboard.Allow}
	for seed := range effort.Of(t, uint64(500)) {
		d := dice{rand.New(rand.NewPCG(seed, 8)), nil}
		var p pegboard.Permissions
		var list []rule
		for range 12 {
			u := pegboard.PermissionUpdate{Type: one(d, pegboard.UpdateAddRules, pegboard.UpdateAddRules, pegboard.UpdateReplaceRules, pegboard.UpdateRemoveRules), Behavior: one(d, behaviors...), Destination: one(d, pegboard.SourceUser, pegboard.SourceSession)}
			var given []rule
			for _, tool := range slices.Compact([]string{one(d, "A", "B"), one(d, "B", "C")}) {
				u.Rules = append(u.Rules, pegboard.PermissionUpdateRule{Tool: tool})
				given = append(given, rule{u.Behavior, tool, string(u.Destination)})
			}
			list = slices.DeleteFunc(list, func(r rule) bool {
				return slices.Contains(given, r) || u.Type == pegboard.UpdateReplaceRules && r.b == u.Behavior && r.of == string(u.Destination)
			})
			if u.Type != pegboard.UpdateRemoveRules {
				list = append(list, given...)
			}
			q, err := p.Apply(u)
			require.NoError(t, err)
			p = q
		}
		var want, got []rule
		for _, b := range behaviors {
			for _, r := range list {
				if r.b == b {
					want = append(want, r)
				}
			}
		}
		for _, r := range p.Rules() {
			got = append(got, rule{r.Behavior, r.Tool, string(r.Source)})
		}
		require.Equal(t, want, got, "seed %d", seed)
	}
}

func TestSetModeWithoutAMode(t *testing.T) {
	t.Parallel()
	p := rules(t, pegboard.ModePlan, pegboard.RuleSet{})
	q, err := p.Apply(pegboard.PermissionUpdate{Type: pegboard.UpdateSetMode})
	require.Error(t, err, "%s", q.Mode())
}

func TestUpdateThatSaysARuleTwice(t *testing.T) {
	t.Parallel()
	p, err := pegboard.Permissions{}.Apply(pegboard.PermissionUpdate{Type: pegboard.UpdateAddRules, Behavior: pegboard.Allow, Rules: []pegboard.PermissionUpdateRule{{Tool: "A"}, {Tool: "A"}}})
	require.NoError(t, err)
	require.Len(t, p.Rules(), 1)
}

// No update changes the rules of a policy.
func TestUpdatesLeaveThePolicyAlone(t *testing.T) {
	t.Parallel()
	p := rules(t, "", pegboard.RuleSet{Source: pegboard.SourcePolicy, Deny: []string{"Bash"}})
	for _, change := range []pegboard.PermissionUpdateType{pegboard.UpdateAddRules, pegboard.UpdateReplaceRules, pegboard.UpdateRemoveRules, pegboard.UpdateSetMode, pegboard.UpdateAddDirectories} {
		_, err := p.Apply(pegboard.PermissionUpdate{Type: change, Behavior: pegboard.Deny, Mode: pegboard.ModePlan, Destination: pegboard.SourcePolicy})
		require.Error(t, err, "%s", change)
	}
}

func TestSetPermissions(t *testing.T) {
	t.Parallel()
	parent := session(t, bypass(t))
	fork := forked(t, forked(t, parent, pegboard.SessionConfig{}), pegboard.SessionConfig{})
	a := actor{name: "T"}
	pool := a.pool(t, fork)
	require.Equal(t, "allow", judge(t, pool).behavior.String())

	require.NoError(t, fork.SetPermissions(rules(t, "", pegboard.RuleSet{Deny: []string{"T"}})))
	require.Equal(t, "deny", judge(t, pool).behavior.String())
	require.ErrorContains(t, fork.SetPermissions(rules(t, "", pegboard.RuleSet{Allow: []string{"T"}})), `allow rule "T"`)
	require.Equal(t, "deny", judge(t, pool).behavior.String(), "what was refused changes nothing")
	require.NoError(t, fork.SetPermissions(pegboard.Permissions{}))
	require.Equal(t, "allow", judge(t, pool).behavior.String(), "only its own rules were replaced")

	require.NoError(t, parent.SetPermissions(rules(t, pegboard.ModePlan, pegboard.RuleSet{Ask: []string{"T"}})))
	require.Equal(t, verdict{pegboard.Ask, `ask rule "T" covers it`, "T"}, judge(t, pool), "two forks down")
	require.Equal(t, pegboard.ModePlan, fork.Permissions().Mode())
	require.ErrorContains(t, fork.SetPermissions(rules(t, pegboard.ModeBypass, pegboard.RuleSet{})), "laxer")

	require.NoError(t, parent.SetPermissions(rules(t, "", pegboard.RuleSet{Allow: []string{"T"}})))
	require.Equal(t, "allow", judge(t, pool).behavior.String(), "what the parent is allowed, the fork is")
}

// TestUpdatesOfPermissionsAreNotLost when several are under way.
func TestUpdatesOfPermissionsAreNotLost(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{})
	const hosts, each = 8, 25
	var wg sync.WaitGroup
	for i := range hosts {
		wg.Go(func() {
			for k := range each {
				err := s.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) {
					runtime.Gosched() // let another update begin
					return p.WithRules(pegboard.RuleSet{Allow: []string{fmt.Sprintf("T%d_%d", i, k)}})
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	require.Len(t, s.Permissions().Rules(), hosts*each)

	failed := s.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) {
		return pegboard.Permissions{}, context.Canceled
	})
	require.ErrorIs(t, failed, context.Canceled)
	require.Len(t, s.Permissions().Rules(), hosts*each, "an update that fails changes nothing")
}
