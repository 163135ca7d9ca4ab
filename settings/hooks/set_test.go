package hooks_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
)

// parse returns hooks without problems.
func parse(t testing.TB, source policy.Source, text string) hooks.Set {
	t.Helper()
	set, problems, err := hooks.Parse([]byte(text), source, string(source))
	require.NoError(t, err)
	require.Empty(t, problems)
	return set
}

// described returns the handlers as text: command, matcher, rule and source.
func described(all []hooks.Handler) []string {
	var texts []string
	for _, h := range all {
		texts = append(texts, strings.Join(strings.Fields(h.Command+" "+h.Matcher+" "+h.If+" "+string(h.Source)), " "))
	}
	return texts
}

func TestZeroSet(t *testing.T) {
	t.Parallel()
	var set hooks.Set
	require.Empty(t, set.Events())
	require.Empty(t, set.Handlers("Stop"))
	require.Empty(t, set.Match("Stop"))
	require.Empty(t, hooks.Join().Events())
	require.Empty(t, hooks.Join(set, set).Events())
	require.Empty(t, set.WithRules(nil).Events())
	require.True(t, hooks.Handler{}.Matches("x"))
}

func TestJoinKeepsEachHandlerOnce(t *testing.T) {
	t.Parallel()
	managed := parse(t, policy.SourceManaged, `{"PreToolUse": [
		{"matcher": "Bash", "hooks": [{"type": "command", "command": "a"}]},
		{"matcher": "Edit", "hooks": [{"type": "command", "command": "a"}]}]}`)
	project := parse(t, policy.SourceProject, `{
		"Stop": [{"hooks": [{"type": "command", "command": "a"}]}],
		"PreToolUse": [{"matcher": "Bash", "hooks": [
			{"type": "command", "command": "a", "statusMessage": "is shown, and does nothing else"},
			{"type": "command", "command": "a", "args": []},
			{"type": "command", "command": "a", "timeout": 5},
			{"type": "command", "command": "a", "if": "Bash(git *)"},
			{"type": "command", "command": "a", "if": "Bash(git *)"},
			{"type": "command", "command": "a", "if": "Bash(rm *)"},
			{"type": "prompt", "prompt": "a"}
		]}]}`)
	joined := hooks.Join(managed, project)
	require.Equal(t, []string{"PreToolUse", "Stop"}, joined.Events())
	require.Equal(t, []string{
		"a Bash policySettings", "a Edit policySettings", "a Bash projectSettings", "a Bash projectSettings",
		"a Bash Bash(git *) projectSettings", "a Bash Bash(rm *) projectSettings", "Bash projectSettings",
	}, described(joined.Handlers("PreToolUse")))
	require.Len(t, project.Handlers("PreToolUse"), 6, "a set does not change")
	require.Len(t, managed.Handlers("PreToolUse"), 2)
}

// A handler that stands under two matchers runs once for a call that both match.
func TestMatchReturnsEachHandlerOnce(t *testing.T) {
	t.Parallel()
	set := parse(t, policy.SourceUser, `{"PreToolUse": [
		{"matcher": "Bash", "hooks": [{"type": "command", "command": "a"}, {"type": "command", "command": "a", "if": "Bash(x)"}]},
		{"matcher": "B.*",  "hooks": [{"type": "command", "command": "a"}, {"type": "command", "command": "b"}]}]}`)
	require.Equal(t, []string{"a Bash userSettings", "a Bash Bash(x) userSettings", "b B.* userSettings"}, described(set.Match("PreToolUse", "Bash")))
	require.Equal(t, []string{"a B.* userSettings", "b B.* userSettings"}, described(set.Match("PreToolUse", "BashOutput")))
	require.Empty(t, set.Match("PostToolUse", "Bash"))
}

func TestMatchTakesAliases(t *testing.T) {
	t.Parallel()
	set := parse(t, policy.SourceUser, `{"PreToolUse": [{"matcher": "Task", "hooks": [{"type": "command", "command": "a"}]}]}`)
	require.Len(t, set.Match("PreToolUse", "Agent", "Task"), 1)
	require.Empty(t, set.Match("PreToolUse", "Agent"))
	require.Empty(t, set.Match("PreToolUse"))
}

func TestSetWithRules(t *testing.T) {
	t.Parallel()
	set := parse(t, policy.SourceProject, `{"PreToolUse": [{"hooks": [
		{"type": "command", "command": "a", "if": "Edit(/src/**)"}, {"type": "command", "command": "b"}, {"type": "command", "command": "c", "if": "Bash(x)"}]}]}`)
	respelled := set.WithRules(func(h hooks.Handler, r policy.Rule) []policy.Rule {
		if h.Command == "c" {
			return nil
		}
		require.Equal(t, "Edit(/src/**)", r.String())
		other, err := policy.ParseRule(policy.Deny, "Edit(//project/src/**)")
		require.NoError(t, err)
		return []policy.Rule{r, other}
	})
	all := respelled.Handlers("PreToolUse")
	require.Len(t, all, 3)
	require.Len(t, all[0].Rules(), 2)
	require.Empty(t, all[1].Rules())
	require.Empty(t, all[2].Rules())
	require.Equal(t, "Bash(x)", all[2].If)
	require.Len(t, set.Handlers("PreToolUse")[0].Rules(), 1)
	require.Len(t, set.Match("PreToolUse", "Edit"), 3)
}

// A set is asked for more names than it remembers, by several goroutines.
func TestMatchOfManyNames(t *testing.T) {
	t.Parallel()
	set := parse(t, policy.SourceUser, `{"FileChanged": [
		{"matcher": "[02468]$", "hooks": [{"type": "command", "command": "even"}]}, {"hooks": [{"type": "command", "command": "all"}]}]}`)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 10_000 {
				if got := len(set.Match("FileChanged", fmt.Sprint("file", i))); got != 2-i%2 {
					t.Errorf("%d handlers for file%d", got, i)
				}
			}
		})
	}
	all.Wait()
}
