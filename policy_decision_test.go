package pegboard_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
)

// TestDenialSaysWhichRule it was, and of which source.
func TestDenialSaysWhichRule(t *testing.T) {
	t.Parallel()
	a := actor{name: "T"}
	pool := a.pool(t, session(t, pegboard.SessionConfig{}))
	p, err := policy.New("", policy.RuleSet{Source: policy.SourceManaged, Deny: []string{"T"}},
		policy.RuleSet{Source: policy.SourceUser, Deny: []string{"T"}, Allow: []string{"T"}})
	require.NoError(t, err)
	require.NoError(t, pool.Session().SetPermissions(p))
	require.Equal(t, verdict{policy.Deny, `deny rule "T" from policySettings covers it`, "T"}, judge(t, pool))
}

// TestHookThatFailedDecided: Decision.By says so.
func TestHookThatFailedDecided(t *testing.T) {
	t.Parallel()
	cfg := pegboard.SessionConfig{Hooks: pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (policy.Decision, error) {
		return policy.Decision{}, errors.New("down")
	}}}
	a := actor{name: "T"}
	ex := executor(pegboard.Executor{})
	require.Equal(t, policy.ByHook, ex.Run(t.Context(), a.pool(t, session(t, cfg)), call("1", "T", `{}`))[0].Decision.By)
}

// TestWhoChangedTheInput: the record names who answered.
func TestWhoChangedTheInput(t *testing.T) {
	t.Parallel()
	answer := alwaysSays(policy.Decision{Behavior: policy.Allow, Reason: "fixed it", Input: json.RawMessage(`{"n":2}`)})
	for by, cfg := range map[policy.Decider]pegboard.SessionConfig{
		policy.ByHook:     {Hooks: pegboard.Hooks{Permission: answer}},
		policy.ByApprover: {Approvers: []pegboard.Asker{answer}},
		policy.ByPerson:   {Ask: answer},
	} {
		var ran []step
		var reg pegboard.Registry
		require.NoError(t, reg.Add(stepper(&ran)))
		d := run(t, &reg, session(t, cfg), call("1", "T", `{"n":1}`)).Decision
		require.Equal(t, []step{{N: 2}}, ran)
		require.Equal(t, by, d.By, d.Reason)
	}
}

// TestExplanationShowsEachStep: the targets, the rules that were tried in the order in
// which they win, and the reason.
func TestExplanationShowsEachStep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	read := func(v string) policy.Target {
		return policy.Target{Kind: policy.Path, Access: policy.Read, Value: v}
	}
	tests := []struct {
		name  string
		actor actor
		mode  policy.Mode
		sets  []policy.RuleSet
		want  []string
	}{
		{name: "an allow rule after others", actor: actor{traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Path, Value: "f"}}}}, sets: []policy.RuleSet{
			{Source: policy.SourceUser, Allow: []string{"Edit(f)"}, Ask: []string{"Edit(q)"}, Deny: []string{"Read(d)"}},
			{Source: policy.SourceManaged, Deny: []string{"Edit(e)"}},
		}, want: []string{
			"it would write " + at("f"),
			`- deny rule "Read(d)" from userSettings is about something else (write ` + at("f") + ")",
			`- deny rule "Edit(e)" from policySettings is about something else (write ` + at("f") + ")",
			`- ask rule "Edit(q)" from userSettings is about something else (write ` + at("f") + ")",
			`allow: allow rule "Edit(f)" from userSettings covers it (write ` + at("f") + ")",
			`= allow: allow rule "Edit(f)" from userSettings covers it`,
		}},
		{name: "an ask rule in a mode that asks nobody", actor: actor{traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{read("f"), read("q")}}}, mode: policy.ModeDontAsk, sets: []policy.RuleSet{
			{Source: policy.SourceProject, Ask: []string{"Read(q)"}, Allow: []string{"T"}},
		}, want: []string{
			"it would read " + at("f"),
			"it would read " + at("q"),
			"the tool says: read-only",
			`- ask rule "Read(q)" from projectSettings is about something else (read ` + at("f") + ")",
			`ask: ask rule "Read(q)" from projectSettings is about it (read ` + at("q") + ")",
			"deny: mode dontAsk refuses what would be asked about",
			`= deny: ask rule "Read(q)" from projectSettings covers read ` + at("q") + ", and mode dontAsk asks nobody",
		}},
		{name: "an edit that the mode permits", actor: actor{traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Path, Value: "f"}}}}, mode: policy.ModeAcceptEdits, want: []string{
			"it would write " + at("f"),
			"allow: mode acceptEdits permits edits inside the working directories (write " + at("f") + ")",
			"= allow: mode acceptEdits permits edits inside the working directories",
		}},
		{name: "nothing that speaks of it", actor: actor{traits: pegboard.Traits{Targets: []policy.Target{read("f"), {Kind: policy.Command, Access: policy.Run, Value: "make"}}}}, want: []string{
			"it would read " + at("f"),
			"it would run make",
			"allow: it only reads, inside the working directories (read " + at("f") + ")",
			"- nothing allows it (run make)",
			"= ask: no rule allows it: T wants to run make (what needs no approval: read " + at("f") + ")",
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.actor.name = "T"
			p, err := policy.New(tc.mode, tc.sets...)
			require.NoError(t, err)
			pool := tc.actor.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Permissions: p}))
			trace := pool.ExplainDecision(t.Context(), call("1", "T", ``))
			require.Equal(t, strings.Join(tc.want, "\n")+"\n", trace.String())
			require.Equal(t, judge(t, pool).behavior == policy.Allow, trace.Decision.Behavior == policy.Allow)
			require.Len(t, trace.Targets, len(tc.actor.traits.Targets))
		})
	}
}

// TestExplanationIsACopy: the caller may write to it.
func TestExplanationIsACopy(t *testing.T) {
	t.Parallel()
	a := reading(policy.Target{Value: "f", Aliases: []string{"g"}})
	pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: t.TempDir(), Permissions: rules(t, "", policy.RuleSet{Deny: []string{"Read(x)"}, Ask: []string{"Read(f)"}})}))
	before := pool.ExplainDecision(t.Context(), call("1", "T", ``))
	shown := pool.ExplainDecision(t.Context(), call("1", "T", ``))
	require.Equal(t, before, shown)
	shown.Targets[0].Aliases[0] = "other"
	shown.Decision.Rule.Tool = "Other"
	for _, s := range shown.Steps {
		if s.Rule != nil {
			s.Rule.Tool = "Other"
		}
	}
	require.Equal(t, before, pool.ExplainDecision(t.Context(), call("1", "T", ``)))
}

func TestExplanationListsEveryRuleTried(t *testing.T) {
	t.Parallel()
	a := actor{name: "T", traits: pegboard.Traits{Targets: []policy.Target{pathTo(policy.Write, "f")}}}
	pool := a.pool(t, session(t, pegboard.SessionConfig{Permissions: rules(t, "", policy.RuleSet{Deny: []string{"Other"}, Ask: []string{"Other2"}, Allow: []string{"Edit(q)", "Other3"}})}))
	var tried []string
	for _, s := range pool.ExplainDecision(t.Context(), call("1", "T", ``)).Steps {
		if s.Rule != nil {
			tried = append(tried, s.Rule.String())
		}
	}
	require.Equal(t, []string{"Other", "Other2", "Edit(q)", "Other3"}, tried)
}

func TestExplanationOfAForkListsARuleOnce(t *testing.T) {
	t.Parallel()
	a := actor{name: "T", traits: pegboard.Traits{Targets: []policy.Target{pathTo(policy.Write, "f")}}}
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, "", policy.RuleSet{Deny: []string{"Edit(q)"}})})
	fork := forked(t, s, pegboard.SessionConfig{Permissions: rules(t, policy.ModePlan, policy.RuleSet{})})
	n := 0
	for _, s := range a.pool(t, fork).ExplainDecision(t.Context(), call("1", "T", ``)).Steps {
		if s.Rule != nil {
			n++
		}
	}
	require.Equal(t, 1, n)
}

// TestExplanationAgreesWithDecide: to explain, every rule is tried, and to decide only
// those that an index names. Both find the same rule first.
func TestExplanationAgreesWithDecide(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ruled := map[policy.Behavior]int{}
	for seed := range effort.Of(t, uint64(1500)) {
		d := dice{rand.New(rand.NewPCG(seed, 9)), []string{dir, dir, filepath.Dir(dir)}}
		a := d.actor()
		a.name = one(d, "T", "Bash")
		mode, _ := d.mode(laxest)
		pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir}))
		var rare []string // which concern none of these calls, but fill the index
		for range d.IntN(40) {
			word := string(rune('c' + d.IntN(20)))
			rare = append(rare, one(d, "Read("+word+")", "Edit(/"+word+"/**)", "Read(**/*."+word+")", "Bash("+word+":*)", "Bash(*"+word+")", "WebFetch(domain:*."+word+")", "Agent("+word+")"))
		}
		p, err := policy.New(mode,
			policy.RuleSet{Allow: rare, Ask: rare[:len(rare)/2], Deny: rare[:len(rare)/3]},
			policy.RuleSet{Allow: d.rules(3), Ask: d.rules(1), Deny: d.rules(1)})
		require.NoError(t, err)
		require.NoError(t, pool.Session().SetPermissions(p))
		c := call("1", names(pool)[0], ``)
		quick, trace := pool.Decide(t.Context(), c), pool.ExplainDecision(t.Context(), c)
		require.Equal(t, trace.Decision, quick, "seed %d: %+v\n%s", seed, a.traits, trace)
		if quick.Rule != nil {
			ruled[quick.Behavior]++
		}
	}
	if effort.Full(t) {
		require.Greater(t, min(ruled[policy.Allow], ruled[policy.Ask], ruled[policy.Deny]), 30, "all happen")
	}
}
