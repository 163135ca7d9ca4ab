package pegboard_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestDocsQuoteTheCode compares the Go blocks of README.md and docs with the code that
// they show. Run with PEGBOARD_UPDATE=1 to write the blocks anew.
func TestDocsQuoteTheCode(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	blocks := map[string]int{}
	for _, path := range append(paths, "README.md") {
		document, err := os.ReadFile(path)
		require.NoError(t, err)
		want, n := withQuotes(t, string(document))
		blocks[path] = n
		if os.Getenv("PEGBOARD_UPDATE") != "" {
			require.NoError(t, os.WriteFile(path, []byte(want), 0o644)) //nolint:gosec // a document
			continue
		}
		require.Equal(t, strings.Count(string(document), "<!-- quote "), n, "%s: a quote without its block", path)
		require.Equal(t, want, string(document), "%s shows other code than there is; run PEGBOARD_UPDATE=1 go test -run Docs .", path)
	}
	require.Equal(t, 1, blocks["README.md"])
	require.GreaterOrEqual(t, blocks["docs/tools.md"], 4)
}

// TestDocsNameTheRulesOfTargets takes the table of docs/tools.md at its word: it decides a
// call with the target of each row under each rule of that row.
func TestDocsNameTheRulesOfTargets(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/tools.md")
	require.NoError(t, err)
	code := regexp.MustCompile("`([^`]+)`")
	rows := regexp.MustCompile("(?m)^\\| (`Target[A-Z].*?) \\| (.*?) \\| (.*?) \\|$").FindAllStringSubmatch(string(page), -1)
	require.Len(t, rows, 9)
	for _, row := range rows {
		t.Run(row[1], func(t *testing.T) {
			t.Parallel()
			target := documentedTarget(t, code.FindAllStringSubmatch(row[1], -1))
			require.Equal(t, pegboard.Ask, decideOwn(t, target, pegboard.RuleSet{}))
			for _, rule := range code.FindAllStringSubmatch(row[2], -1) {
				require.Equal(t, pegboard.Allow, decideOwn(t, target, pegboard.RuleSet{Allow: []string{rule[1]}}), "allow %s", rule[1])
			}
			for _, rule := range code.FindAllStringSubmatch(row[3], -1) {
				require.Equal(t, pegboard.Deny, decideOwn(t, target, pegboard.RuleSet{Allow: []string{"Own"}, Deny: []string{rule[1]}}), "deny %s", rule[1])
			}
			for _, rule := range []string{"Read(/src/**)", "Edit(/src/**)", "WebFetch(domain:*.example.com)", "Bash(git push:*)"} {
				if !strings.Contains(row[2], rule) {
					require.Equal(t, pegboard.Ask, decideOwn(t, target, pegboard.RuleSet{Allow: []string{rule}}), "allow %s is not in the row", rule)
				}
			}
		})
	}
}

// documentedTarget returns the target that a row describes: its kind, access and value.
func documentedTarget(t *testing.T, words [][]string) pegboard.Target {
	t.Helper()
	target := pegboard.Target{}
	for _, word := range words {
		switch word[1] {
		case "TargetOpaque":
		case "TargetCommand":
			target.Kind = pegboard.TargetCommand
		case "TargetPath":
			target.Kind = pegboard.TargetPath
		case "TargetHost":
			target.Kind = pegboard.TargetHost
		case "TargetAgent":
			target.Kind = pegboard.TargetAgent
		case "TargetSkill":
			target.Kind = pegboard.TargetSkill
		case "TargetResource":
			target.Kind = pegboard.TargetResource
		case "AccessRead":
			target.Access = pegboard.AccessRead
		case "AccessWrite":
			target.Access = pegboard.AccessWrite
		case "AccessRun":
			target.Access = pegboard.AccessRun
		default:
			require.Empty(t, target.Value, word[1])
			target.Value = word[1]
		}
	}
	return target
}

// decideOwn decides a call of the tool Own, which changes something.
func decideOwn(t *testing.T, target pegboard.Target, set pegboard.RuleSet) pegboard.Behavior {
	t.Helper()
	own := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Own"}, Description: "For a test.", Traits: pegboard.Traits{Targets: []pegboard.Target{target}},
		Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})
	s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Permissions: rules(t, pegboard.ModeDefault, set)})
	p := registryOf(t, own).AssemblePool(s, pegboard.PoolConfig{})
	return p.Decide(t.Context(), call("1", "Own", `{}`)).Behavior
}
