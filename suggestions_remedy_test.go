package pegboard_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// remedyIn returns the rules that a denial names as a remedy.
func remedyIn(t testing.TB, reason string) []string {
	t.Helper()
	_, named, ok := strings.Cut(reason, "; the allow rule ")
	if !ok {
		return nil
	}
	named, ok = strings.CutSuffix(named, " would permit it")
	require.True(t, ok, reason)
	return strings.Split(named, ", ")
}

// refused returns why a call of the pool's only tool was denied, or "".
func refused(t testing.TB, p *pegboard.Pool) string {
	t.Helper()
	ex := executor(pegboard.Executor{})
	out := ex.Run(t.Context(), p, call("1", names(p)[0], ``))[0]
	if out.Err == nil {
		return ""
	}
	require.ErrorIs(t, out.Err, pegboard.ErrDenied)
	return out.Decision.Reason
}

// places makes a working directory with links that lead outside and inside.
func places(t testing.TB) (dir, outside string) {
	t.Helper()
	dir, outside = t.TempDir(), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
	require.NoError(t, linkDir(outside, filepath.Join(dir, "out")))
	require.NoError(t, linkDir(filepath.Join(dir, "sub"), filepath.Join(dir, "in")))
	return dir, outside
}

// target returns one that a rule may or may not be able to spell.
func (d dice) target(outside string) pegboard.Target {
	word := one(d, "a", "b c", "x*", "k:v", "(q)", " a", "é")
	switch one(d, pegboard.TargetPath, pegboard.TargetPath, pegboard.TargetPath, pegboard.TargetCommand, pegboard.TargetHost, pegboard.TargetResource, pegboard.TargetOpaque) {
	case pegboard.TargetCommand:
		return pegboard.Target{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: word, Shell: pegboard.ShellFacts{Nested: one(d, nil, []string{"z"})}}
	case pegboard.TargetHost:
		return pegboard.Target{Kind: pegboard.TargetHost, Value: one(d, "h.test", "H.test."), Aliases: one(d, nil, []string{"i.test"})}
	case pegboard.TargetResource:
		return pegboard.Target{Kind: pegboard.TargetResource, Value: word}
	case pegboard.TargetOpaque:
		return pegboard.Target{}
	}
	return pegboard.Target{
		Kind: pegboard.TargetPath, Access: one(d, pegboard.AccessRead, pegboard.AccessWrite, pegboard.AccessRun), Tree: d.IntN(4) == 0,
		Value:   one(d, word, ".", "sub/"+word, "in/"+word, "out/"+word, "out", filepath.Join(outside, word), "~/"+word, "/"),
		Aliases: one(d, nil, nil, []string{"other"}, []string{"out/other"}),
	}
}

// asking are the modes in which a person is asked.
func asking() []pegboard.Mode {
	return []pegboard.Mode{pegboard.ModeAsk, pegboard.ModePlan, pegboard.ModeDefault, pegboard.ModeAcceptEdits, pegboard.ModeAuto}
}

// TestRemedyPermitsTheCall: with the rules that a denial names the call runs. If
// it names none, not even the widest rule lets it.
func TestRemedyPermitsTheCall(t *testing.T) {
	t.Parallel()
	dir, outside := places(t)
	named, none := 0, 0
	for seed := range effort.Of(t, uint64(3000)) {
		d := dice{Rand: rand.New(rand.NewPCG(seed, 3))}
		a := actor{name: one(d, "T", "Bash", "Monitor"), source: one(d, "", "", "srv"), user: d.IntN(8) == 0}
		a.traits = pegboard.Traits{ReadOnly: d.IntN(2) == 0, OpenWorld: d.IntN(4) == 0}
		for range d.IntN(4) {
			a.traits.Targets = append(a.traits.Targets, d.target(outside))
		}
		p := rules(t, one(d, asking()...), pegboard.RuleSet{
			Allow: one(d, nil, nil, []string{"Edit(/sub)"}, []string{"Bash(a)"}),
			Ask:   one(d, nil, nil, nil, []string{"Read(.env)"}, []string{"WebFetch(domain:h.test)"}),
			Deny:  one(d, nil, nil, []string{"Read(.env)"}, []string{"T(z)"}, []string{"Edit(/sub/a)"}),
		})
		pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Permissions: p}))
		reason := refused(t, pool)
		if reason == "" {
			continue
		}
		remedy := remedyIn(t, reason)
		widest := names(pool)
		if remedy == nil {
			none++
		} else {
			named++
			widest = remedy
		}
		more, err := p.WithRules(pegboard.RuleSet{Allow: widest})
		require.NoError(t, err, "seed %d: %s", seed, reason)
		require.NoError(t, pool.Session().SetPermissions(more))
		require.Equal(t, remedy != nil, refused(t, pool) == "", "seed %d: %+v\nunder %v\n%s\nwith %q: %s", seed, a.traits, p, reason, widest, refused(t, pool))
	}
	if effort.Full(t) {
		require.Greater(t, min(named, none), 100, "both happen")
	}
}

// TestRemedyIsNarrow: it names the call's targets, if rules can spell them.
func TestRemedyIsNarrow(t *testing.T) {
	t.Parallel()
	dir, outside := places(t)
	slashed := filepath.ToSlash(outside)
	path := func(access pegboard.Access, v string) pegboard.Target {
		return pegboard.Target{Kind: pegboard.TargetPath, Access: access, Value: v}
	}
	command := pegboard.Target{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "ls *.go"}
	tests := []struct {
		name  string
		actor actor
		mode  pegboard.Mode
		set   pegboard.RuleSet
		want  []string
	}{
		{name: "a path", actor: actor{traits: pegboard.Traits{Targets: []pegboard.Target{path(pegboard.AccessWrite, "sub/a")}}}, want: []string{"Edit(/sub/a)"}},
		{name: "a path outside", actor: actor{traits: pegboard.Traits{Targets: []pegboard.Target{path(pegboard.AccessRead, outside+"/a")}}}, want: []string{"Read(/" + slashed + "/a)"}},
		{name: "a path through a link", actor: actor{traits: pegboard.Traits{Targets: []pegboard.Target{path(pegboard.AccessWrite, "out/a")}}}, want: []string{"Edit(/out/a)", "Edit(/" + slashed + "/a)"}},
		{name: "a command no rule can spell", actor: actor{traits: pegboard.Traits{Targets: []pegboard.Target{command}}}, want: []string{"T"}},
		{name: "which hides what it reads", actor: actor{traits: pegboard.Traits{Targets: []pegboard.Target{command}}}, set: pegboard.RuleSet{Deny: []string{"Read(.env)"}}},
		{name: "four paths", actor: actor{traits: pegboard.Traits{Targets: []pegboard.Target{path(pegboard.AccessWrite, "a"), path(pegboard.AccessWrite, "b"), path(pegboard.AccessWrite, "c"), path(pegboard.AccessWrite, "d")}}}, want: []string{"T"}},
		{name: "something unknown", want: []string{"T"}},
		{name: "something unknown that a deny pattern could be about", set: pegboard.RuleSet{Deny: []string{"Read(.env)"}}},
		{name: "only a person may", actor: actor{user: true}},
		{name: "ask rule", set: pegboard.RuleSet{Ask: []string{"T"}}},
		{name: "plan", mode: pegboard.ModePlan},
		{name: "plan, a read", mode: pegboard.ModePlan, actor: actor{traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{path(pegboard.AccessRead, outside)}}}, want: []string{"Read(/" + slashed + ")"}},
		{name: "an attached tool", actor: actor{source: "srv"}, want: []string{"mcp__srv__T"}},
		{name: "an attached tool that says of which server it is", actor: actor{source: "srv", traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetResource, Value: "mcp:srv"}}}}, want: []string{"mcp__srv__T"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.actor.name = "T"
			pool := tc.actor.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, tc.mode, tc.set)}))
			reason := refused(t, pool)
			require.NotEmpty(t, reason)
			require.Equal(t, tc.want, remedyIn(t, reason))
		})
	}
}

// TestNoRuleIsARemedyForAnOpinion: when a hook or the tool itself asks, no rule changes
// that.
func TestNoRuleIsARemedyForAnOpinion(t *testing.T) {
	t.Parallel()
	ask := pegboard.Decision{Behavior: pegboard.Ask, Reason: "it wants that"}
	hook := pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (pegboard.Decision, error) { return ask, nil }}
	for name, x := range map[string]struct {
		own   pegboard.Decision
		hooks pegboard.Hooks
	}{"tool": {own: ask}, "hook": {hooks: hook}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := actor{name: "T", own: x.own, traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: "f"}}}}
			reason := refused(t, a.pool(t, session(t, pegboard.SessionConfig{Hooks: x.hooks})))
			require.Contains(t, reason, "it wants that")
			require.Nil(t, remedyIn(t, reason))
		})
	}
}

// TestRemedyOfAForkIsForItsParent, which is the only one that can take it: the
// rule is spelled as the outermost session reads it.
func TestRemedyOfAForkIsForItsParent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
	s := session(t, pegboard.SessionConfig{Dir: dir})
	a := actor{name: "T", traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: "f"}}}}
	pool := a.pool(t, forked(t, s, pegboard.SessionConfig{Dir: filepath.Join(dir, "sub")}))
	remedy := remedyIn(t, refused(t, pool))
	require.Equal(t, []string{"Edit(/sub/f)"}, remedy)
	require.NoError(t, s.SetPermissions(rules(t, "", pegboard.RuleSet{Allow: remedy})))
	require.Empty(t, refused(t, pool))
}

// In the dontAsk mode, too, a denial names the rule that would help (invariant 5).
func TestDontAskNamesTheRemedy(t *testing.T) {
	t.Parallel()
	a := actor{name: "T"}
	require.NotEmpty(t, remedyIn(t, refused(t, a.pool(t, session(t, pegboard.SessionConfig{Permissions: rules(t, pegboard.ModeDontAsk, pegboard.RuleSet{})})))))
}

func TestRemedyEscapesAStar(t *testing.T) {
	t.Parallel()
	a := actor{name: "T", traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "deploy *"}}}}
	require.Equal(t, []string{"T"}, remedyIn(t, refused(t, a.pool(t, session(t, pegboard.SessionConfig{})))))
	a.traits.Targets = []pegboard.Target{pathTo(pegboard.AccessWrite, "*")}
	require.Equal(t, []string{`Edit(/\*)`}, remedyIn(t, refused(t, a.pool(t, session(t, pegboard.SessionConfig{})))))
}
