package pegboard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
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
