package shell_test

import (
	"fmt"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// TestExitCodesThatAreAnswers: 1 of some programs, if they are the last of the line.
func TestExitCodesThatAreAnswers(t *testing.T) {
	t.Parallel()
	needBash(t)
	for _, tc := range []struct {
		command string
		meaning string
		code    int
	}{
		{command: "echo a | grep b", meaning: "nothing matched", code: 1},
		{command: "echo a | egrep b 2>/dev/null", meaning: "nothing matched", code: 1},
		{command: "echo a | timeout 5 fgrep b 2>/dev/null", meaning: "nothing matched", code: 1},
		{command: "x=$(echo a | grep b)", code: 1},
		{command: "echo a; test -f none", meaning: "the condition is false", code: 1},
		{command: "[ 1 = 2 ]", meaning: "the condition is false", code: 1},
		{command: "diff <(echo 1) <(echo 2) > c", meaning: "the files differ", code: 1},
		{command: "git diff --no-index --no-ext-diff /dev/null empty", code: 1, meaning: "there are differences"},
		{command: "git -C . --no-pager grep --no-index nothinglikethis", code: 1, meaning: "nothing matched"},
		{command: "grep b none", code: 2},
		{command: "diff --no-such-option", code: 2},
		{command: "echo a | grep b || false", code: 1},
		{command: "set -o pipefail; echo a | grep b | cat", code: 1},
		{command: "false", code: 1},
		{command: "cd . && echo a | grep b", meaning: "nothing matched", code: 1},
		{command: "test -f none && grep x empty", meaning: "nothing matched", code: 1},
		{command: "false; echo a | grep b", meaning: "nothing matched", code: 1},
		{command: "false || grep b empty", meaning: "nothing matched", code: 1},
		{command: "find . ! -name empty | grep b", meaning: "nothing matched", code: 1},
		{command: "false && grep b empty", code: 1},
		{command: "! grep x empty", code: 1},
		{command: "if ! grep b empty; then ! grep x empty; fi", code: 1},
		{command: "set -e; false; grep b empty", code: 1},
		{command: "set -o pipefail; false | grep -c x empty", code: 1},
		{command: "test -f empty && exit 1; grep b empty", code: 1},
		{command: "git log 2>/dev/null", code: 128},
	} {
		t.Run(tc.command, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath("git"); err != nil {
				t.Skip("git is not installed")
			}
			s := session(t, t.TempDir(), "Bash", "Read(//dev/null)", "Edit")
			out := bash(t, s, shell.Options{}, fmt.Sprintf(`{"command":%s}`, jsonOf(t, "echo x > empty; "+tc.command)))
			got := outputOf(t, out)
			require.Equal(t, tc.code, got.ExitCode, out.Result.Text())
			require.Equal(t, tc.meaning, got.ReturnCodeInterpretation)
			require.Equal(t, tc.meaning == "", out.Result.IsError)
		})
	}
}

// TestFailureStopsSiblings: the calls beside a command that failed are not run, if the
// executor is told so, and an exit code that is an answer is no failure.
func TestFailureStopsSiblings(t *testing.T) {
	t.Parallel()
	needBash(t)
	for _, tc := range []struct {
		name, command  string
		cancelSiblings bool
		want           error
	}{
		{name: "by default they are apart", command: "false"},
		{name: "a failure", command: "false", cancelSiblings: true, want: pegboard.ErrSiblingFailed},
		{name: "an answer", command: "echo a | grep b", cancelSiblings: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			pool := poolOf(t, session(t, t.TempDir(), "Bash", "Edit"), shell.Bash(shell.Options{}))
			ex := pegboard.Executor{CancelSiblings: tc.cancelSiblings}
			outs := ex.Run(t.Context(), pool,
				pegboard.Call{ID: "1", Name: "Bash", Input: fmt.Appendf(nil, `{"command":%s}`, jsonOf(t, tc.command))},
				pegboard.Call{ID: "2", Name: "Bash", Input: []byte(`{"command":"touch after"}`)})
			require.ErrorIs(t, outs[1].Err, tc.want)
		})
	}
}
