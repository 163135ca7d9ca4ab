package pegboard_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestWhoAnswersInTheUsersPlace is about calls of a tool that only the user may allow: others
// count if they bring an answer, and by nothing else.
func TestWhoAnswersInTheUsersPlace(t *testing.T) {
	t.Parallel()
	const answer = `{"answer":"tea"}`
	allow, brings := pegboard.Decision{Behavior: pegboard.Allow}, pegboard.Decision{Behavior: pegboard.Allow, Input: json.RawMessage(answer)}
	says := func(d pegboard.Decision, err error) func(ctx, *pegboard.Question) (pegboard.Decision, error) {
		return func(ctx, *pegboard.Question) (pegboard.Decision, error) { return d, err }
	}
	before := func(d pegboard.Decision) pegboard.Hooks {
		return pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (pegboard.Decision, error) { return d, nil }}
	}
	permission := func(d pegboard.Decision, err error) pegboard.Hooks { return pegboard.Hooks{Permission: says(d, err)} }
	deny, wrong := pegboard.Decision{Behavior: pegboard.Deny}, pegboard.Decision{Behavior: pegboard.Allow, Input: json.RawMessage(`{"answer":1}`)}
	asks := func(r string) pegboard.RuleSet { return pegboard.RuleSet{Ask: []string{r}} }
	tests := []struct {
		name   string
		cfg    pegboard.SessionConfig
		fork   *pegboard.SessionConfig
		mode   pegboard.Mode
		set    pegboard.RuleSet
		source string
		by     pegboard.Decider
		input  string // that the tool is called with; empty if it is denied
	}{
		{name: "a check brings an answer", cfg: pegboard.SessionConfig{Approvers: []pegboard.Asker{says(brings, nil)}}, by: pegboard.ByApprover, input: answer},
		{name: "a check allows", cfg: pegboard.SessionConfig{Approvers: []pegboard.Asker{says(allow, nil)}}, by: pegboard.ByPerson, input: `{}`},
		{name: "a check denies", cfg: pegboard.SessionConfig{Approvers: []pegboard.Asker{says(deny, nil)}}, by: pegboard.ByPerson, input: `{}`},
		{name: "a check brings what does not decode", cfg: pegboard.SessionConfig{Approvers: []pegboard.Asker{says(wrong, nil), says(brings, nil)}}, by: pegboard.ByApprover, input: answer},
		{name: "a check of a fork", fork: &pegboard.SessionConfig{Approvers: []pegboard.Asker{says(brings, nil)}}, by: pegboard.ByPerson, input: `{}`},
		{name: "a hook brings an answer", cfg: pegboard.SessionConfig{Hooks: permission(brings, nil)}, by: pegboard.ByHook, input: answer},
		{name: "a hook allows", cfg: pegboard.SessionConfig{Hooks: permission(allow, nil)}, by: pegboard.ByPerson, input: `{}`},
		{name: "a hook denies", cfg: pegboard.SessionConfig{Hooks: permission(deny, nil)}, by: pegboard.ByPerson, input: `{}`},
		{name: "a hook brings the same input", cfg: pegboard.SessionConfig{Hooks: permission(pegboard.Decision{Behavior: pegboard.Allow, Input: json.RawMessage(`{}`)}, nil)}, by: pegboard.ByPerson, input: `{}`},
		{name: "a hook spells the same input anew", cfg: pegboard.SessionConfig{Hooks: permission(pegboard.Decision{Behavior: pegboard.Allow, Input: json.RawMessage(`{ }`)}, nil)}, by: pegboard.ByPerson, input: `{}`},
		{name: "a check spells the same input anew", cfg: pegboard.SessionConfig{Approvers: []pegboard.Asker{says(pegboard.Decision{Behavior: pegboard.Allow, Input: json.RawMessage(`{ }`)}, nil)}}, by: pegboard.ByPerson, input: `{}`},
		{name: "a hook before the call spells the same input anew", cfg: pegboard.SessionConfig{Hooks: before(pegboard.Decision{Behavior: pegboard.Allow, Input: json.RawMessage(`{ }`)})}, by: pegboard.ByPerson, input: `{ }`},
		{name: "a hook brings what does not decode", cfg: pegboard.SessionConfig{Hooks: permission(wrong, nil)}, by: pegboard.ByPerson, input: `{}`},
		{name: "a hook fails", cfg: pegboard.SessionConfig{Hooks: permission(brings, errors.New("down"))}, by: pegboard.ByPerson, input: `{}`},
		{name: "a hook puts it off", cfg: pegboard.SessionConfig{Hooks: permission(brings, pegboard.ErrDeferred)}, by: pegboard.ByPerson, input: `{}`},
		{name: "a hook of a fork", fork: &pegboard.SessionConfig{Hooks: permission(brings, nil)}, by: pegboard.ByPerson, input: `{}`},
		{name: "an ask rule, and a hook brings an answer", cfg: pegboard.SessionConfig{Hooks: permission(brings, nil)}, set: asks("T"), by: pegboard.ByHook, input: answer},
		{name: "a hook before the call brings an answer", cfg: pegboard.SessionConfig{Hooks: before(brings)}, by: pegboard.ByHook, input: answer},
		{name: "a hook before the call allows", cfg: pegboard.SessionConfig{Hooks: before(allow)}, by: pegboard.ByPerson, input: `{}`},
		{name: "a hook before the call changes the input", cfg: pegboard.SessionConfig{Hooks: before(pegboard.Decision{Input: json.RawMessage(answer)})}, by: pegboard.ByPerson, input: answer},
		{name: "one hook changes the input, another allows", cfg: pegboard.SessionConfig{Hooks: pegboard.JoinHooks(before(pegboard.Decision{Input: json.RawMessage(answer)}), before(allow))}, by: pegboard.ByPerson, input: answer},
		{name: "one hook allows, another changes the input", cfg: pegboard.SessionConfig{Hooks: pegboard.JoinHooks(before(allow), before(pegboard.Decision{Input: json.RawMessage(answer)}), before(allow))}, by: pegboard.ByPerson, input: answer},
		{name: "a hook before the call of a fork", cfg: pegboard.SessionConfig{Hooks: before(allow)}, fork: &pegboard.SessionConfig{Hooks: before(brings)}, by: pegboard.ByPerson, input: answer},
		{name: "an ask rule, and a hook before the call", cfg: pegboard.SessionConfig{Hooks: before(brings)}, set: asks("T"), by: pegboard.ByPerson, input: answer},
		{name: "a hook before the call, in plan mode", cfg: pegboard.SessionConfig{Hooks: before(brings)}, mode: pegboard.ModePlan, by: pegboard.ByPerson, input: answer},
		{name: "a hook before the call, in bypass mode", cfg: pegboard.SessionConfig{Hooks: before(brings)}, mode: pegboard.ModeBypass, by: pegboard.ByMode, input: answer},
		{name: "bypass mode alone", mode: pegboard.ModeBypass, by: pegboard.ByPerson, input: `{}`},
		{name: "a hook before the call, where nobody is asked", cfg: pegboard.SessionConfig{Hooks: before(brings)}, mode: pegboard.ModeDontAsk, by: pegboard.ByMode},
		{name: "a hook, where nobody is asked", cfg: pegboard.SessionConfig{Hooks: permission(brings, nil)}, mode: pegboard.ModeDontAsk, by: pegboard.ByMode},
		{name: "a guard wants the person", cfg: pegboard.SessionConfig{Hooks: permission(brings, nil), Approvers: []pegboard.Asker{says(brings, nil)}, Guard: says(pegboard.Decision{Behavior: pegboard.Ask}, nil)}, by: pegboard.ByPerson, input: `{}`},
		{name: "a tool of a source, and a hook", source: "src", cfg: pegboard.SessionConfig{Hooks: permission(brings, nil)}, by: pegboard.ByPerson, input: `{}`},
		{name: "a tool of a source, and a check", source: "src", cfg: pegboard.SessionConfig{Approvers: []pegboard.Asker{says(brings, nil)}}, by: pegboard.ByPerson, input: `{}`},
		{name: "a tool of a source, and a hook before the call", source: "src", cfg: pegboard.SessionConfig{Hooks: before(brings)}, by: pegboard.ByPerson, input: answer},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			cfg := tc.cfg
			cfg.Permissions, cfg.Ask = rules(t, tc.mode, tc.set), says(allow, nil)
			s := session(t, cfg)
			if tc.fork != nil {
				s = forked(t, s, *tc.fork)
			}
			var input string
			tool := pegboard.Build(pegboard.Definition[answerInput, string]{
				Info: pegboard.Info{Name: "T", RequiresUser: true}, Description: "Asks.",
				Call: func(_ ctx, _ answerInput, c *pegboard.Call) (string, error) {
					input = string(c.Input)
					return "done", nil
				},
			})
			var reg pegboard.Registry
			name := "T"
			if tc.source == "" {
				require.NoError(t, reg.Add(tool))
			} else {
				_, err := reg.Attach(tc.source, tool)
				require.NoError(t, err)
				name = "mcp__" + tc.source + "__T"
			}
			ex := executor(pegboard.Executor{})
			out := ex.Run(t.Context(), reg.AssemblePool(s, pegboard.PoolConfig{}), call("1", name, `{}`))[0]
			require.Equal(t, tc.by, out.Decision.By, "%v", out.Err)
			require.Equal(t, tc.input, input)
		})
	}
}

type answerInput struct {
	Answer string `json:"answer,omitempty"`
}

// TestAnAnswerForTheUserCannotChangeARunningCall: a hook or a check answers nothing that a call
// of such a tool asks about while it runs.
func TestAnAnswerForTheUserCannotChangeARunningCall(t *testing.T) {
	t.Parallel()
	brings := alwaysSays(pegboard.Decision{Behavior: pegboard.Allow, Input: json.RawMessage(`{"answer":"x"}`)})
	asked := 0
	s := session(t, pegboard.SessionConfig{
		Hooks: pegboard.Hooks{Permission: brings}, Approvers: []pegboard.Asker{brings},
		Ask: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
			asked++
			return pegboard.Decision{Behavior: pegboard.Deny}, nil
		},
	})
	a := actor{name: "T", user: true, call: func(ctx ctx, c *pegboard.Call) error {
		return c.Check(ctx, pegboard.Target{Kind: pegboard.TargetResource, Value: "a lamp"})
	}}
	ex := executor(pegboard.Executor{})
	out := ex.Run(t.Context(), a.pool(t, s), call("1", "T", `{}`))[0]
	require.Equal(t, 1, asked)
	require.ErrorIs(t, out.Err, pegboard.ErrDenied)
}
