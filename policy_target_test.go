package pegboard_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
)

// TestTargetsCannotMoveTheCursor: the text of a target in a question cannot move the
// cursor of a terminal.
func TestTargetsCannotMoveTheCursor(t *testing.T) {
	t.Parallel()
	shows := map[string]string{
		"ls":                              "run ls",
		"a\nb":                            "run a\nb", // as a script has it
		"rm -rf /\r\x1b[2Krun ls":         `run "rm -rf /\r\x1b[2Krun ls"`,
		"a\x00b":                          `run "a\x00b"`,
		"\u009b2K":                        `run "\u009b2K"`,
		"a\bb" + string(rune(0x7f)) + "c": `run "a\bb\x7fc"`,
	}
	for value, want := range shows {
		require.Equal(t, want, policy.Target{Kind: policy.Command, Access: policy.Run, Value: value}.String())
	}
	var questions []*pegboard.Question
	a := actor{name: "T", traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Command, Access: policy.Run, Value: "rm\x1b[2K"}}}}
	s := session(t, pegboard.SessionConfig{Ask: answering(&questions, policy.Decision{Behavior: policy.Deny}, nil)})
	ex := executor(pegboard.Executor{})
	ex.Run(t.Context(), a.pool(t, s), call("1", "T", ``))
	require.Len(t, questions, 1)
	require.NotContains(t, questions[0].Reason, "\x1b")
}

// TestAddressesShowTheHostThatIsMeant: nobody takes the host of an address for another.
func TestAddressesShowTheHostThatIsMeant(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kind        policy.Kind
		value, want string
	}{
		{policy.Host, "example.com", "run example.com"},
		{policy.Host, "g\u043e\u043egle.com", "run xn--ggle-55da.com"},
		{policy.Host, "a\u202Eb", `run "a\u202eb"`},
		{policy.Command, "curl https://example.com/x?u=a@b", "run curl https://example.com/x?u=a@b"},
		{policy.Command, "git clone ssh://git@github.com/a/b", "run git clone ssh://git@github.com/a/b"},
		{policy.Command, "curl https://github.com@evil.example/x", `run curl https://github.com@evil.example/x (the host of "https://github.com@evil.example": evil.example)`},
		{policy.Command, "curl https://github.com:80@evil.example", `run curl https://github.com:80@evil.example (the host of "https://github.com:80@evil.example": evil.example)`},
		{policy.Command, "curl https://%65vil.example", `run curl https://%65vil.example (the host of "https://%65vil.example": nobody can tell which: it is neither a host nor a URL)`},
		{policy.Command, `curl https://github.com\@evil.example`, `run curl https://github.com\@evil.example (the host of "https://github.com\\@evil.example": nobody can tell which: it is neither a host nor a URL)`},
		{policy.Command, "curl https://g\u043e\u043egle.com; echo é", `run curl https://g` + "\u043e\u043e" + `gle.com; echo é (the host of "https://g\u043e\u043egle.com": xn--ggle-55da.com)`},
	} {
		require.Equal(t, tt.want, policy.Target{Kind: tt.kind, Access: policy.Run, Value: tt.value}.String())
	}
}

// TestHeadlineOfACallShowsTheHostThatIsMeant: neither a name before an @ nor letters that look
// like others show another host than the one that is asked, in the lines of a call, too.
func TestHeadlineOfACallShowsTheHostThatIsMeant(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://bank.test@evil.test/x":            "evil.test",
		"https://bank.test:443@evil.test:8443/":    "evil.test",
		"//bank.test@evil.test":                    "evil.test",
		"bank.test@evil.test":                      "evil.test",
		"https://evil.test/\u202Etset.knab":        "evil.test",
		"https://b\u0430nk.test/":                  "xn--bnk-6cd.test",
		"BANK.test.":                               "bank.test",
		"https://bank.test\u2044.evil.test/":       `"https://bank.test\u2044.evil.test/"`,
		"https://bank\u3002test.evil.test/":        `"https://bank\u3002test.evil.test/"`,
		"https://\uFF42ank.test":                   `"https://\uff42ank.test"`,
		"https://bank.test\u202E.evil.test/":       `"https://bank.test\u202e.evil.test/"`,
		"https://bank.test%2f@evil.test/":          "https://bank.test%2f@evil.test/", // nobody can tell, and the question says so
		"[2001:DB8::1]:443":                        "2001:db8::1",
		"https://bank.test\u200B@evil.test/\x1b[m": `"https://bank.test\u200b@evil.test/\x1b[m"`,
	} {
		target := policy.Target{Kind: policy.Host, Access: policy.Read, Value: address}
		require.Equal(t, "read "+want, target.String(), "%+q", address)
		var questions []*pegboard.Question
		a := actor{name: "Get", traits: pegboard.Traits{Targets: []policy.Target{target}, Kind: pegboard.KindFetch}}
		s := session(t, pegboard.SessionConfig{Ask: answering(&questions, policy.Decision{Behavior: policy.Deny}, nil)})
		executor(pegboard.Executor{}).Run(t.Context(), a.pool(t, s), call("1", "Get", ``))
		require.Len(t, questions, 1)
		require.Equal(t, "read "+want, questions[0].Targets[0].String(), "%+q", address)
		view := questions[0].Call.View()
		for _, text := range []string{questions[0].Reason, view.Before, view.While} {
			require.Contains(t, text, want, "%+q", address)
			require.NotRegexp(t, "[^ -~]", text, "%+q", address)
		}
	}
}

// TestDenyRuleOnHostCoversURL: a deny rule on a host was evaded by a target that named the
// host in a URL, with a port or a user, or not as DNS spells it.
func TestDenyRuleOnHostCoversURL(t *testing.T) {
	t.Parallel()
	for _, value := range []string{
		"evil.com", "https://evil.com/x", "evil.com:443", "user@evil.com", " evil.com", "EVIL.COM.", "//evil.com", "ev\u200bil.com", "", "a b",
	} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			a := actor{traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Host, Value: value}}}}
			deny := policy.RuleSet{Allow: []string{"T"}, Deny: []string{"WebFetch(domain:evil.com)"}}
			require.Equal(t, "deny", judgeOnce(t, a, pegboard.SessionConfig{}, policy.ModeDefault, deny))
			require.Equal(t, "deny", judgeOnce(t, a, pegboard.SessionConfig{}, policy.ModeBypass, deny))
			ask := policy.RuleSet{Allow: []string{"T"}, Ask: []string{"WebFetch(domain:evil.com)"}}
			require.Equal(t, "ask", judgeOnce(t, a, pegboard.SessionConfig{}, policy.ModeDefault, ask))
		})
	}
}

// TestHostIsResolved: the targets of a call show the host that was decided.
func TestHostIsResolved(t *testing.T) {
	t.Parallel()
	a := actor{name: "T", traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Host, Value: "https://Good.com:80/x", Aliases: []string{"Other.com."}}}}}
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, "", policy.RuleSet{Allow: []string{"WebFetch(domain:good.com)", "WebFetch(domain:other.com)"}})})
	x := a.pool(t, s).ExplainDecision(t.Context(), call("1", "T", "{}"))
	require.Equal(t, policy.Allow, x.Decision.Behavior, x)
	require.Equal(t, "good.com", x.Targets[0].Value)
	require.Equal(t, []string{"other.com"}, x.Targets[0].Aliases)
	require.Equal(t, "https://Good.com:80/x", a.traits.Targets[0].Value)
}

// TestUnclearHostIsAskedAbout: no allow rule covers it, and the question says why.
func TestUnclearHostIsAskedAbout(t *testing.T) {
	t.Parallel()
	a := actor{name: "T", traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Host, Access: policy.Read, Value: "a b"}}}}
	pool := a.pool(t, session(t, pegboard.SessionConfig{Permissions: rules(t, "", policy.RuleSet{Allow: []string{"T", "WebFetch(domain:*)"}})}))
	v := judge(t, pool)
	require.Equal(t, policy.Ask, v.behavior)
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
	all := map[policy.Kind][]string{
		policy.Host: {"WebFetch(domain:*)"}, policy.Path: {"Read(//**)"}, policy.Command: {"Bash(*a)", "Bash(git *)"},
	}
	f.Fuzz(func(t *testing.T, kind int, value string) {
		a := actor{name: "T", traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Kind(kind), Value: value}}}}
		pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: t.TempDir()}))
		under := func(rule string) policy.Behavior {
			p, err := policy.New("", policy.RuleSet{Allow: []string{"T"}, Deny: []string{rule}})
			if err != nil {
				return policy.Undecided
			}
			require.NoError(t, pool.Session().SetPermissions(p))
			return judge(t, pool).behavior
		}
		for _, rule := range all[policy.Kind(kind)] {
			if got := under(rule); kind != int(policy.Command) {
				require.Equal(t, policy.Deny, got, "%q under %s", value, rule)
			}
		}
		if kind != int(policy.Path) { // in a pattern of paths, characters have a meaning
			require.NotEqual(t, policy.Allow, under("T("+value+")"), "%q", value)
		}
	})
}

// TestMalformedTargetIsNoLaxer compares random targets with the same targets whose value
// is spoilt: no rules and no mode decide these more laxly.
func TestMalformedTargetIsNoLaxer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	values := map[policy.Kind][]string{
		policy.Host:     {"evil.com", "sub.evil.com", "127.0.0.1"},
		policy.Path:     {".env", "src/a.go"},
		policy.Command:  {"git push", "npm run x"},
		policy.Agent:    {"reviewer"},
		policy.Skill:    {"deploy prod"},
		policy.Resource: {"orders"},
	}
	spoil := []string{" %s", "%s ", "\t%s", "%s\x00", "%s\x00x", "\x00%s"}
	spoilOf := map[policy.Kind][]string{
		policy.Host:     {"https://%s/x", "%s:443", "u@%s", "%s.", "//%s", "%s/x", "%s#@good.com", "http://%s\\.good.com", "\xff%s", "%s\u200b"},
		policy.Path:     {"file:%s", "file:///%s", "./%s", "x/../%s", "FILE://%s"},
		policy.Agent:    {"%s\n", "\u200b%s", "\xff%s"},
		policy.Skill:    {"%s\n", "\u200b%s", "\xff%s"},
		policy.Resource: {"%s\n", "\u200b%s", "\xff%s"},
	}
	about := map[policy.Kind][]string{
		policy.Host:     {"WebFetch(domain:evil.com)", "WebFetch(domain:*.evil.com)", "WebFetch(domain:127.0.0.1)", "WebFetch"},
		policy.Path:     {"Read(.env)", "Edit(src/**)", "Read(/.env)"},
		policy.Command:  {"Bash(git push)", "Bash(npm run:*)", "Bash(git *)"},
		policy.Agent:    {"T(reviewer)"},
		policy.Skill:    {"T(deploy prod)"},
		policy.Resource: {"T(orders)", "T(users)"},
	}
	denied := 0
	for seed := range effort.Of(t, uint64(3000)) {
		r := rand.New(rand.NewPCG(seed, 17))
		kind := policy.Kind(1 + r.IntN(6))
		pick := func(list []string) string { return list[r.IntN(len(list))] }
		well := policy.Target{Kind: kind, Access: policy.Access(r.IntN(3)), Value: pick(values[kind])}
		bad := well
		forms := append(spoilOf[kind], spoil...)
		if kind == policy.Path {
			forms = append(spoilOf[kind], "%s\x00", "%s\x00x", "\x00%s") // a blank belongs to a name
		}
		bad.Value = fmt.Sprintf(pick(forms), well.Value)
		set := policy.RuleSet{Allow: []string{"T"}, Deny: []string{pick(about[kind])}}
		if r.IntN(2) == 0 {
			set.Ask, set.Deny = set.Deny, nil
		}
		if r.IntN(2) == 0 && kind == policy.Host {
			set.Allow = []string{"WebFetch(domain:good.com)", "WebFetch(domain:*.good.com)"}
		}
		mode, source := []policy.Mode{policy.ModeDefault, policy.ModeBypass, policy.ModeAcceptEdits}[r.IntN(3)], ""
		on := func(target policy.Target) verdict {
			a := actor{name: "T", source: source, traits: pegboard.Traits{ReadOnly: r.IntN(2) == 0, Targets: []policy.Target{target}}}
			pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir}))
			require.NoError(t, pool.Session().SetPermissions(rules(t, mode, set)))
			return judge(t, pool)
		}
		readOnly := *r // both calls take the same draw
		before := on(well)
		*r = readOnly
		after := on(bad)
		require.GreaterOrEqual(t, after.behavior, before.behavior, "seed %d: %v %q, then %q under %+v in %s: %s / %s", seed, kind, well.Value, bad.Value, set, mode, before.reason, after.reason)
		if before.behavior == policy.Deny {
			denied++
		}
	}
	if effort.Full(t) {
		require.Greater(t, denied, 300)
	}
}
