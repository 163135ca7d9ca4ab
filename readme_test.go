package pegboard_test

import (
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
// has nothing else, and runs it. The module requires this one, by way of a replace
// directive, and what this one requires; nothing is downloaded.
func TestReadmeSnippetRunsInAnEmptyModule(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(readme), "```go\n")
	require.True(t, ok, "README has no Go block")
	snippet, _, ok := strings.Cut(rest, "```\n")
	require.True(t, ok, "README's Go block does not end")

	root, err := os.Getwd()
	require.NoError(t, err)
	mod, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	sum, err := os.ReadFile("go.sum")
	require.NoError(t, err)
	required := regexp.MustCompile(`(?m)^module .*$`).ReplaceAllString(string(mod), "module pasted")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"main.go": snippet,
		"go.sum":  string(sum),
		"go.mod":  required + "\nrequire " + modulePath + " v0.0.0\n\nreplace " + modulePath + " => " + strconv.Quote(filepath.ToSlash(root)) + "\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	run := exec.CommandContext(t.Context(), "go", "run", ".")
	run.Dir = dir
	run.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "GO111MODULE=on")
	out, err := run.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "model reads: WriteNote was denied:")
	require.Contains(t, string(out), "model reads: written")
}
