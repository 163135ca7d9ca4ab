package pegboard_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadmeSnippetRunsInAnEmptyModule pastes README's first code block into a module that
// has nothing else, and runs it.
func TestReadmeSnippetRunsInAnEmptyModule(t *testing.T) {
	t.Parallel()
	out := runPasted(t, "README.md", "main.go", "run", ".")
	require.Contains(t, out, "model reads: WriteNote was denied:")
	require.Contains(t, out, "model reads: written")
}

// runPasted pastes the first Go block of a page into a file of an empty module and runs the go
// command there. The module requires this one, by way of a replace directive, and what this
// one requires; nothing is downloaded.
func runPasted(t *testing.T, page, file string, args ...string) (output string) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(text), "```go\n")
	require.True(t, ok, "%s has no Go block", page)
	snippet, _, ok := strings.Cut(rest, "```\n")
	require.True(t, ok, "the Go block of %s does not end", page)

	root, err := os.Getwd()
	require.NoError(t, err)
	mod, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	sum, err := os.ReadFile("go.sum")
	require.NoError(t, err)
	required := regexp.MustCompile(`(?m)^module .*$`).ReplaceAllString(string(mod), "module pasted")
	dir := t.TempDir()
	for name, text := range map[string]string{
		file:     snippet,
		"go.sum": string(sum),
		"go.mod": required + "\nrequire " + modulePath + " v0.0.0\n\nreplace " + modulePath + " => " + strconv.Quote(filepath.ToSlash(root)) + "\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	run := exec.CommandContext(t.Context(), "go", args...)
	run.Dir = dir
	run.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "GO111MODULE=on")
	out, err := run.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

// TestReadmeNumbers takes each row of the tables of numbers from docs/benchmarks.md, and so
// their headings. Run with PEGBOARD_UPDATE=1 to write the rows anew.
func TestReadmeNumbers(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/benchmarks.md")
	require.NoError(t, err)
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	measured := map[string]string{}
	for line := range strings.Lines(string(page)) {
		measured[firstCell(line)] = line
	}
	var want strings.Builder
	rows := 0
	for line := range strings.Lines(string(readme)) {
		name := firstCell(line)
		if regexp.MustCompile(`^[A-Z]\w*/[\w-]+$`).MatchString(name) {
			require.Contains(t, measured, name, "docs/benchmarks.md has no such case")
			line = measured[name]
			rows++
		} else if name == "case" {
			require.Contains(t, string(page), line, "the heading of a table is not that of docs/benchmarks.md")
		}
		want.WriteString(line)
	}
	require.GreaterOrEqual(t, rows, 10)
	if os.Getenv("PEGBOARD_UPDATE") != "" {
		require.NoError(t, os.WriteFile("README.md", []byte(want.String()), 0o644)) //nolint:gosec // a document
		return
	}
	require.Equal(t, want.String(), string(readme), "run PEGBOARD_UPDATE=1 go test -run TestReadmeNumbers .")
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
