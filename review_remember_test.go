package pegboard_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

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

// TestSuggestionsSpellNoWildcard: what a model wrote as a name is never read
// as a pattern.
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

// TestListingADirectoryIsNotReadingIt: a rule for what was listed says no more.
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

// TestAnswerIsRememberedAsAWholeOrNotAtAll: also if the agent that asked cannot
// have what its parent gets.
func TestAnswerIsRememberedAsAWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	saved := false
	cfg := pegboard.SessionConfig{Dir: t.TempDir(), Permissions: rules(t, pegboard.ModeAcceptEdits, pegboard.RuleSet{})}
	cfg.Ask = alwaysSays(pegboard.Decision{Behavior: pegboard.Allow, Remember: []pegboard.PermissionUpdate{
		{Type: pegboard.UpdateAddDirectories, Directories: []string{outside}, Destination: pegboard.SourceSession}}})
	cfg.OnRemember = func(ctx, []pegboard.PermissionUpdate) error { saved = true; return nil }
	s := session(t, cfg)
	fork := forked(t, s, pegboard.SessionConfig{Permissions: rules(t, pegboard.ModeAcceptEdits, pegboard.RuleSet{})})
	require.NoError(t, s.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) { return p.WithMode(pegboard.ModeDefault) }))
	a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: outside + "/x"}}}}
	ex := executor(pegboard.Executor{})
	o := ex.Run(t.Context(), a.pool(t, fork), call("1", "T", `{}`))[0]
	require.NoError(t, o.Err)
	require.True(t, saved)
	require.Len(t, s.Permissions().Directories(), 1)
	require.Len(t, fork.Permissions().Directories(), 1)
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

// TestRefusalThatCannotBeRemembered is a refusal all the same.
func TestRefusalThatCannotBeRemembered(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Ask: alwaysSays(pegboard.Decision{Behavior: pegboard.Deny, Reason: "never do that", StopTurn: true,
		Remember: []pegboard.PermissionUpdate{{Type: pegboard.UpdateAddRules, Behavior: pegboard.Deny, Rules: []pegboard.PermissionUpdateRule{{Tool: "Bash(x)"}}}}})})
	a := actor{name: "T"}
	ex := executor(pegboard.Executor{})
	o := ex.Run(t.Context(), a.pool(t, s), call("1", "T", `{}`))[0]
	require.ErrorIs(t, o.Err, pegboard.ErrDenied)
	require.Equal(t, pegboard.ByPerson, o.Decision.By, o.Result.Text())
	require.Contains(t, o.Result.Text(), "never do that")
	require.True(t, o.StopTurn)
}

// TestSymlinkedDirectory: the names of one file are one rule.
func TestSymlinkedDirectory(t *testing.T) {
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

// TestSaveHoldsNobodyUp: the answer counts whether it can be saved or not, so
// that a disk that hangs must not keep the call, its time-out or other answers.
func TestSaveHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s *pegboard.Session
		var again error
		begin := time.Now()
		s = session(t, pegboard.SessionConfig{Ask: pegboard.AskLater, AskTimeout: time.Minute, Dir: t.TempDir(),
			OnRemember: func(ctx, []pegboard.PermissionUpdate) error { time.Sleep(time.Hour); return nil }})
		outs := make(chan pegboard.Outcome, 1)
		pool := toucherPool(t, s, nil)
		go func() {
			ex := executor(pegboard.Executor{})
			outs <- ex.Run(t.Context(), pool, touching("1", "a"))[0]
		}()
		synctest.Wait()
		id := s.Questions()[0].ID
		var all sync.WaitGroup
		all.Go(func() {
			_ = s.Answer(id, pegboard.Decision{Behavior: pegboard.Allow, Remember: []pegboard.PermissionUpdate{allowRule(pegboard.SourceUser, "Edit", "/a")}})
		})
		synctest.Wait()
		late := time.Now()
		again = s.Answer(id, pegboard.Decision{Behavior: pegboard.Allow}) // as Save itself might, which then never ends
		waited := time.Since(late)
		require.ErrorIs(t, again, pegboard.ErrQuestionClosed)
		<-outs
		all.Wait()
		require.Zero(t, waited, "it is answered")
		require.LessOrEqual(t, time.Since(begin), time.Hour)
	})
}

// TestDirectoryForReadingIsNoLeaveToWrite: who agrees that files are read there
// has not agreed that they are written.
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

// TestRecordOfAnAnswerWithAnotherInput says what it changed for good, and why.
func TestRecordOfAnAnswerWithAnotherInput(t *testing.T) {
	t.Parallel()
	updates := []pegboard.PermissionUpdate{allowRule(pegboard.SourceUser, "Edit", "/doc/**")}
	s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Ask: alwaysSays(pegboard.Decision{Behavior: pegboard.Allow, Reason: "there instead",
		Input: json.RawMessage(`{"path":"b"}`), Remember: updates})})
	var told []pegboard.PermissionUpdate
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventDecided {
			told = append(told, e.Decision.Remember...)
		}
	}})
	o := ex.Run(t.Context(), toucherPool(t, s, nil), touching("1", "a"))[0]
	require.NoError(t, o.Err)
	require.Len(t, s.Permissions().Rules(), 1)
	require.Equal(t, updates, told, "the audit log is made of these events")
	require.Equal(t, "there instead", o.Decision.Reason)
}

// TestAnswerThatAlsoSetsAMode counts for its own call. Another input is decided
// anew, in that mode.
func TestAnswerThatAlsoSetsAMode(t *testing.T) {
	t.Parallel()
	for _, mode := range []pegboard.Mode{pegboard.ModeDontAsk, pegboard.ModeDeny, pegboard.ModePlan} {
		for input, denied := range map[string]bool{``: false, `{"path":"b"}`: true} {
			s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Ask: alwaysSays(pegboard.Decision{Behavior: pegboard.Allow, Input: json.RawMessage(input),
				Remember: []pegboard.PermissionUpdate{{Type: pegboard.UpdateSetMode, Mode: mode, Destination: pegboard.SourceSession}}})})
			ex := executor(pegboard.Executor{})
			o := ex.Run(t.Context(), toucherPool(t, s, nil), touching("1", "a"))[0]
			require.Equal(t, denied, o.Err != nil, "mode %s, input %q: %s", mode, input, o.Result.Text())
		}
	}
}
