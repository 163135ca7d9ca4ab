package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLint: a real linter, and what the model is told of its findings. The words of the
// linter may change with its releases.
func TestLint(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command, which is the linter")
	}
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out))
	results := strings.Split(out.String(), "\n> ")
	require.Len(t, results, 4)
	const self, format = `\S*main\.go:8:2: [^\n]*self-assignment[^\n]*`, `\S*main\.go:6:\d+: [^\n]*Printf[^\n]*`
	for i, want := range []string{
		`9\t}$`,
		`\nNew problems in the file:\n` + self + `\nProblems that it had before:\n` + format + `$`,
		`9\t}\nProblems that it had before:\n` + format + `$`,
		`9\t}\nThe problems that the file had before are gone\.$`,
	} {
		require.Regexp(t, want, strings.TrimSpace(results[i]))
	}
}
