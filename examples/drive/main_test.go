package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDrive drives a session with each set of flags and compares all that it prints. With
// PEGBOARD_UPDATE=1 it writes what is expected anew.
func TestDrive(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed, which runs the commands")
	}
	for _, tc := range []struct {
		golden string
		flags  driver
	}{
		{golden: "default", flags: driver{}},
		{golden: "acceptEdits", flags: driver{mode: "acceptEdits"}},
		{golden: "settings", flags: driver{settings: "settings.json", json: true}},
	} {
		t.Run(tc.golden, func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			if tc.flags.settings != "" {
				tc.flags.settings = filepath.Join(dir, ".claude", tc.flags.settings)
				require.NoError(t, os.Mkdir(filepath.Dir(tc.flags.settings), 0o700))
				require.NoError(t, os.WriteFile(tc.flags.settings, []byte(`{"permissions": {"allow": ["Edit(/**)"], "deny": ["Bash(make:*)"]}}`), 0o600))
			}
			tc.flags.dir = dir
			calls, err := os.Open(filepath.Join("testdata", "calls.jsonl"))
			require.NoError(t, err)
			defer calls.Close()
			var out strings.Builder
			require.NoError(t, tc.flags.run(t.Context(), calls, &out))
			got := strings.ReplaceAll(out.String(), dir, "DIR")
			golden := filepath.Join("testdata", tc.golden+".golden")
			if os.Getenv("PEGBOARD_UPDATE") != "" {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o644)) //nolint:gosec // test data
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), got)
		})
	}
}

// TestDriveRefusesWhatIsNoCall, and names the line.
func TestDriveRefusesWhatIsNoCall(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, in, err string }{
		{name: "no JSON", in: "\n{}\nRead go.mod\n", err: "message 2: invalid character"},
		{name: "another member", in: `{"name": "Read", "arguments": {}}`, err: `message 1: json: unknown field "arguments"`},
		{name: "two calls without a list", in: `{"name": "Read"} {"name": "Read"}`, err: "message 1: invalid character"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			err := driver{dir: t.TempDir()}.run(t.Context(), strings.NewReader(tc.in), &strings.Builder{})
			require.ErrorContains(t, err, tc.err)
		})
	}
}
