package pegboard_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
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
		require.Equal(t, want, pegboard.Target{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: value}.String())
	}
	var questions []*pegboard.Question
	a := actor{name: "T", traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "rm\x1b[2K"}}}}
	s := session(t, pegboard.SessionConfig{Ask: answering(&questions, pegboard.Decision{Behavior: pegboard.Deny}, nil)})
	ex := executor(pegboard.Executor{})
	ex.Run(t.Context(), a.pool(t, s), call("1", "T", ``))
	require.Len(t, questions, 1)
	require.NotContains(t, questions[0].Reason, "\x1b")
}

// TestAddressesShowTheHostThatIsMeant: nobody takes the host of an address for another.
func TestAddressesShowTheHostThatIsMeant(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kind        pegboard.TargetKind
		value, want string
	}{
		{pegboard.TargetHost, "example.com", "run example.com"},
		{pegboard.TargetHost, "g\u043e\u043egle.com", "run xn--ggle-55da.com"},
		{pegboard.TargetHost, "a\u202Eb", `run "a\u202eb"`},
		{pegboard.TargetCommand, "curl https://example.com/x?u=a@b", "run curl https://example.com/x?u=a@b"},
		{pegboard.TargetCommand, "git clone ssh://git@github.com/a/b", "run git clone ssh://git@github.com/a/b"},
		{pegboard.TargetCommand, "curl https://github.com@evil.example/x", `run curl https://github.com@evil.example/x (the host of "https://github.com@evil.example": evil.example)`},
		{pegboard.TargetCommand, "curl https://github.com:80@evil.example", `run curl https://github.com:80@evil.example (the host of "https://github.com:80@evil.example": evil.example)`},
		{pegboard.TargetCommand, "curl https://%65vil.example", `run curl https://%65vil.example (the host of "https://%65vil.example": nobody can tell which: it is neither a host nor a URL)`},
		{pegboard.TargetCommand, `curl https://github.com\@evil.example`, `run curl https://github.com\@evil.example (the host of "https://github.com\\@evil.example": nobody can tell which: it is neither a host nor a URL)`},
		{pegboard.TargetCommand, "curl https://g\u043e\u043egle.com; echo é", `run curl https://g` + "\u043e\u043e" + `gle.com; echo é (the host of "https://g\u043e\u043egle.com": xn--ggle-55da.com)`},
	} {
		require.Equal(t, tt.want, pegboard.Target{Kind: tt.kind, Access: pegboard.AccessRun, Value: tt.value}.String())
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
		target := pegboard.Target{Kind: pegboard.TargetHost, Access: pegboard.AccessRead, Value: address}
		require.Equal(t, "read "+want, target.String(), "%+q", address)
		var questions []*pegboard.Question
		a := actor{name: "Get", traits: pegboard.Traits{Targets: []pegboard.Target{target}, Kind: pegboard.KindFetch}}
		s := session(t, pegboard.SessionConfig{Ask: answering(&questions, pegboard.Decision{Behavior: pegboard.Deny}, nil)})
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
