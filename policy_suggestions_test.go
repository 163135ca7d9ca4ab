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
	"github.com/seed49eaa51d/pegboard/policy"
)

// suggested asks about one call and returns what could be remembered, a line for
// each alternative. Each of them is then tried: the same call must not be asked
// about again.
func suggested(t *testing.T, a actor, cfg pegboard.SessionConfig, to policy.Source) []string {
	t.Helper()
	var found [][]policy.Update
	cfg.Ask = func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
		found = q.Suggestions(to)
		return policy.Decision{Behavior: policy.Deny}, nil
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
		require.NoError(t, after.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) { return p.Apply(updates...) }))
		if after.Permissions().Mode() != policy.ModeAsk {
			require.NoError(t, ex.Run(t.Context(), a.pool(t, after), c)[0].Err, texts)
		}
	}
	return texts
}

func TestSuggestions(t *testing.T) {
	t.Parallel()
	home, dir, outside := t.TempDir(), t.TempDir(), t.TempDir()
	write := func(name string) policy.Target { return policy.Target{Kind: policy.Path, Value: name} }
	read := func(name string) policy.Target {
		return policy.Target{Kind: policy.Path, Access: policy.Read, Value: name}
	}
	tree := func(name string) policy.Target {
		return policy.Target{Kind: policy.Path, Access: policy.Read, Value: name, Tree: true}
	}
	run := func(line string) policy.Target {
		return policy.Target{Kind: policy.Command, Value: line, Shell: policy.ShellFacts{Simple: true}}
	}
	tests := []struct {
		name, tool string
		acts       []policy.Target
		readOnly   bool
		mode       policy.Mode
		set        policy.RuleSet
		own        policy.Decision
		user       bool
		source     string
		to         policy.Source
		want       []string
	}{
		{name: "a file", acts: []policy.Target{write("a/b.go")}, want: []string{"allow Edit(/a/b.go) in session", "mode acceptEdits"}},
		{name: "a file, for one's own settings", acts: []policy.Target{write("a[1].go")}, to: policy.SourceLocal,
			want: []string{`allow Edit(/` + dir + `/a\[1].go) in localSettings`, "mode acceptEdits"}},
		{name: "a file below the home, for the user's settings", acts: []policy.Target{read(filepath.Join(home, "x/y"))}, readOnly: true, to: policy.SourceUser,
			want: []string{"allow Read(~/x/y) in userSettings"}},
		{name: "a file outside", acts: []policy.Target{read(outside + "/x")}, readOnly: true, want: []string{"allow Read(/" + outside + "/x) in session"}},
		{name: "a file outside that a command reads", tool: "Bash", readOnly: true, to: policy.SourceUser, want: []string{"allow Read(~/.ssh/known_hosts) in userSettings"}, acts: []policy.Target{
			{Kind: policy.Command, Access: policy.Run, Value: "cat ~/.ssh/known_hosts", Shell: policy.ShellFacts{Simple: true, ReadOnly: true}},
			{Kind: policy.Path, Access: policy.Read, Value: "~/.ssh/known_hosts", Shell: policy.ShellFacts{FromCommand: "cat ~/.ssh/known_hosts"}}}},
		{name: "a file outside that a command reads beside other work", tool: "Bash", want: []string{"allow Bash(git add " + outside + "/x) in session"}, acts: []policy.Target{
			run("git add " + outside + "/x"),
			{Kind: policy.Path, Access: policy.Read, Value: outside + "/x", Shell: policy.ShellFacts{FromCommand: "git add " + outside + "/x"}}}},
		{name: "a tree outside", acts: []policy.Target{tree(outside)}, readOnly: true, want: []string{"allow Read(/" + outside + ") in session"}},
		{name: "a tree of keys", acts: []policy.Target{tree("~/.ssh")}, readOnly: true},
		{name: "a tree around the home", acts: []policy.Target{tree(filepath.Dir(home))}, readOnly: true},
		{name: "a file in the home", acts: []policy.Target{read("~/x")}, readOnly: true, want: []string{"allow Read(/" + home + "/x) in session"}},
		{name: "a write outside", acts: []policy.Target{write(outside + "/x")}, want: []string{"allow Edit(/" + outside + "/x) in session"}},
		{name: "a command", tool: "Bash", acts: []policy.Target{run("git add a")}, want: []string{"allow Bash(git add a) in session", "allow Bash(git add *) in session"}},
		{name: "a command of which only the very same is safe", tool: "Bash", acts: []policy.Target{{Kind: policy.Command, Value: "go test -exec x", Shell: policy.ShellFacts{Simple: true, NoWildcards: true}}}, want: []string{"allow Bash(go test -exec x) in session"}},
		{name: "a command that runs what it reads", tool: "Bash", acts: []policy.Target{{Kind: policy.Command, Value: "python3", Shell: policy.ShellFacts{Simple: true, ReadsInput: true}}}},
		{name: "five commands", tool: "Bash", acts: []policy.Target{run("touch a"), run("touch b"), run("touch c"), run("touch d"), run("touch e")},
			want: []string{"allow Bash(touch a), Bash(touch b), Bash(touch c), Bash(touch d), Bash(touch e) in session"}},
		{name: "six commands", tool: "Bash", acts: []policy.Target{run("touch a"), run("touch b"), run("touch c"), run("touch d"), run("touch e"), run("touch f")}},
		{name: "the same command six times", tool: "Bash", acts: []policy.Target{run("touch a"), run("touch a"), run("touch a"), run("touch a"), run("touch a"), run("touch a")},
			want: []string{"allow Bash(touch a) in session"}},
		{name: "a command of many lines", tool: "Bash", acts: []policy.Target{run("cat <<E\nx\nE")}},
		{name: "a command with a star", tool: "Bash", acts: []policy.Target{run("touch *")}},
		{name: "a command that nobody could look into", tool: "Bash", acts: []policy.Target{{Value: "it holds eval"}}},
		{name: "a host", acts: []policy.Target{{Kind: policy.Host, Value: "go.dev"}}, want: []string{"allow WebFetch(domain:go.dev) in session"}},
		{name: "an agent", tool: "Agent", acts: []policy.Target{{Kind: policy.Agent, Value: "reviewer"}}, want: []string{"allow Agent(reviewer) in session"}},
		{name: "an unknown thing", acts: []policy.Target{{}}, want: []string{"allow T in session"}},
		{name: "an attached tool", source: "srv", acts: nil, want: []string{"allow mcp__srv__T in session"}},
		{name: "an attached tool that says of which server it is", source: "srv", acts: []policy.Target{{Kind: policy.Resource, Value: "mcp:srv"}}, want: []string{"allow mcp__srv__T in session"}},
		{name: "under an ask rule", acts: []policy.Target{write("a")}, set: policy.RuleSet{Ask: []string{"Edit(a)"}}},
		{name: "a protected path", acts: []policy.Target{write(".git/config")}},
		{name: "only a person may", user: true, acts: []policy.Target{write("a")}},
		{name: "the tool insists", own: policy.Decision{Behavior: policy.Ask, Reason: "odd"}, acts: []policy.Target{write("a")}},
		{name: "mode ask", mode: policy.ModeAsk, acts: []policy.Target{write("a"), read("b")}, want: []string{"allow Edit(/a), Read(/b) in session"}},
		{name: "mode ask, a command that only reads", tool: "Bash", mode: policy.ModeAsk, readOnly: true,
			acts: []policy.Target{{Kind: policy.Command, Access: policy.Read, Value: "ls -l", Shell: policy.ShellFacts{ReadOnly: true, Simple: true}}}, want: []string{"allow Bash(ls -l) in session"}},
		{name: "mode plan", mode: policy.ModePlan, acts: []policy.Target{{Kind: policy.Host, Value: "go.dev"}}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := actor{name: "T", source: tc.source, user: tc.user, own: tc.own, traits: pegboard.Traits{ReadOnly: tc.readOnly, Targets: tc.acts}}
			if tc.tool != "" {
				a.name = tc.tool
			}
			if tc.to == "" {
				tc.to = policy.SourceSession
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
	s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Ask: func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
		asked++
		return policy.Decision{Behavior: policy.Allow, Remember: q.Suggestions(policy.SourceSession)[0]}, nil
	}})
	a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Path, Access: policy.Read, Value: outside + "/x"}}}}
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
	s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Ask: func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
		asked++
		return policy.Decision{Behavior: policy.Allow, Remember: []policy.Update{{Type: policy.AddDirectories, Directories: []string{outside}, Destination: policy.SourceSession}}}, nil
	}})
	agent := forked(t, forked(t, s, pegboard.SessionConfig{AgentID: "a"}), pegboard.SessionConfig{AgentID: "b"})
	for i, s := range []*pegboard.Session{agent, agent, s} {
		a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Path, Access: policy.Read, Value: filepath.Join(outside, strings.Repeat("x", i+1))}}}}
		ex := executor(pegboard.Executor{})
		require.NoError(t, ex.Run(t.Context(), a.pool(t, s), call("1", "T", `{}`))[0].Err)
	}
	require.Equal(t, 1, asked)
}

// offered returns what could be remembered of a question about a, or nothing if it
// was not asked about.
func offered(t *testing.T, a actor, cfg pegboard.SessionConfig, to policy.Source) (texts []string) {
	t.Helper()
	cfg.Ask = func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
		for _, updates := range q.Suggestions(to) {
			for _, u := range updates {
				texts = append(texts, u.String())
			}
		}
		return policy.Decision{Behavior: policy.Deny}, nil
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
		act        policy.Target
	}{
		{name: "a host", act: policy.Target{Kind: policy.Host, Value: "*.com"}},
		{name: "any host", act: policy.Target{Kind: policy.Host, Value: "*"}},
		{name: "an agent", tool: "Agent", act: policy.Target{Kind: policy.Agent, Value: "*"}},
		{name: "a skill with arguments", tool: "Skill", act: policy.Target{Kind: policy.Skill, Value: "deploy *"}},
		{name: "any skill", tool: "Skill", act: policy.Target{Kind: policy.Skill, Value: "*"}},
		{name: "a thing", act: policy.Target{Kind: policy.Resource, Value: "*"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := actor{name: "T", traits: pegboard.Traits{Targets: []policy.Target{tc.act}}}
			if tc.tool != "" {
				a.name = tc.tool
			}
			for _, text := range offered(t, a, pegboard.SessionConfig{}, policy.SourceSession) {
				require.NotContains(t, text, "*")
			}
		})
	}
}

// TestSuggestionsOfAShellByAnotherName: a shell is one under its alias, too.
func TestSuggestionsOfAShellByAnotherName(t *testing.T) {
	t.Parallel()
	a := actor{name: "Shell", aliases: []string{"Bash"}, traits: pegboard.Traits{Targets: []policy.Target{{Value: "it holds eval"}}}}
	require.Empty(t, offered(t, a, pegboard.SessionConfig{}, policy.SourceSession), "none so broad that anything runs")
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
				a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Path, Access: policy.Read, Value: tc.read}}}}
				for _, text := range offered(t, a, pegboard.SessionConfig{Dir: dir, Home: tc.home}, policy.SourceSession) {
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
	cfg := pegboard.SessionConfig{Dir: t.TempDir(), Permissions: rules(t, policy.ModeAcceptEdits, policy.RuleSet{}),
		Ask: func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
			all := q.Suggestions(policy.SourceSession)
			return policy.Decision{Behavior: policy.Allow, Remember: all[len(all)-1]}, nil
		}}
	s := session(t, cfg)
	reads := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Path, Access: policy.Read, Value: outside + "/x"}}}}
	ex := executor(pegboard.Executor{})
	require.NoError(t, ex.Run(t.Context(), reads.pool(t, s), call("1", "T", `{}`))[0].Err)
	writes := actor{name: "T", traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Path, Value: outside + "/y"}}}}
	require.Equal(t, policy.Ask, writes.pool(t, s).Decide(t.Context(), call("1", "T", `{}`)).Behavior)
}

// TestListingADirectoryIsNotReadingIt: a rule suggested for listing a directory does not
// cover the files below it.
func TestListingADirectoryIsNotReadingIt(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	for _, listed := range []string{"/", "~", outside} {
		first := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Path, Access: policy.Read, Value: listed}}}}
		cfg := pegboard.SessionConfig{Dir: t.TempDir(), Home: t.TempDir()}
		cfg.Ask = func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
			all := q.Suggestions(policy.SourceSession)
			if len(all) == 0 {
				return policy.Decision{Behavior: policy.Allow}, nil
			}
			return policy.Decision{Behavior: policy.Allow, Remember: all[0]}, nil
		}
		s := session(t, cfg)
		ex := executor(pegboard.Executor{})
		require.NoError(t, ex.Run(t.Context(), first.pool(t, s), call("1", "T", `{}`))[0].Err)
		next := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Path, Access: policy.Read, Value: listed + "/deep/down/.ssh/id"}}}}
		d := next.pool(t, s).Decide(t.Context(), call("1", "T", `{}`))
		require.Equal(t, policy.Ask, d.Behavior, "%s was listed, not read: %v", listed, s.Permissions().Rules())
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
		a.traits.Targets = append(a.traits.Targets, policy.Target{Kind: policy.Path, Value: name})
	}
	require.Contains(t, offered(t, a, pegboard.SessionConfig{Dir: link}, policy.SourceSession), "allow Edit(/a), Edit(/b), Edit(/c) in session")
}

// TestSuggestedPathsAreLiteral: a rule for a name lets no other name pass.
func TestSuggestedPathsAreLiteral(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), t.TempDir()
	odd := []string{"a*", "a?", "a[b]", "[!a]", "!a", "#a", `a\*`, `a\b`, "a ", " a", "**", "a/**", "{a,b}", "a)", "(a", "~", "~x", "$A", "a:*", "-a", "a*/b", "é", "a\tb"}
	near := append(slices.Clone(odd), "ab", "a", "b", "aa/b", "a/x/y", "x", "xa", `ab\`, `a\x`)
	target := func(name string) actor {
		return actor{name: "T", traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Path, Value: name}}}}
	}
	for _, base := range []string{dir, home, t.TempDir()} {
		for _, to := range []policy.Source{policy.SourceSession, policy.SourceUser, policy.SourceLocal, policy.SourceProject} {
			for _, name := range odd {
				var first []policy.Update
				cfg := pegboard.SessionConfig{Dir: dir, Home: home, Ask: func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
					if all := q.Suggestions(to); len(all) > 0 {
						first = all[0]
					}
					return policy.Decision{Behavior: policy.Deny}, nil
				}}
				a := target(base + "/" + name)
				s := session(t, cfg)
				ex := executor(pegboard.Executor{})
				ex.Run(t.Context(), a.pool(t, s), call("1", "T", `{}`))
				if first == nil || first[0].Type != policy.AddRules {
					continue
				}
				require.NoError(t, s.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) { return p.Apply(first...) }))
				for _, other := range near {
					if other == name || strings.HasPrefix(other, name+"/") {
						continue
					}
					b := target(base + "/" + other)
					d := b.pool(t, s).Decide(t.Context(), call("1", "T", `{}`))
					require.NotEqual(t, policy.Allow, d.Behavior, "%q allows %q: %v", name, other, first)
				}
			}
		}
	}
}

// TestSuggestionsConcurrently: a dialog and a bridge may look at one question.
func TestSuggestionsConcurrently(t *testing.T) {
	t.Parallel()
	a := actor{name: "Bash", traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{
		{Kind: policy.Command, Access: policy.Run, Value: "git status", Shell: policy.ShellFacts{ReadOnly: true, Simple: true, VerifyReadOnly: func() error { return errors.New("not here") }}}}}}
	s := session(t, pegboard.SessionConfig{Ask: func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
		var all sync.WaitGroup
		for _, same := range slices.Concat([]*pegboard.Question{q}, q.Call.Session().Questions()) {
			all.Go(func() { same.Suggestions(policy.SourceSession) })
		}
		all.Wait()
		return policy.Decision{Behavior: policy.Deny}, nil
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
func (d dice) target(outside string) policy.Target {
	word := one(d, "a", "b c", "x*", "k:v", "(q)", " a", "é")
	switch one(d, policy.Path, policy.Path, policy.Path, policy.Command, policy.Host, policy.Resource, policy.Opaque) {
	case policy.Command:
		return policy.Target{Kind: policy.Command, Access: policy.Run, Value: word, Shell: policy.ShellFacts{Nested: one(d, nil, []string{"z"})}}
	case policy.Host:
		return policy.Target{Kind: policy.Host, Value: one(d, "h.test", "H.test."), Aliases: one(d, nil, []string{"i.test"})}
	case policy.Resource:
		return policy.Target{Kind: policy.Resource, Value: word}
	case policy.Opaque:
		return policy.Target{}
	}
	return policy.Target{
		Kind: policy.Path, Access: one(d, policy.Read, policy.Write, policy.Run), Tree: d.IntN(4) == 0,
		Value:   one(d, word, ".", "sub/"+word, "in/"+word, "out/"+word, "out", filepath.Join(outside, word), "~/"+word, "/"),
		Aliases: one(d, nil, nil, []string{"other"}, []string{"out/other"}),
	}
}

// asking are the modes in which a person is asked.
func asking() []policy.Mode {
	return []policy.Mode{policy.ModeAsk, policy.ModePlan, policy.ModeDefault, policy.ModeAcceptEdits, policy.ModeAuto}
}

// TestRemedyPermitsTheCall: with the rules that a denial names the call runs.
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
		p := rules(t, one(d, asking()...), policy.RuleSet{
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
		if remedy == nil {
			none++
			continue
		}
		named++
		more, err := p.WithRules(policy.RuleSet{Allow: remedy})
		require.NoError(t, err, "seed %d: %s", seed, reason)
		require.NoError(t, pool.Session().SetPermissions(more))
		require.Empty(t, refused(t, pool), "seed %d: %+v\nunder %v\n%s\nwith %q", seed, a.traits, p, reason, remedy)
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
	path := func(access policy.Access, v string) policy.Target {
		return policy.Target{Kind: policy.Path, Access: access, Value: v}
	}
	command := policy.Target{Kind: policy.Command, Access: policy.Run, Value: "ls *.go"}
	tests := []struct {
		name  string
		actor actor
		mode  policy.Mode
		set   policy.RuleSet
		want  []string
	}{
		{name: "a path", actor: actor{traits: pegboard.Traits{Targets: []policy.Target{path(policy.Write, "sub/a")}}}, want: []string{"Edit(/sub/a)"}},
		{name: "a path outside", actor: actor{traits: pegboard.Traits{Targets: []policy.Target{path(policy.Read, outside+"/a")}}}, want: []string{"Read(/" + slashed + "/a)"}},
		{name: "a path through a link", actor: actor{traits: pegboard.Traits{Targets: []policy.Target{path(policy.Write, "out/a")}}}, want: []string{"Edit(/out/a)", "Edit(/" + slashed + "/a)"}},
		{name: "a command no rule can spell", actor: actor{traits: pegboard.Traits{Targets: []policy.Target{command}}}},
		{name: "which hides what it reads", actor: actor{traits: pegboard.Traits{Targets: []policy.Target{command}}}, set: policy.RuleSet{Deny: []string{"Read(.env)"}}},
		{name: "four paths", actor: actor{traits: pegboard.Traits{Targets: []policy.Target{path(policy.Write, "a"), path(policy.Write, "b"), path(policy.Write, "c"), path(policy.Write, "d")}}}, want: []string{"Edit(/a)", "Edit(/b)", "Edit(/c)", "Edit(/d)"}},
		{name: "something unknown", want: []string{"T"}},
		{name: "something unknown that a deny pattern could be about", set: policy.RuleSet{Deny: []string{"Read(.env)"}}},
		{name: "only a person may", actor: actor{user: true}},
		{name: "ask rule", set: policy.RuleSet{Ask: []string{"T"}}},
		{name: "plan", mode: policy.ModePlan},
		{name: "plan, a read", mode: policy.ModePlan, actor: actor{traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{path(policy.Read, outside)}}}},
		{name: "an attached tool", actor: actor{source: "srv"}, want: []string{"mcp__srv__T"}},
		{name: "an attached tool that says of which server it is", actor: actor{source: "srv", traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Resource, Value: "mcp:srv"}}}}, want: []string{"mcp__srv__T"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.actor.name = "T"
			pool := tc.actor.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, tc.mode, tc.set)}))
			reason := refused(t, pool)
			require.NotEmpty(t, reason)
			require.Equal(t, tc.want, remedyIn(t, reason))
			first, want := "", ""
			for _, text := range offered(t, tc.actor, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, tc.mode, tc.set)}, policy.SourceSession) {
				if first == "" && strings.HasPrefix(text, "allow ") {
					first = text
				}
			}
			if tc.want != nil {
				want = "allow " + strings.Join(tc.want, ", ") + " in session"
			}
			require.Equal(t, want, first, "a question offers the same")
		})
	}
}

// TestNoRuleIsARemedyForAnOpinion: when a hook or the tool itself asks, no rule changes
// that.
func TestNoRuleIsARemedyForAnOpinion(t *testing.T) {
	t.Parallel()
	ask := policy.Decision{Behavior: policy.Ask, Reason: "it wants that"}
	hook := pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (policy.Decision, error) { return ask, nil }}
	for name, x := range map[string]struct {
		own   policy.Decision
		hooks pegboard.Hooks
	}{"tool": {own: ask}, "hook": {hooks: hook}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := actor{name: "T", own: x.own, traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Path, Value: "f"}}}}
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
	a := actor{name: "T", traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Path, Value: "f"}}}}
	pool := a.pool(t, forked(t, s, pegboard.SessionConfig{Dir: filepath.Join(dir, "sub")}))
	remedy := remedyIn(t, refused(t, pool))
	require.Equal(t, []string{"Edit(/sub/f)"}, remedy)
	require.NoError(t, s.SetPermissions(rules(t, "", policy.RuleSet{Allow: remedy})))
	require.Empty(t, refused(t, pool))
}

// In the dontAsk mode, too, a denial names the rule that would help (invariant 5).
func TestDontAskNamesTheRemedy(t *testing.T) {
	t.Parallel()
	a := actor{name: "T"}
	require.NotEmpty(t, remedyIn(t, refused(t, a.pool(t, session(t, pegboard.SessionConfig{Permissions: rules(t, policy.ModeDontAsk, policy.RuleSet{})})))))
}

func TestRemedyEscapesAStar(t *testing.T) {
	t.Parallel()
	a := actor{name: "T", traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Command, Access: policy.Run, Value: "deploy *"}}}}
	reason := refused(t, a.pool(t, session(t, pegboard.SessionConfig{})))
	require.Nil(t, remedyIn(t, reason))
	require.Contains(t, reason, "no allow rule for it alone would permit it")
	a.traits.Targets = []policy.Target{pathTo(policy.Write, "*")}
	require.Equal(t, []string{`Edit(/\*)`}, remedyIn(t, refused(t, a.pool(t, session(t, pegboard.SessionConfig{})))))
}
