package pegboard_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestDenialSaysWhichRule it was, and of which source.
func TestDenialSaysWhichRule(t *testing.T) {
	t.Parallel()
	a := actor{name: "T"}
	pool := a.pool(t, session(t, pegboard.SessionConfig{}))
	p, err := pegboard.NewPermissions("", pegboard.RuleSet{Source: pegboard.SourcePolicy, Deny: []string{"T"}},
		pegboard.RuleSet{Source: pegboard.SourceUser, Deny: []string{"T"}, Allow: []string{"T"}})
	require.NoError(t, err)
	require.NoError(t, pool.Session().SetPermissions(p))
	require.Equal(t, verdict{pegboard.Deny, `deny rule "T" from policySettings covers it`, "T"}, judge(t, pool))
}

// TestHookThatFailedDecided: Decision.By says so.
func TestHookThatFailedDecided(t *testing.T) {
	t.Parallel()
	cfg := pegboard.SessionConfig{Hooks: pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (pegboard.Decision, error) {
		return pegboard.Decision{}, errors.New("down")
	}}}
	a := actor{name: "T"}
	ex := executor(pegboard.Executor{})
	require.Equal(t, pegboard.ByHook, ex.Run(t.Context(), a.pool(t, session(t, cfg)), call("1", "T", `{}`))[0].Decision.By)
}

// TestWhoChangedTheInput: the record names who answered.
func TestWhoChangedTheInput(t *testing.T) {
	t.Parallel()
	answer := alwaysSays(pegboard.Decision{Behavior: pegboard.Allow, Reason: "fixed it", Input: json.RawMessage(`{"n":2}`)})
	for by, cfg := range map[pegboard.Decider]pegboard.SessionConfig{
		pegboard.ByHook:     {Hooks: pegboard.Hooks{Permission: answer}},
		pegboard.ByApprover: {Approvers: []pegboard.Asker{answer}},
		pegboard.ByPerson:   {Ask: answer},
	} {
		var ran []step
		var reg pegboard.Registry
		require.NoError(t, reg.Add(stepper(&ran)))
		d := run(t, &reg, session(t, cfg), call("1", "T", `{"n":1}`)).Decision
		require.Equal(t, []step{{N: 2}}, ran)
		require.Equal(t, by, d.By, d.Reason)
	}
}
