package pegboard_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// suggested asks about one call and returns what could be remembered, a line for
// each alternative. Each of them is then tried: the same call must not be asked
// about again.
func suggested(t *testing.T, a actor, cfg pegboard.SessionConfig, to pegboard.RuleSource) []string {
	t.Helper()
	var found [][]pegboard.PermissionUpdate
	cfg.Ask = func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
		found = q.Suggestions(to)
		return pegboard.Decision{Behavior: pegboard.Deny}, nil
	}
	pool := a.pool(t, session(t, cfg))
	c := call("1", names(pool)[0], `{}`)
	ex := executor(pegboard.Executor{})
	require.Error(t, ex.Run(t.Context(), pool, c)[0].Err)
	var texts []string
	for _, updates := range found {
		var lines []string
		for _, u := range updates {
			lines = append(lines, u.String())
		}
		texts = append(texts, strings.Join(lines, " and "))
		after := session(t, cfg)
		require.NoError(t, after.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) { return p.Apply(updates...) }))
		if after.Permissions().Mode() != pegboard.ModeAsk {
			require.NoError(t, ex.Run(t.Context(), a.pool(t, after), c)[0].Err, texts)
		}
	}
	return texts
}

func TestSuggestions(t *testing.T) {
	t.Parallel()
	home, dir, outside := t.TempDir(), t.TempDir(), t.TempDir()
	write := func(name string) pegboard.Target { return pegboard.Target{Kind: pegboard.TargetPath, Value: name} }
	read := func(name string) pegboard.Target {
		return pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: name}
	}
	tree := func(name string) pegboard.Target {
		return pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: name, Tree: true}
	}
	run := func(line string) pegboard.Target {
		return pegboard.Target{Kind: pegboard.TargetCommand, Value: line, Shell: pegboard.ShellFacts{Simple: true}}
	}
	tests := []struct {
		name, tool string
		acts       []pegboard.Target
		readOnly   bool
		mode       pegboard.Mode
		set        pegboard.RuleSet
		own        pegboard.Decision
		user       bool
		source     string
		to         pegboard.RuleSource
		want       []string
	}{
		{name: "a file", acts: []pegboard.Target{write("a/b.go")}, want: []string{"allow Edit(/a/b.go) in session", "mode acceptEdits"}},
		{name: "a file, for one's own settings", acts: []pegboard.Target{write("a[1].go")}, to: pegboard.SourceLocal,
			want: []string{`allow Edit(/` + dir + `/a\[1].go) in localSettings`, "mode acceptEdits"}},
		{name: "a file below the home, for the user's settings", acts: []pegboard.Target{read(filepath.Join(home, "x/y"))}, readOnly: true, to: pegboard.SourceUser,
			want: []string{"allow Read(~/x/y) in userSettings"}},
		{name: "a file outside", acts: []pegboard.Target{read(outside + "/x")}, readOnly: true, want: []string{"allow Read(/" + outside + "/x) in session"}},
		{name: "a file outside that a command reads", tool: "Bash", readOnly: true, to: pegboard.SourceUser, want: []string{"allow Read(~/.ssh/known_hosts) in userSettings"}, acts: []pegboard.Target{
			{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "cat ~/.ssh/known_hosts", Shell: pegboard.ShellFacts{Simple: true, ReadOnly: true}},
			{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: "~/.ssh/known_hosts", Shell: pegboard.ShellFacts{FromCommand: "cat ~/.ssh/known_hosts"}}}},
		{name: "a file outside that a command reads beside other work", tool: "Bash", want: []string{"allow Bash(git add " + outside + "/x) in session"}, acts: []pegboard.Target{
			run("git add " + outside + "/x"),
			{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: outside + "/x", Shell: pegboard.ShellFacts{FromCommand: "git add " + outside + "/x"}}}},
		{name: "a tree outside", acts: []pegboard.Target{tree(outside)}, readOnly: true, want: []string{"allow Read(/" + outside + ") in session"}},
		{name: "a tree of keys", acts: []pegboard.Target{tree("~/.ssh")}, readOnly: true},
		{name: "a tree around the home", acts: []pegboard.Target{tree(filepath.Dir(home))}, readOnly: true},
		{name: "a file in the home", acts: []pegboard.Target{read("~/x")}, readOnly: true, want: []string{"allow Read(/" + home + "/x) in session"}},
		{name: "a write outside", acts: []pegboard.Target{write(outside + "/x")}, want: []string{"allow Edit(/" + outside + "/x) in session"}},
		{name: "a command", tool: "Bash", acts: []pegboard.Target{run("git add a")}, want: []string{"allow Bash(git add a) in session", "allow Bash(git add *) in session"}},
		{name: "a command of which only the very same is safe", tool: "Bash", acts: []pegboard.Target{{Kind: pegboard.TargetCommand, Value: "go test -exec x", Shell: pegboard.ShellFacts{Simple: true, NoWildcards: true}}}, want: []string{"allow Bash(go test -exec x) in session"}},
		{name: "a command that runs what it reads", tool: "Bash", acts: []pegboard.Target{{Kind: pegboard.TargetCommand, Value: "python3", Shell: pegboard.ShellFacts{Simple: true, ReadsInput: true}}}},
		{name: "five commands", tool: "Bash", acts: []pegboard.Target{run("touch a"), run("touch b"), run("touch c"), run("touch d"), run("touch e")},
			want: []string{"allow Bash(touch a), Bash(touch b), Bash(touch c), Bash(touch d), Bash(touch e) in session"}},
		{name: "six commands", tool: "Bash", acts: []pegboard.Target{run("touch a"), run("touch b"), run("touch c"), run("touch d"), run("touch e"), run("touch f")}},
		{name: "the same command six times", tool: "Bash", acts: []pegboard.Target{run("touch a"), run("touch a"), run("touch a"), run("touch a"), run("touch a"), run("touch a")},
			want: []string{"allow Bash(touch a) in session"}},
		{name: "a command of many lines", tool: "Bash", acts: []pegboard.Target{run("cat <<E\nx\nE")}},
		{name: "a command with a star", tool: "Bash", acts: []pegboard.Target{run("touch *")}},
		{name: "a command that nobody could look into", tool: "Bash", acts: []pegboard.Target{{Value: "it holds eval"}}},
		{name: "a host", acts: []pegboard.Target{{Kind: pegboard.TargetHost, Value: "go.dev"}}, want: []string{"allow WebFetch(domain:go.dev) in session"}},
		{name: "an agent", tool: "Agent", acts: []pegboard.Target{{Kind: pegboard.TargetAgent, Value: "reviewer"}}, want: []string{"allow Agent(reviewer) in session"}},
		{name: "an unknown thing", acts: []pegboard.Target{{}}, want: []string{"allow T in session"}},
		{name: "an attached tool", source: "srv", acts: nil, want: []string{"allow mcp__srv__T in session"}},
		{name: "an attached tool that says of which server it is", source: "srv", acts: []pegboard.Target{{Kind: pegboard.TargetResource, Value: "mcp:srv"}}, want: []string{"allow mcp__srv__T in session"}},
		{name: "under an ask rule", acts: []pegboard.Target{write("a")}, set: pegboard.RuleSet{Ask: []string{"Edit(a)"}}},
		{name: "a protected path", acts: []pegboard.Target{write(".git/config")}},
		{name: "only a person may", user: true, acts: []pegboard.Target{write("a")}},
		{name: "the tool insists", own: pegboard.Decision{Behavior: pegboard.Ask, Reason: "odd"}, acts: []pegboard.Target{write("a")}},
		{name: "mode ask", mode: pegboard.ModeAsk, acts: []pegboard.Target{write("a"), read("b")}, want: []string{"allow Edit(/a), Read(/b) in session"}},
		{name: "mode ask, a command that only reads", tool: "Bash", mode: pegboard.ModeAsk, readOnly: true,
			acts: []pegboard.Target{{Kind: pegboard.TargetCommand, Access: pegboard.AccessRead, Value: "ls -l", Shell: pegboard.ShellFacts{ReadOnly: true, Simple: true}}}, want: []string{"allow Bash(ls -l) in session"}},
		{name: "mode plan", mode: pegboard.ModePlan, acts: []pegboard.Target{{Kind: pegboard.TargetHost, Value: "go.dev"}}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := actor{name: "T", source: tc.source, user: tc.user, own: tc.own, traits: pegboard.Traits{ReadOnly: tc.readOnly, Targets: tc.acts}}
			if tc.tool != "" {
				a.name = tc.tool
			}
			if tc.to == "" {
				tc.to = pegboard.SourceSession
			}
			cfg := pegboard.SessionConfig{Dir: dir, Home: home, Permissions: rules(t, tc.mode, tc.set)}
			require.Equal(t, tc.want, suggested(t, a, cfg, tc.to))
		})
	}
}

// TestSuggestionsOfAnAgent are rules for the whole conversation: answers about an
// agent's call are remembered in the main session.
func TestSuggestionsOfAnAgent(t *testing.T) {
	t.Parallel()
	outside, asked := t.TempDir(), 0
	s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Ask: func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
		asked++
		return pegboard.Decision{Behavior: pegboard.Allow, Remember: q.Suggestions(pegboard.SourceSession)[0]}, nil
	}})
	a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: outside + "/x"}}}}
	agent := forked(t, forked(t, s, pegboard.SessionConfig{AgentID: "a"}), pegboard.SessionConfig{AgentID: "b"})
	for _, s := range []*pegboard.Session{agent, agent, s} {
		ex := executor(pegboard.Executor{})
		require.NoError(t, ex.Run(t.Context(), a.pool(t, s), call("1", "T", `{}`))[0].Err)
	}
	require.Equal(t, 1, asked)
}

// TestDirectoryThatAnAgentAsksFor: a directory that an answer about an agent's call adds is
// added for the whole conversation.
func TestDirectoryThatAnAgentAsksFor(t *testing.T) {
	t.Parallel()
	outside, asked := t.TempDir(), 0
	s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Ask: func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
		asked++
		return pegboard.Decision{Behavior: pegboard.Allow, Remember: []pegboard.PermissionUpdate{{Type: pegboard.UpdateAddDirectories, Directories: []string{outside}, Destination: pegboard.SourceSession}}}, nil
	}})
	agent := forked(t, forked(t, s, pegboard.SessionConfig{AgentID: "a"}), pegboard.SessionConfig{AgentID: "b"})
	for i, s := range []*pegboard.Session{agent, agent, s} {
		a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: filepath.Join(outside, strings.Repeat("x", i+1))}}}}
		ex := executor(pegboard.Executor{})
		require.NoError(t, ex.Run(t.Context(), a.pool(t, s), call("1", "T", `{}`))[0].Err)
	}
	require.Equal(t, 1, asked)
}

// offered returns what could be remembered of a question about a, or nothing if it
// was not asked about.
func offered(t *testing.T, a actor, cfg pegboard.SessionConfig, to pegboard.RuleSource) (texts []string) {
	t.Helper()
	cfg.Ask = func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
		for _, updates := range q.Suggestions(to) {
			for _, u := range updates {
				texts = append(texts, u.String())
			}
		}
		return pegboard.Decision{Behavior: pegboard.Deny}, nil
	}
	pool := a.pool(t, session(t, cfg))
	ex := executor(pegboard.Executor{})
	ex.Run(t.Context(), pool, call("1", names(pool)[0], `{}`))
	return texts
}

// TestSuggestionsSpellNoWildcard: a name that the model wrote is never read as a
// pattern.
func TestSuggestionsSpellNoWildcard(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, tool string
		act        pegboard.Target
	}{
		{name: "a host", act: pegboard.Target{Kind: pegboard.TargetHost, Value: "*.com"}},
		{name: "any host", act: pegboard.Target{Kind: pegboard.TargetHost, Value: "*"}},
		{name: "an agent", tool: "Agent", act: pegboard.Target{Kind: pegboard.TargetAgent, Value: "*"}},
		{name: "a skill with arguments", tool: "Skill", act: pegboard.Target{Kind: pegboard.TargetSkill, Value: "deploy *"}},
		{name: "any skill", tool: "Skill", act: pegboard.Target{Kind: pegboard.TargetSkill, Value: "*"}},
		{name: "a thing", act: pegboard.Target{Kind: pegboard.TargetResource, Value: "*"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := actor{name: "T", traits: pegboard.Traits{Targets: []pegboard.Target{tc.act}}}
			if tc.tool != "" {
				a.name = tc.tool
			}
			for _, text := range offered(t, a, pegboard.SessionConfig{}, pegboard.SourceSession) {
				require.NotContains(t, text, "*")
			}
		})
	}
}

// TestSuggestionsOfAShellByAnotherName: a shell is one under its alias, too.
func TestSuggestionsOfAShellByAnotherName(t *testing.T) {
	t.Parallel()
	a := actor{name: "Shell", aliases: []string{"Bash"}, traits: pegboard.Traits{Targets: []pegboard.Target{{Value: "it holds eval"}}}}
	require.Empty(t, offered(t, a, pegboard.SessionConfig{}, pegboard.SourceSession), "none so broad that anything runs")
}

// TestSuggestedDirectories are not above the home or the working directory,
// wherever they lead.
func TestSuggestedDirectories(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	users, links := filepath.Join(top, "users"), filepath.Join(top, "links")
	home, dir := filepath.Join(users, "me"), filepath.Join(users, "me", "work")
	for _, d := range []string{dir, links} {
		require.NoError(t, os.MkdirAll(d, 0o700))
	}
	require.NoError(t, linkDir(users, filepath.Join(links, "mnt")))
	require.NoError(t, linkDir(home, filepath.Join(links, "home")))
	tests := []struct{ name, home, read string }{
		{name: "a link above the home", home: home, read: filepath.Join(links, "mnt", "x")},
		{name: "a home that is a link", home: filepath.Join(links, "home"), read: filepath.Join(users, "x")},
		{name: "a link to the home", home: home, read: filepath.Join(links, "home", "x")},
	}
	for _, tc := range tests {
		for _, dir := range []string{dir, links} { // in the home, and elsewhere
			t.Run(tc.name+"/"+filepath.Base(dir), func(t *testing.T) {
				t.Parallel()
				a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: tc.read}}}}
				for _, text := range offered(t, a, pegboard.SessionConfig{Dir: dir, Home: tc.home}, pegboard.SourceSession) {
					require.NotContains(t, text, "addDirectories")
				}
			})
		}
	}
}

// TestDirectoryForReadingIsNoLeaveToWrite: a directory that was added for a read does
// not allow edits, also in the accept-edits mode.
func TestDirectoryForReadingIsNoLeaveToWrite(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	cfg := pegboard.SessionConfig{Dir: t.TempDir(), Permissions: rules(t, pegboard.ModeAcceptEdits, pegboard.RuleSet{}),
		Ask: func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
			all := q.Suggestions(pegboard.SourceSession)
			return pegboard.Decision{Behavior: pegboard.Allow, Remember: all[len(all)-1]}, nil
		}}
	s := session(t, cfg)
	reads := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: outside + "/x"}}}}
	ex := executor(pegboard.Executor{})
	require.NoError(t, ex.Run(t.Context(), reads.pool(t, s), call("1", "T", `{}`))[0].Err)
	writes := actor{name: "T", traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: outside + "/y"}}}}
	require.Equal(t, pegboard.Ask, writes.pool(t, s).Decide(t.Context(), call("1", "T", `{}`)).Behavior)
}

// TestListingADirectoryIsNotReadingIt: a rule suggested for listing a directory does not
// cover the files below it.
func TestListingADirectoryIsNotReadingIt(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	for _, listed := range []string{"/", "~", outside} {
		first := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: listed}}}}
		cfg := pegboard.SessionConfig{Dir: t.TempDir(), Home: t.TempDir()}
		cfg.Ask = func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
			all := q.Suggestions(pegboard.SourceSession)
			if len(all) == 0 {
				return pegboard.Decision{Behavior: pegboard.Allow}, nil
			}
			return pegboard.Decision{Behavior: pegboard.Allow, Remember: all[0]}, nil
		}
		s := session(t, cfg)
		ex := executor(pegboard.Executor{})
		require.NoError(t, ex.Run(t.Context(), first.pool(t, s), call("1", "T", `{}`))[0].Err)
		next := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: listed + "/deep/down/.ssh/id"}}}}
		d := next.pool(t, s).Decide(t.Context(), call("1", "T", `{}`))
		require.Equal(t, pegboard.Ask, d.Behavior, "%s was listed, not read: %v", listed, s.Permissions().Rules())
	}
}

// TestNamesOfOneFileAreOneSuggestion: in a working directory that is a link, each file
// has two names and one rule.
func TestNamesOfOneFileAreOneSuggestion(t *testing.T) {
	t.Parallel()
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, linkDir(t.TempDir(), link))
	a := actor{name: "T"}
	for _, name := range []string{"a", "b", "c"} {
		a.traits.Targets = append(a.traits.Targets, pegboard.Target{Kind: pegboard.TargetPath, Value: name})
	}
	require.Contains(t, offered(t, a, pegboard.SessionConfig{Dir: link}, pegboard.SourceSession), "allow Edit(/a), Edit(/b), Edit(/c) in session")
}

// TestSuggestedPathsAreLiteral: a rule for a name lets no other name pass.
func TestSuggestedPathsAreLiteral(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), t.TempDir()
	odd := []string{"a*", "a?", "a[b]", "[!a]", "!a", "#a", `a\*`, `a\b`, "a ", " a", "**", "a/**", "{a,b}", "a)", "(a", "~", "~x", "$A", "a:*", "-a", "a*/b", "é", "a\tb"}
	near := append(slices.Clone(odd), "ab", "a", "b", "aa/b", "a/x/y", "x", "xa", `ab\`, `a\x`)
	target := func(name string) actor {
		return actor{name: "T", traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: name}}}}
	}
	for _, base := range []string{dir, home, t.TempDir()} {
		for _, to := range []pegboard.RuleSource{pegboard.SourceSession, pegboard.SourceUser, pegboard.SourceLocal, pegboard.SourceProject} {
			for _, name := range odd {
				var first []pegboard.PermissionUpdate
				cfg := pegboard.SessionConfig{Dir: dir, Home: home, Ask: func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
					if all := q.Suggestions(to); len(all) > 0 {
						first = all[0]
					}
					return pegboard.Decision{Behavior: pegboard.Deny}, nil
				}}
				a := target(base + "/" + name)
				s := session(t, cfg)
				ex := executor(pegboard.Executor{})
				ex.Run(t.Context(), a.pool(t, s), call("1", "T", `{}`))
				if first == nil || first[0].Type != pegboard.UpdateAddRules {
					continue
				}
				require.NoError(t, s.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) { return p.Apply(first...) }))
				for _, other := range near {
					if other == name || strings.HasPrefix(other, name+"/") {
						continue
					}
					b := target(base + "/" + other)
					d := b.pool(t, s).Decide(t.Context(), call("1", "T", `{}`))
					require.NotEqual(t, pegboard.Allow, d.Behavior, "%q allows %q: %v", name, other, first)
				}
			}
		}
	}
}

// TestSuggestionsConcurrently: a dialog and a bridge may look at one question.
func TestSuggestionsConcurrently(t *testing.T) {
	t.Parallel()
	a := actor{name: "Bash", traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{
		{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "git status", Shell: pegboard.ShellFacts{ReadOnly: true, Simple: true, VerifyReadOnly: func() error { return errors.New("not here") }}}}}}
	s := session(t, pegboard.SessionConfig{Ask: func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
		var all sync.WaitGroup
		for _, same := range slices.Concat([]*pegboard.Question{q}, q.Call.Session().Questions()) {
			all.Go(func() { same.Suggestions(pegboard.SourceSession) })
		}
		all.Wait()
		return pegboard.Decision{Behavior: pegboard.Deny}, nil
	}})
	ex := executor(pegboard.Executor{})
	require.Error(t, ex.Run(t.Context(), a.pool(t, s), call("1", "Bash", `{}`))[0].Err)
}

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
