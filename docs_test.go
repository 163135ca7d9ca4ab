package pegboard_test

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestDocsQuoteTheCode compares the Go blocks of README.md and docs with the code that
// they show. Run with PEGBOARD_UPDATE=1 to write the blocks anew.
func TestDocsQuoteTheCode(t *testing.T) {
	t.Parallel()
	blocks := map[string]int{}
	for _, path := range append(docPages(t), "README.md") {
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
	require.GreaterOrEqual(t, blocks["docs/tool-examples.md"], 4)
}

// TestDocsManualNamesWhatIsThere resolves the links of doc.go as pkg.go.dev does, which shows
// one that leads nowhere in brackets. The manual also names each limit that holds without
// being set, and where the host's own mistakes are reported.
func TestDocsManualNamesWhatIsThere(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("*.go")
	require.NoError(t, err)
	fset, files := token.NewFileSet(), []*ast.File{}
	for _, path := range paths {
		if !strings.HasSuffix(path, "_test.go") {
			file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
			require.NoError(t, err)
			files = append(files, file)
		}
	}
	manual, err := doc.NewFromFiles(fset, files, modulePath)
	require.NoError(t, err)
	unresolved := regexp.MustCompile(`\[[*\w./]+\]`)
	require.Equal(t, []string{"[Session.OldTurn]"}, unresolved.FindAllString(string(manual.Text("[Session.NewTurn] [Session.OldTurn] [log/slog.Default]")), -1))
	shown := string(manual.Text(manual.Doc))
	require.Empty(t, unresolved.FindAllString(shown, -1), "links of doc.go to what is not there")
	for _, name := range []string{
		"Session.NewTurn", "BreakerLimits", "Outcome.StopTurn", "DefaultMaxParallel", "DefaultGrace", "ResultLimits", "Executor.Logger",
	} {
		require.Contains(t, shown, name, "doc.go does not name it")
	}
}

// docPages returns the paths of all pages below docs.
func docPages(t *testing.T) (paths []string) {
	t.Helper()
	for _, page := range markdownPages(t) {
		if strings.HasPrefix(page, "docs/") {
			paths = append(paths, page)
		}
	}
	require.GreaterOrEqual(t, len(paths), 20)
	return paths
}

// markdownPages returns the paths of the Markdown files of the repository, slash-separated.
// Those in testdata are input of tests, but for a README.md, which says what they are.
func markdownPages(t *testing.T) (paths []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && (name == "node_modules" || strings.HasPrefix(name, ".")):
			return fs.SkipDir
		case !entry.IsDir() && strings.HasSuffix(name, ".md"):
			if path = filepath.ToSlash(path); name == "README.md" || !strings.Contains(path, "testdata/") {
				paths = append(paths, path)
			}
		}
		return nil
	}))
	return paths
}

// TestDocsAreInTheIndex expects a link to each page in docs/README.md, so that none is found
// by its file name only.
func TestDocsAreInTheIndex(t *testing.T) {
	t.Parallel()
	index, err := os.ReadFile("docs/README.md")
	require.NoError(t, err)
	for _, page := range docPages(t) {
		if page != "docs/README.md" {
			link := "](" + strings.TrimPrefix(page, "docs/") + ")"
			require.Contains(t, string(index), link, "docs/README.md has no link to %s; add a line under the need that the page answers", page)
		}
	}
}

// TestDocsLinkToWhatIsThere follows each link of the documents to a file of the tree and,
// where it names one, to a heading.
func TestDocsLinkToWhatIsThere(t *testing.T) {
	t.Parallel()
	pages := markdownPages(t)
	require.GreaterOrEqual(t, len(pages), 20)
	for _, page := range pages {
		require.Empty(t, brokenLinks(t, page))
	}
}

// TestDocsBrokenLinksAreFound shows that a link which leads nowhere does not pass.
func TestDocsBrokenLinksAreFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	page := filepath.Join(dir, "page.md")
	text := "# One\n## A `b`, c\n## One\n" +
		"[a](page.md#one) [b](#one-1) [c](#a-b-c) [d](https://example.com/#x) `[e](no.md)`\n```\n# In code\n[f](no.md)\n```\n" +
		"[g](gone.md) [h](#two) [i](page.md#in-code) [j](#one-2)\n[k]: lost.md\n"
	require.NoError(t, os.WriteFile(page, []byte(text), 0o600))
	require.Equal(t, []string{"gone.md", "#two", "page.md#in-code", "#one-2", "lost.md"}, brokenLinks(t, page))
}

// docsCode matches what a document shows as code, in which nothing is a link or a heading.
var docsCode = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")

// docsLink matches the target of a link: in parentheses, or in a definition on a line of its own.
var docsLink = regexp.MustCompile(`\]\(([^)\s]+)\)|(?m:^\[[^\]]+\]: (\S+)$)`)

// brokenLinks returns the targets of a page's links that are not there. Those on other hosts
// are not followed.
func brokenLinks(t *testing.T, page string) (broken []string) {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	for _, match := range docsLink.FindAllSubmatch(docsCode.ReplaceAll(text, []byte("code")), -1) {
		link := string(match[1]) + string(match[2])
		target, heading, _ := strings.Cut(link, "#")
		if strings.Contains(target, ":") {
			continue
		}
		path := page
		if target != "" {
			path = filepath.Join(filepath.Dir(page), filepath.FromSlash(target))
		}
		if _, err := os.Stat(path); err != nil || heading != "" && !slices.Contains(headings(t, path), heading) {
			broken = append(broken, link)
		}
	}
	return broken
}

// headings returns the names by which links reach the headings of a page. The second one of a
// name has a number.
func headings(t *testing.T, path string) (names []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	text = regexp.MustCompile("(?ms)^```.*?^```").ReplaceAll(text, nil)
	times := map[string]int{}
	for _, match := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllSubmatch(text, -1) {
		name := regexp.MustCompile(`[^\pL\pN _-]`).ReplaceAllString(strings.ToLower(string(match[1])), "")
		name = strings.ReplaceAll(name, " ", "-")
		if n := times[name]; n > 0 {
			names = append(names, fmt.Sprint(name, "-", n))
		} else {
			names = append(names, name)
		}
		times[name]++
	}
	return names
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
