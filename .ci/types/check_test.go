package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCheck finds what only some systems refuse, in code and in tests.
func TestCheck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":         "module example.org/m\n\ngo 1.26\n",
		"a.go":           "package m\n\nimport \"net/http\"\n\nvar Client http.Client\n",
		"a_windows.go":   "package m\n\nfunc only() int { return missing }\n",
		"a_test.go":      "package m\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { var n int = 1 << 40; t.Log(n, Client) }\n",
		"out_test.go":    "package m_test\n\nimport (\n\t\"testing\"\n\n\t\"example.org/m\"\n)\n\nfunc TestB(t *testing.T) { t.Log(m.Client, m.None) }\n",
		"inner/inner.go": "package inner\n\nimport _ \"example.org/m\"\n",
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	for target, want := range map[[2]string][]string{
		{"linux", "amd64"}:   {"undefined: m.None"},
		{"linux", "386"}:     {"cannot use 1 << 40", "undefined: m.None"},
		{"windows", "amd64"}: {"undefined: missing", "undefined: missing", "undefined: m.None"}, // once more with its tests
	} {
		problems, checked, err := check(dir, target[0], target[1])
		require.NoError(t, err)
		require.Equal(t, 4, checked, "two packages, and the first with each kind of tests")
		require.Len(t, problems, len(want), "%v: %v", target, problems)
		for i, text := range want {
			require.ErrorContains(t, problems[i], text, "%v", target)
		}
	}
	_, _, err := check(dir, "linux", "abacus")
	require.Error(t, err)
}
