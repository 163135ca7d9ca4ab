package pegboard_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// TestDenyRuleOnHostCoversURL: a deny rule on a host was evaded by a target that named the
// host in a URL, with a port or a user, or not as DNS spells it.
func TestDenyRuleOnHostCoversURL(t *testing.T) {
	t.Parallel()
	for _, value := range []string{
		"evil.com", "https://evil.com/x", "evil.com:443", "user@evil.com", " evil.com", "EVIL.COM.", "//evil.com", "ev\u200bil.com", "", "a b",
	} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			a := actor{traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetHost, Value: value}}}}
			deny := pegboard.RuleSet{Allow: []string{"T"}, Deny: []string{"WebFetch(domain:evil.com)"}}
			require.Equal(t, "deny", judgeOnce(t, a, pegboard.SessionConfig{}, pegboard.ModeDefault, deny))
			require.Equal(t, "deny", judgeOnce(t, a, pegboard.SessionConfig{}, pegboard.ModeBypass, deny))
			ask := pegboard.RuleSet{Allow: []string{"T"}, Ask: []string{"WebFetch(domain:evil.com)"}}
			require.Equal(t, "ask", judgeOnce(t, a, pegboard.SessionConfig{}, pegboard.ModeDefault, ask))
		})
	}
}

// TestHostIsResolved: the targets of a call show the host that was decided.
func TestHostIsResolved(t *testing.T) {
	t.Parallel()
	a := actor{name: "T", traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetHost, Value: "https://Good.com:80/x", Aliases: []string{"Other.com."}}}}}
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, "", pegboard.RuleSet{Allow: []string{"WebFetch(domain:good.com)", "WebFetch(domain:other.com)"}})})
	x := a.pool(t, s).ExplainDecision(t.Context(), call("1", "T", "{}"))
	require.Equal(t, pegboard.Allow, x.Decision.Behavior, x)
	require.Equal(t, "good.com", x.Targets[0].Value)
	require.Equal(t, []string{"other.com"}, x.Targets[0].Aliases)
	require.Equal(t, "https://Good.com:80/x", a.traits.Targets[0].Value)
}

// TestUnclearHostIsAskedAbout: no allow rule covers it, and the question says why.
func TestUnclearHostIsAskedAbout(t *testing.T) {
	t.Parallel()
	a := actor{name: "T", traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetHost, Access: pegboard.AccessRead, Value: "a b"}}}}
	pool := a.pool(t, session(t, pegboard.SessionConfig{Permissions: rules(t, "", pegboard.RuleSet{Allow: []string{"T", "WebFetch(domain:*)"}})}))
	v := judge(t, pool)
	require.Equal(t, pegboard.Ask, v.behavior)
	require.Contains(t, v.reason, "the host a b is unclear: it is neither a host nor a URL")
}

// FuzzTargetValue: whatever a tool writes into a target, a deny rule that repeats it, or that
// is about all targets of the kind, is not evaded, and nothing panics.
func FuzzTargetValue(f *testing.F) {
	for _, value := range []string{"evil.com", "https://evil.com:1/x", ".env", "file:///.env", "git push", "sh -c 'git push'", " reviewer", "a\x00b", "db:orders", "", "\xff", "~", "*", "?"} {
		for kind := range 7 {
			f.Add(kind, value)
		}
	}
	all := map[pegboard.TargetKind][]string{
		pegboard.TargetHost: {"WebFetch(domain:*)"}, pegboard.TargetPath: {"Read(//**)"}, pegboard.TargetCommand: {"Bash(*a)", "Bash(git *)"},
	}
	f.Fuzz(func(t *testing.T, kind int, value string) {
		a := actor{name: "T", traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetKind(kind), Value: value}}}}
		pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: t.TempDir()}))
		under := func(rule string) pegboard.Behavior {
			p, err := pegboard.NewPermissions("", pegboard.RuleSet{Allow: []string{"T"}, Deny: []string{rule}})
			if err != nil {
				return pegboard.Undecided
			}
			require.NoError(t, pool.Session().SetPermissions(p))
			return judge(t, pool).behavior
		}
		for _, rule := range all[pegboard.TargetKind(kind)] {
			if got := under(rule); kind != int(pegboard.TargetCommand) {
				require.Equal(t, pegboard.Deny, got, "%q under %s", value, rule)
			}
		}
		if kind != int(pegboard.TargetPath) { // in a pattern of paths, characters have a meaning
			require.NotEqual(t, pegboard.Allow, under("T("+value+")"), "%q", value)
		}
	})
}

// TestMalformedTargetIsNoLaxer compares random targets with the same targets whose value
// is spoilt: no rules and no mode decide these more laxly.
func TestMalformedTargetIsNoLaxer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	values := map[pegboard.TargetKind][]string{
		pegboard.TargetHost:     {"evil.com", "sub.evil.com", "127.0.0.1"},
		pegboard.TargetPath:     {".env", "src/a.go"},
		pegboard.TargetCommand:  {"git push", "npm run x"},
		pegboard.TargetAgent:    {"reviewer"},
		pegboard.TargetSkill:    {"deploy prod"},
		pegboard.TargetResource: {"orders"},
	}
	spoil := []string{" %s", "%s ", "\t%s", "%s\x00", "%s\x00x", "\x00%s"}
	spoilOf := map[pegboard.TargetKind][]string{
		pegboard.TargetHost:     {"https://%s/x", "%s:443", "u@%s", "%s.", "//%s", "%s/x", "%s#@good.com", "http://%s\\.good.com", "\xff%s", "%s\u200b"},
		pegboard.TargetPath:     {"file:%s", "file:///%s", "./%s", "x/../%s", "FILE://%s"},
		pegboard.TargetAgent:    {"%s\n", "\u200b%s", "\xff%s"},
		pegboard.TargetSkill:    {"%s\n", "\u200b%s", "\xff%s"},
		pegboard.TargetResource: {"%s\n", "\u200b%s", "\xff%s"},
	}
	about := map[pegboard.TargetKind][]string{
		pegboard.TargetHost:     {"WebFetch(domain:evil.com)", "WebFetch(domain:*.evil.com)", "WebFetch(domain:127.0.0.1)", "WebFetch"},
		pegboard.TargetPath:     {"Read(.env)", "Edit(src/**)", "Read(/.env)"},
		pegboard.TargetCommand:  {"Bash(git push)", "Bash(npm run:*)", "Bash(git *)"},
		pegboard.TargetAgent:    {"T(reviewer)"},
		pegboard.TargetSkill:    {"T(deploy prod)"},
		pegboard.TargetResource: {"T(orders)", "T(users)"},
	}
	denied := 0
	for seed := range effort.Of(t, uint64(3000)) {
		r := rand.New(rand.NewPCG(seed, 17))
		kind := pegboard.TargetKind(1 + r.IntN(6))
		pick := func(list []string) string { return list[r.IntN(len(list))] }
		well := pegboard.Target{Kind: kind, Access: pegboard.Access(r.IntN(3)), Value: pick(values[kind])}
		bad := well
		forms := append(spoilOf[kind], spoil...)
		if kind == pegboard.TargetPath {
			forms = append(spoilOf[kind], "%s\x00", "%s\x00x", "\x00%s") // a blank belongs to a name
		}
		bad.Value = fmt.Sprintf(pick(forms), well.Value)
		set := pegboard.RuleSet{Allow: []string{"T"}, Deny: []string{pick(about[kind])}}
		if r.IntN(2) == 0 {
			set.Ask, set.Deny = set.Deny, nil
		}
		if r.IntN(2) == 0 && kind == pegboard.TargetHost {
			set.Allow = []string{"WebFetch(domain:good.com)", "WebFetch(domain:*.good.com)"}
		}
		mode, source := []pegboard.Mode{pegboard.ModeDefault, pegboard.ModeBypass, pegboard.ModeAcceptEdits}[r.IntN(3)], ""
		on := func(target pegboard.Target) verdict {
			a := actor{name: "T", source: source, traits: pegboard.Traits{ReadOnly: r.IntN(2) == 0, Targets: []pegboard.Target{target}}}
			pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir}))
			require.NoError(t, pool.Session().SetPermissions(rules(t, mode, set)))
			return judge(t, pool)
		}
		readOnly := *r // both calls take the same draw
		before := on(well)
		*r = readOnly
		after := on(bad)
		require.GreaterOrEqual(t, after.behavior, before.behavior, "seed %d: %v %q, then %q under %+v in %s: %s / %s", seed, kind, well.Value, bad.Value, set, mode, before.reason, after.reason)
		if before.behavior == pegboard.Deny {
			denied++
		}
	}
	if effort.Full(t) {
		require.Greater(t, denied, 300)
	}
}
