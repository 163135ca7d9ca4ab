package housetest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
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
		require.Equal(t, want, string(document), "%s shows other code than there is; run PEGBOARD_UPDATE=1 go test -run Docs ./internal/housetest", path)
	}
	require.Equal(t, 1, blocks["README.md"])
	require.GreaterOrEqual(t, blocks["docs/cookbook.md"], 20)
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
	rows := regexp.MustCompile("(?m)^\\| (`policy\\.[A-Z].*?) \\| (.*?) \\| (.*?) \\|$").FindAllStringSubmatch(string(page), -1)
	require.Len(t, rows, 9)
	for _, row := range rows {
		t.Run(row[1], func(t *testing.T) {
			t.Parallel()
			target := documentedTarget(t, code.FindAllStringSubmatch(row[1], -1))
			require.Equal(t, policy.Ask, decideOwn(t, target, policy.RuleSet{}))
			for _, rule := range code.FindAllStringSubmatch(row[2], -1) {
				require.Equal(t, policy.Allow, decideOwn(t, target, policy.RuleSet{Allow: []string{rule[1]}}), "allow %s", rule[1])
			}
			for _, rule := range code.FindAllStringSubmatch(row[3], -1) {
				require.Equal(t, policy.Deny, decideOwn(t, target, policy.RuleSet{Allow: []string{"Own"}, Deny: []string{rule[1]}}), "deny %s", rule[1])
			}
			for _, rule := range []string{"Read(/src/**)", "Edit(/src/**)", "WebFetch(domain:*.example.com)", "Bash(git push:*)"} {
				if !strings.Contains(row[2], rule) {
					require.Equal(t, policy.Ask, decideOwn(t, target, policy.RuleSet{Allow: []string{rule}}), "allow %s is not in the row", rule)
				}
			}
		})
	}
}

// documentedTarget returns the target that a row describes: its kind, access and value.
func documentedTarget(t *testing.T, words [][]string) policy.Target {
	t.Helper()
	target := policy.Target{}
	for _, word := range words {
		switch word[1] {
		case "policy.Opaque":
		case "policy.Command":
			target.Kind = policy.Command
		case "policy.Path":
			target.Kind = policy.Path
		case "policy.Host":
			target.Kind = policy.Host
		case "policy.Agent":
			target.Kind = policy.Agent
		case "policy.Skill":
			target.Kind = policy.Skill
		case "policy.Resource":
			target.Kind = policy.Resource
		case "policy.Read":
			target.Access = policy.Read
		case "policy.Write":
			target.Access = policy.Write
		case "policy.Run":
			target.Access = policy.Run
		default:
			require.Empty(t, target.Value, word[1])
			target.Value = word[1]
		}
	}
	return target
}

// decideOwn decides a call of the tool Own, which changes something.
func decideOwn(t *testing.T, target policy.Target, set policy.RuleSet) policy.Behavior {
	t.Helper()
	own := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Own"}, Description: "For a test.", Traits: pegboard.Traits{Targets: []policy.Target{target}},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})
	perms, err := policy.New(policy.ModeDefault, set)
	require.NoError(t, err)
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir(), Permissions: perms})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	var r pegboard.Registry
	require.NoError(t, r.Add(own))
	return r.AssemblePool(s, pegboard.PoolConfig{}).Decide(t.Context(), pegboard.Call{ID: "1", Name: "Own", Input: json.RawMessage(`{}`)}).Behavior
}

// maxAnswerLines is how long an answer of the cookbook may be, so that it is read at a glance.
const maxAnswerLines = 65

// answers returns what stands before the first answer of the cookbook, and its answers.
func answers(t *testing.T) (preface string, answers []string) {
	t.Helper()
	text, err := os.ReadFile("docs/cookbook.md")
	require.NoError(t, err)
	parts := strings.Split(string(text), "\n## ")
	return parts[0], parts[1:]
}

// TestDocsCookbookAnswers holds each answer of the cookbook against its form: short, code first,
// and no Go code but what a test file of the cookbook runs.
func TestDocsCookbookAnswers(t *testing.T) {
	t.Parallel()
	preface, all := answers(t)
	require.Len(t, all, 20)
	for _, answer := range all {
		title, _, _ := strings.Cut(answer, "\n")
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			require.LessOrEqual(t, strings.Count(answer, "\n"), maxAnswerLines, "lines")
			require.Regexp(t, "^[^\n]+\n\n<!-- quote docs/cookbook/\\w+_test\\.go[ \\w]* -->\n", answer, "the code comes first")
			require.Len(t, quoteMark.FindAllString(answer, -1), strings.Count(answer, "```go"), "a Go block that no test runs")
			require.Empty(t, unexplainedNames(t, preface, answer), "the answer uses these without showing or naming them")
		})
	}
}

// TestDocsCookbookCodeIsRun expects each test file of the cookbook to be shown, and each Example
// of it to be compared with what it prints. The go command only compiles one without an output.
func TestDocsCookbookCodeIsRun(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/cookbook.md")
	require.NoError(t, err)
	for _, code := range cookbookCode(t) {
		require.Contains(t, string(page), "<!-- quote "+code)
		examples := examplesOf(t, code)
		require.NotEmpty(t, examples, "%s has no Example", code)
		for _, example := range examples {
			require.NotEmpty(t, example.Output, "%s: Example%s prints nothing that is compared", code, example.Name)
		}
	}
}

// TestDocsCookbookRunsInAnEmptyModule follows the cookbook as a newcomer would: each file is
// saved in an empty folder, beside the two that the page names, and tested. With less than full effort
// only the first is run, and the others are compiled.
func TestDocsCookbookRunsInAnEmptyModule(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for _, code := range cookbookCode(t) {
		for _, file := range []string{code, "docs/cookbook/first_tool_test.go", "docs/cookbook/existing_service_test.go"} {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			files[strings.TrimSuffix(filepath.Base(code), "_test.go")+"/"+filepath.Base(file)] = string(text)
		}
	}
	dir := emptyModule(t, files)
	require.Contains(t, goIn(t, dir, "test", "-v", "./first_tool"), "--- PASS: Example_firstTool")
	if effort.Full(t) {
		goIn(t, dir, "test", "./...")
		return
	}
	goIn(t, dir, "vet", "./...")
}

// cookbookCode returns the paths of the test files of the cookbook.
func cookbookCode(t *testing.T) []string {
	t.Helper()
	codes, err := filepath.Glob("docs/cookbook/*_test.go")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(codes), 20)
	return codes
}

// examplesOf returns the Examples of a test file.
func examplesOf(t *testing.T, path string) []*doc.Example {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	require.NoError(t, err)
	return doc.Examples([]*ast.File{file}...)
}

// unexplainedNames returns the declarations of the cookbook that the code of an answer uses, and
// that neither the answer shows nor its text or the preface names.
func unexplainedNames(t *testing.T, preface, answer string) (missing []string) {
	t.Helper()
	unexplained := map[string]bool{}
	for _, code := range cookbookCode(t) {
		file, err := parser.ParseFile(token.NewFileSet(), code, nil, 0)
		require.NoError(t, err)
		for _, name := range topLevelNames(file) {
			unexplained[name] = !strings.Contains(preface+answer, "`"+name+"`")
		}
	}
	var blocks []*ast.File
	for _, mark := range quoteMark.FindAllStringSubmatch(answer, -1) {
		text := mark[3]
		if len(strings.Fields(mark[2])) > 0 {
			text = "package p\n" + text
		}
		block, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
		require.NoError(t, err)
		for _, name := range topLevelNames(block) {
			unexplained[name] = false
		}
		blocks = append(blocks, block)
	}
	for _, block := range blocks {
		for name := range usedNames(block) {
			if unexplained[name] {
				missing = append(missing, name)
			}
		}
	}
	return missing
}

// topLevelNames returns the names that a file declares, without methods.
func topLevelNames(file *ast.File) (names []string) {
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil {
				names = append(names, decl.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, spec.Name.Name)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names
}

// usedNames returns the identifiers of a file that stand for themselves: not those behind a
// dot.
func usedNames(file *ast.File) map[string]bool {
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			ast.Inspect(n.X, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					used[id.Name] = true
				}
				return true
			})
			return false
		case *ast.Ident:
			used[n.Name] = true
		}
		return true
	})
	return used
}

// TestReadmeSnippetRunsInAnEmptyModule pastes README's first code block into a module that
// has nothing else, and runs it.
func TestReadmeSnippetRunsInAnEmptyModule(t *testing.T) {
	t.Parallel()
	out := runPasted(t, "README.md")
	written, denied, _ := strings.Cut(out, "\n")
	require.Equal(t, "written", written)
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	require.Contains(t, string(readme), regexp.MustCompile(`wants to write \S*b\.txt`).ReplaceAllString(denied, "wants to write /tmp/loop1/b.txt"), "README says what is printed")
	require.LessOrEqual(t, strings.Count(string(readme), "\n"), 150, "lines")
}

// runPasted pastes the first Go block of a page into main.go of an empty module and runs it.
func runPasted(t *testing.T, page string) (output string) {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(text), "```go\n")
	require.True(t, ok, "%s has no Go block", page)
	snippet, _, ok := strings.Cut(rest, "```\n")
	require.True(t, ok, "the Go block of %s does not end", page)
	return goIn(t, emptyModule(t, map[string]string{"main.go": snippet}), "run", ".")
}

// emptyModule returns the directory of a module that has the files and nothing else. It requires
// this module, by way of a replace directive, and what this one requires.
func emptyModule(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	root, err := os.Getwd()
	require.NoError(t, err)
	mod, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	sum, err := os.ReadFile("go.sum")
	require.NoError(t, err)
	required := regexp.MustCompile(`(?m)^module .*$`).ReplaceAllString(string(mod), "module pasted")
	files["go.sum"] = string(sum)
	files["go.mod"] = required + "\nrequire " + modulePath + " v0.0.0\n\nreplace " + modulePath + " => " + strconv.Quote(filepath.ToSlash(root)) + "\n"
	dir = t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

// goIn runs the go command in a directory. Nothing is downloaded.
func goIn(t *testing.T, dir string, args ...string) (output string) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	run := exec.CommandContext(t.Context(), "go", args...)
	run.Dir = dir
	run.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "GO111MODULE=on")
	out, err := run.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

// TestReadmeNumbers takes each number that README gives for a case from docs/benchmarks.md. Run
// with PEGBOARD_UPDATE=1 to write them anew.
func TestReadmeNumbers(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/benchmarks.md")
	require.NoError(t, err)
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	medians := map[string]string{}
	for line := range strings.Lines(string(page)) {
		if cells := strings.Split(line, "|"); firstCell(line) != "" {
			medians[firstCell(line)] = strings.TrimSpace(cells[2])
		}
		if cells := strings.Split(line, "|"); len(cells) > 4 { // the floor of a case stands in its row
			medians[strings.TrimSpace(cells[3])] = strings.TrimSpace(cells[4])
		}
	}
	cases := 0
	want := regexp.MustCompile("`([A-Z]?[\\w-]+/?[\\w-]*)` \\d+(?:\\.\\d+)? (?:ns|µs|ms|s)\\b").ReplaceAllStringFunc(string(readme), func(text string) string {
		name := strings.Split(text, "`")[1]
		require.Contains(t, medians, name, "docs/benchmarks.md has no such case")
		cases++
		return "`" + name + "` " + medians[name]
	})
	require.GreaterOrEqual(t, cases, 12, "six numbers, each beside another")
	if os.Getenv("PEGBOARD_UPDATE") != "" {
		require.NoError(t, os.WriteFile("README.md", []byte(want), 0o644)) //nolint:gosec // a document
		return
	}
	require.Equal(t, want, string(readme), "run PEGBOARD_UPDATE=1 go test -run TestReadmeNumbers ./internal/housetest")
}

// firstCell returns what stands in the first cell of a row, or nothing.
func firstCell(line string) string {
	cells := strings.Split(line, "|")
	if len(cells) < 3 || cells[0] != "" {
		return ""
	}
	return strings.TrimSpace(cells[1])
}

// TestReadmeNamesTestsOfTheTree looks for each test that README names as a proof.
func TestReadmeNamesTestsOfTheTree(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	named := regexp.MustCompile("`((?:Test|Fuzz)[A-Z]\\w*)`").FindAllStringSubmatch(string(readme), -1)
	require.GreaterOrEqual(t, len(named), 20)
	there := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	require.NoError(t, filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		code, err := os.ReadFile(path)
		for _, match := range declared.FindAllSubmatch(code, -1) {
			there[string(match[1])] = true
		}
		return err
	}))
	for _, name := range named {
		require.True(t, there[name[1]], "README names %s, and there is no such test", name[1])
	}
}

// TestLocksStandInTheirOrder holds the tables of docs/concurrency.md against the mutexes of
// the engine, of the MCP bridge, of the agents, of the skills and of the workflows: none is missing, and none is listed that is gone.
func TestLocksStandInTheirOrder(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("docs/concurrency.md")
	require.NoError(t, err)
	files, err := parseModule(os.DirFS("."))
	require.NoError(t, err)
	tests := []struct {
		table string // its first cell
		holds func(goFile) bool
	}{
		{table: "lock", holds: func(f goFile) bool { return f.folder == "." || engineFolders[f.folder] }},
		{table: "lock of `tools/mcp`", holds: func(f goFile) bool { return f.below("tools/mcp") }},
		{table: "lock of `tools/skills`", holds: func(f goFile) bool { return f.below("tools/skills") }},
		{table: "lock of `tools/workflow`", holds: func(f goFile) bool { return f.below("tools/workflow") }},
		{table: "lock of `tools/agents`", holds: func(f goFile) bool { return f.below("tools/agents") }},
	}
	for _, tt := range tests {
		t.Run(tt.table, func(t *testing.T) {
			t.Parallel()
			locks := map[string]bool{}
			for _, file := range files {
				if tt.holds(file) {
					maps.Copy(locks, mutexFields(file))
				}
			}
			require.Equal(t, listedLocks(t, string(text), tt.table), locks)
		})
	}
}

// listedLocks returns the names in the first column of a table of locks.
func listedLocks(t *testing.T, text, first string) map[string]bool {
	t.Helper()
	_, table, found := strings.Cut(text, "| "+first+" | guards | held while |\n")
	require.True(t, found)
	listed := map[string]bool{}
	for row := range strings.Lines(table) {
		if !strings.HasPrefix(row, "|") {
			break
		}
		names := strings.Split(row, "|")[1]
		for i, name := range strings.Split(names, "`") {
			if i%2 == 1 && name != "Closers.turn" {
				listed[name] = true
			}
		}
	}
	delete(listed, "values.init") // a map of locks
	return listed
}

// engineFolders are the internal packages whose locks the engine holds together
// with its own.
var engineFolders = map[string]bool{
	"policy": true, "internal/lane": true, "internal/lifetime": true, "internal/asking": true, "internal/breaker": true, "internal/throttle": true,
}

// mutexFields yields the fields of structs that are mutexes, as Type.field.
func mutexFields(file goFile) map[string]bool {
	fields := map[string]bool{}
	for n := range ast.Preorder(file.syntax) {
		declared, ok := n.(*ast.TypeSpec)
		if !ok {
			continue
		}
		structure, ok := declared.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, field := range structure.Fields.List {
			selector, ok := field.Type.(*ast.SelectorExpr)
			if !ok {
				continue
			}
			switch qualifierOf(selector) + "." + selector.Sel.Name {
			case "lock.Mutex", "sync.Mutex", "sync.RWMutex":
				for _, name := range field.Names {
					fields[declared.Name.Name+"."+name.Name] = true
				}
			}
		}
	}
	return fields
}

// quoteMark stands above a Go block of a document. It names a file, and the declarations
// of it that the block shows; without names, the block shows all of the file from the
// package clause on.
var quoteMark = regexp.MustCompile(`<!-- quote (\S+\.go)((?: \w+)*) -->\n` + "```go\n((?s:.*?))```\n")

// withQuotes returns a document whose blocks show the code as it is now, and the number
// of those blocks.
func withQuotes(t *testing.T, document string) (text string, blocks int) {
	t.Helper()
	text = quoteMark.ReplaceAllStringFunc(document, func(block string) string {
		blocks++
		mark := quoteMark.FindStringSubmatch(block)
		head, _, _ := strings.Cut(block, "```go\n")
		return head + "```go\n" + quotedCode(t, mark[1], strings.Fields(mark[2])...) + "```\n"
	})
	return text, blocks
}

// quotedCode returns the source of the named top-level declarations with their comments,
// or all of the file from the package clause on.
func quotedCode(t *testing.T, path string, names ...string) string {
	t.Helper()
	src, err := os.ReadFile(path)
	require.NoError(t, err)
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, src, parser.ParseComments)
	require.NoError(t, err)
	if len(names) == 0 {
		return string(src[fset.Position(file.Package).Offset:])
	}
	var parts []string
	for _, name := range names {
		i := slices.IndexFunc(file.Decls, func(d ast.Decl) bool { return declares(d, name) })
		require.GreaterOrEqual(t, i, 0, "%s has no declaration of %s, which a document quotes", path, name)
		d := file.Decls[i]
		start := d.Pos()
		if doc := commentOf(d); doc != nil {
			start = doc.Pos()
		}
		parts = append(parts, string(src[fset.Position(start).Offset:fset.Position(d.End()).Offset])+"\n")
	}
	return strings.Join(parts, "\n")
}

func commentOf(d ast.Decl) *ast.CommentGroup {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Doc
	case *ast.GenDecl:
		return d.Doc
	}
	return nil
}

// declares reports whether d declares the name; a method is named like a function.
func declares(d ast.Decl, name string) bool {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Name.Name == name
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if ts, ok := s.(*ast.TypeSpec); ok && ts.Name.Name == name {
				return true
			}
			if vs, ok := s.(*ast.ValueSpec); ok && vs.Names[0].Name == name {
				return true
			}
		}
	}
	return false
}
