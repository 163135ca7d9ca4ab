package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRun runs calls with each set of flags, and compares all that is printed.
func TestRun(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed, which runs the commands")
	}
	calls, err := os.ReadFile(filepath.Join("testdata", "run", "calls.jsonl"))
	require.NoError(t, err)
	for _, tc := range []struct {
		golden string
		flags  []string
	}{
		{golden: "default"},
		{golden: "acceptEdits", flags: []string{"-mode", "acceptEdits"}},
		{golden: "settings", flags: []string{"-trust", "-json"}},
		{golden: "yes", flags: []string{"-yes"}},
	} {
		t.Run(tc.golden, func(t *testing.T) {
			t.Parallel()
			s := newShop(t, map[string]string{"project/.claude/settings.json": `{"permissions": {"allow": ["Edit(/**)"], "deny": ["Bash(make:*)"]}}`})
			out, status := s.run(t, string(calls), append([]string{"run"}, tc.flags...)...)
			require.Zero(t, status, out)
			same(t, filepath.Join("testdata", "run", tc.golden+".golden"), out)
		})
	}
}

// TestRunRefusesWhatIsNoCall, and names the line.
func TestRunRefusesWhatIsNoCall(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, in, err string }{
		{name: "nothing", in: "\n", err: "no call on standard input"},
		{name: "no JSON", in: "\n{}\nRead go.mod\n", err: "message 2: invalid character"},
		{name: "another member", in: `{"name": "Read", "arguments": {}}`, err: `message 1: json: unknown field "arguments"`},
		{name: "two calls without a list", in: `{"name": "Read"} {"name": "Read"}`, err: "message 1: invalid character"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			out, status := newShop(t, nil).run(t, tc.in, "run")
			require.Equal(t, statusFailed, status)
			require.Contains(t, out, tc.err)
		})
	}
}
