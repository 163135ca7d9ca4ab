package shell_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/script"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/shell"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// fakePwsh is a program in the place of PowerShell, which prints its arguments and
// ends with a code. It says nothing of how PowerShell reads a
// line; TestRealPowerShell does.
func fakePwsh(t *testing.T, code int) shell.Options {
	t.Helper()
	needBash(t)
	name := filepath.Join(t.TempDir(), "pwsh")
	script.Write(t, name, fmt.Sprintf("#!/bin/bash\nprintf '<%%s>' \"$@\"\nexit %d\n", code))
	return shell.Options{Shell: []string{name, "-NoProfile", "-NonInteractive", "-Command"}}
}

func powerShell(t *testing.T, s *pegboard.Session, o shell.Options, command string) pegboard.Outcome {
	t.Helper()
	var ex pegboard.Executor
	return ex.Run(t.Context(), poolOf(t, s, shell.PowerShell(o)), pegboard.Call{Name: "PowerShell", Input: []byte(fmt.Sprintf(`{"command":%s}`, jsonOf(t, command)))})[0]
}

func TestPowerShellRunsOneCommandLine(t *testing.T) {
	t.Parallel()
	s := session(t, t.TempDir(), "PowerShell")
	out := powerShell(t, s, fakePwsh(t, 0), "Get-ChildItem 'a b'")
	require.Contains(t, outputOf(t, out).Stdout, "<-NoProfile><-NonInteractive><-Command><Get-ChildItem 'a b'\n")
	require.NoError(t, tooltest.Check(shell.PowerShell(shell.Options{}), `{"command":"Get-ChildItem"}`, `{"command":"make","run_in_background":true}`))
}

func TestPowerShellExitCodes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		command string
		code    int
		fails   bool
	}{
		{command: "findstr a b", code: 1},
		{command: "FindStr.exe a b", code: 1},
		{command: "findstr a b", code: 2, fails: true},
		{command: "git diff --exit-code", code: 1},
		{command: "rg a", code: 1},
		{command: "diff a b", code: 1, fails: true}, // on Windows alone
		{command: "robocopy a b", code: 7},
		{command: "robocopy a b", code: 8, fails: true},
		{command: "Get-ChildItem", code: 1, fails: true},
	} {
		t.Run(fmt.Sprint(tc.command, tc.code), func(t *testing.T) {
			t.Parallel()
			s := session(t, t.TempDir(), "PowerShell")
			out := powerShell(t, s, fakePwsh(t, tc.code), tc.command)
			require.NoError(t, out.Err)
			require.Equal(t, tc.fails, out.Result.IsError, out.Result.Text())
		})
	}
}

// TestPowerShellRefusesWhatNobodyMayAllow, in the mode that allows all else as well.
func TestPowerShellRefusesWhatNobodyMayAllow(t *testing.T) {
	t.Parallel()
	for _, mode := range []policy.Mode{policy.ModeDefault, policy.ModeBypass} {
		perms, err := policy.New(mode, policy.RuleSet{Allow: []string{"PowerShell"}})
		require.NoError(t, err)
		s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir(), Permissions: perms})
		require.NoError(t, err)
		o := fakePwsh(t, 0)
		for _, command := range []string{`Remove-Item -Recurse C:\`, `rm -r C:\Windows`, `Write-Output hello; ri -Recurse -Force C:\`} {
			require.ErrorIs(t, powerShell(t, s, o, command).Err, pegboard.ErrDenied, command)
		}
		require.NoError(t, powerShell(t, s, o, "Write-Output hello").Err)
		require.NoError(t, s.Close(t.Context()))
	}
}

// TestRealPowerShell is skipped where there is none.
func TestRealPowerShell(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("pwsh"); err != nil {
		t.Skip("pwsh is not installed: exit codes and quoting were not seen with the real one")
	}
	for _, tc := range []struct {
		command, want string
		code          int
	}{
		{command: "Write-Output hello", want: "hello"},
		{command: "'a'; exit 3", want: "a", code: 3},
		{command: "Write-Output a # a comment", want: "a"},
		{command: "bash -c 'exit 7'", code: 7},
		{command: "bash -c 'exit 7'; 'on'", want: "on"},
	} {
		s := session(t, t.TempDir(), "PowerShell")
		got := outputOf(t, powerShell(t, s, shell.Options{}, tc.command))
		require.Equal(t, tc.want, got.Stdout, tc.command)
		require.Equal(t, tc.code, got.ExitCode, tc.command)
	}
}
