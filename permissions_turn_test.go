package pegboard_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// ofTurn adds rules of the turn to the permissions of a session, and returns how.
func ofTurn(b pegboard.Behavior, tool string) pegboard.PermissionUpdate {
	return pegboard.PermissionUpdate{
		Type: pegboard.UpdateAddRules, Behavior: b, Destination: pegboard.SourceTurn, Rules: []pegboard.PermissionUpdateRule{{Tool: tool}},
	}
}

func update(t *testing.T, s *pegboard.Session, updates ...pegboard.PermissionUpdate) {
	t.Helper()
	require.NoError(t, s.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) { return p.Apply(updates...) }))
}

// TestRulesOfTheTurn decides a call in a session and its fork, while rules of the turn hold
// in the session, and after they have ended.
func TestRulesOfTheTurn(t *testing.T) {
	t.Parallel()
	allow, ask, deny := pegboard.Allow, pegboard.Ask, pegboard.Deny
	fact := pegboard.FactRule{Behavior: pegboard.Allow, Source: pegboard.SourceTurn, Destructive: pegboard.FactYes}
	tests := []struct {
		name       string
		set        pegboard.RuleSet // of the session, for good
		give       func(t *testing.T, s *pegboard.Session)
		main, fork pegboard.Behavior // while the turn lasts
		then       pegboard.Behavior // of both
	}{
		{name: "none", main: ask, fork: ask, then: ask},
		{name: "allow", give: func(t *testing.T, s *pegboard.Session) { t.Helper(); update(t, s, ofTurn(allow, "T")) }, main: allow, fork: ask, then: ask},
		{name: "allow, by a set of rules", give: func(t *testing.T, s *pegboard.Session) {
			t.Helper()
			require.NoError(t, s.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) {
				return p.WithRules(pegboard.RuleSet{Source: pegboard.SourceTurn, Allow: []string{"T"}})
			}))
		}, main: allow, fork: ask, then: ask},
		{name: "allow, by a rule on facts", give: func(t *testing.T, s *pegboard.Session) {
			t.Helper()
			require.NoError(t, s.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) { return p.WithFactRules(fact) }))
		}, main: allow, fork: ask, then: ask},
		{name: "deny", set: pegboard.RuleSet{Allow: []string{"T"}}, give: func(t *testing.T, s *pegboard.Session) { t.Helper(); update(t, s, ofTurn(deny, "T")) }, main: deny, fork: deny, then: allow},
		{name: "ask", set: pegboard.RuleSet{Allow: []string{"T"}}, give: func(t *testing.T, s *pegboard.Session) { t.Helper(); update(t, s, ofTurn(ask, "T")) }, main: ask, fork: ask, then: allow},
		{name: "the same rule for good", set: pegboard.RuleSet{Source: pegboard.SourceUser, Allow: []string{"T"}}, give: func(t *testing.T, s *pegboard.Session) { t.Helper(); update(t, s, ofTurn(allow, "T")) }, main: allow, fork: allow, then: allow},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := &actor{name: "T", traits: pegboard.Traits{Destructive: true, Targets: []pegboard.Target{{Kind: pegboard.TargetResource, Value: "x"}}}}
			main := session(t, pegboard.SessionConfig{Permissions: rules(t, "", tc.set)})
			early := forked(t, main, pegboard.SessionConfig{AgentID: "early"})
			if tc.give != nil {
				tc.give(t, main)
			}
			late := forked(t, main, pegboard.SessionConfig{AgentID: "late"})
			copied := forked(t, main, pegboard.SessionConfig{AgentID: "copied", Permissions: main.Permissions()})
			decided := func(s *pegboard.Session) pegboard.Behavior { return judge(t, a.pool(t, s)).behavior }
			require.Equal(t, tc.main, decided(main))
			for _, fork := range []*pegboard.Session{early, late, copied} {
				require.Equal(t, tc.fork, decided(fork), fork.AgentID())
				fork.NewTurn()
				require.Equal(t, tc.fork, decided(fork), "the turn of %s is not its parent's", fork.AgentID())
			}
			require.Equal(t, tc.main, decided(main))
			main.NewTurn()
			for _, s := range []*pegboard.Session{main, early, late, copied} {
				require.Equal(t, tc.then, decided(s), s.AgentID())
				update(t, s) // what has ended is no longer in a fork's own permissions, where it would be an error
			}
			for _, rule := range main.Permissions().Rules() {
				require.NotEqual(t, pegboard.SourceTurn, rule.Source)
			}
			require.Empty(t, main.Permissions().FactRules())
		})
	}
}

// TestForkHasATurnOfItsOwn: what narrows a fork for a turn ends with the fork's turn, and a
// fork cannot allow itself anything for a turn.
func TestForkHasATurnOfItsOwn(t *testing.T) {
	t.Parallel()
	a := &actor{name: "T"}
	main := session(t, pegboard.SessionConfig{Permissions: rules(t, "", pegboard.RuleSet{Allow: []string{"T"}})})
	fork := forked(t, main, pegboard.SessionConfig{})
	update(t, fork, ofTurn(pegboard.Deny, "T"))
	require.Equal(t, pegboard.Deny, judge(t, a.pool(t, fork)).behavior)
	main.NewTurn()
	require.Equal(t, pegboard.Deny, judge(t, a.pool(t, fork)).behavior)
	fork.NewTurn()
	require.Equal(t, pegboard.Allow, judge(t, a.pool(t, fork)).behavior)
	require.ErrorContains(t, fork.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) {
		return p.Apply(ofTurn(pegboard.Allow, "U"))
	}), "a fork cannot add the allow rule")
}

// TestRulesOfTheTurnAreNotSaved: an answer may remember them, and the host does not save them.
func TestRulesOfTheTurnAreNotSaved(t *testing.T) {
	t.Parallel()
	var saved []pegboard.PermissionUpdate
	forGood := ofTurn(pegboard.Allow, "U")
	forGood.Destination = pegboard.SourceUser
	cfg := pegboard.SessionConfig{
		Ask: func(context.Context, *pegboard.Question) (pegboard.Decision, error) {
			return pegboard.Decision{Behavior: pegboard.Allow, Remember: []pegboard.PermissionUpdate{ofTurn(pegboard.Allow, "T"), forGood}}, nil
		},
		OnRemember: func(_ context.Context, updates []pegboard.PermissionUpdate) error {
			saved = append(saved, updates...)
			return nil
		},
	}
	s := session(t, cfg)
	ex := executor(pegboard.Executor{})
	pool := registryOf(t, plain("T", says("ran"))).AssemblePool(s, pegboard.PoolConfig{})
	for i := range 2 {
		require.NoError(t, ex.Run(t.Context(), pool, call(fmt.Sprint(i), "T", `{}`))[0].Err)
	}
	require.Equal(t, []pegboard.PermissionUpdate{forGood}, saved, "asked once, and that much was saved")
	s.NewTurn()
	require.NoError(t, ex.Run(t.Context(), pool, call("3", "T", `{}`))[0].Err)
	require.Len(t, saved, 2, "asked again")
}

// TestTurnHasOnlyRules: a mode or a directory would stay for good, so neither is taken for a turn.
func TestTurnHasOnlyRules(t *testing.T) {
	t.Parallel()
	for _, u := range []pegboard.PermissionUpdate{
		{Type: pegboard.UpdateSetMode, Mode: pegboard.ModeAcceptEdits, Destination: pegboard.SourceTurn},
		{Type: pegboard.UpdateAddDirectories, Directories: []string{"/tmp"}, Destination: pegboard.SourceTurn},
	} {
		p, err := pegboard.Permissions{}.Apply(u)
		require.ErrorContains(t, err, "only rules end with a turn", u.Type)
		require.Equal(t, pegboard.ModeDefault, p.Mode())
		require.Empty(t, p.Directories())
	}
}
