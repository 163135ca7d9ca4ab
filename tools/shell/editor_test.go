package shell_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/script"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// repository returns a directory with a repository of three commits, whose configuration
// names an editor that never ends.
func repository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := tempDir(t)
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"config", "user.email", "a@example.com"}, {"config", "user.name", "A"},
		{"config", "core.editor", "sleep 1000"}, {"config", "sequence.editor", "sleep 1000"},
		{"commit", "-q", "--allow-empty", "-m", "one"}, {"commit", "-q", "--allow-empty", "-m", "two"}, {"commit", "-q", "--allow-empty", "-m", "three"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		text, err := cmd.CombinedOutput()
		require.NoError(t, err, string(text))
	}
	return dir
}

// TestNoEditorIsWaitedFor: what opens an editor ends at once and says what to do instead,
// and what it says works.
func TestNoEditorIsWaitedFor(t *testing.T) {
	t.Parallel()
	needBash(t)
	tests := []struct {
		name, command string
		instead       []string // what is advised
	}{
		{name: "amend", command: "git commit --amend --allow-empty", instead: []string{
			"git commit --amend --allow-empty -m other", "echo text | git commit --amend --allow-empty -F -", "git commit --amend --allow-empty --no-edit",
			"GIT_EDITOR=true git commit --amend --allow-empty", "git -c core.editor=true commit --amend --allow-empty",
		}},
		{name: "commit", command: "git commit --allow-empty", instead: []string{"git commit --allow-empty -m text"}},
		{name: "tag", command: "git tag -a v1", instead: []string{"git tag -a v1 -m text"}},
		{name: "rebase", command: "git rebase -i HEAD~2", instead: []string{
			"GIT_SEQUENCE_EDITOR='sed -i -e 1s/pick/drop/' git rebase -i HEAD~2", "git -c sequence.editor=true rebase -i HEAD~1",
		}},
		{name: "any other program", command: `"$EDITOR" file`},
		{name: "any other program that looks for the other", command: `"$VISUAL" file`},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, repository(t), "Bash")
			out := bash(t, s, shell.Options{}, fmt.Sprintf(`{"command":%s}`, jsonOf(t, tc.command)))
			require.True(t, out.Result.IsError)
			got := outputOf(t, out)
			require.Zero(t, got.TimedOutAfterMS)
			require.Equal(t, 1, got.ExitCode, out.Result.Text())
			if tc.instead != nil {
				require.Contains(t, out.Result.Text(), "no editor here")
			}
			for _, line := range tc.instead {
				out := bash(t, s, shell.Options{}, fmt.Sprintf(`{"command":%s}`, jsonOf(t, line)))
				require.False(t, out.Result.IsError, "%s: %s", line, out.Result.Text())
			}
		})
	}
}

// TestAHostsOwnEditorStays where it sets the environment itself.
func TestAHostsOwnEditorStays(t *testing.T) {
	t.Parallel()
	needBash(t)
	o := shell.Options{Env: []string{"PATH=" + os.Getenv("PATH"), "GIT_EDITOR=mine"}}
	out := bash(t, session(t, tempDir(t), "Bash"), o, `{"command":"echo $GIT_EDITOR $EDITOR $TERM"}`)
	require.Equal(t, "mine false dumb", out.Result.Text())
}

// TestEditorsAreRefused before they wait for keys that nobody presses.
func TestEditorsAreRefused(t *testing.T) {
	t.Parallel()
	needBash(t)
	bin := tempDir(t)
	for _, name := range []string{"vim", "nano", "emacs", "sudo", "apt-get"} { // stand-ins, so that the real ones are not needed
		script.Write(t, filepath.Join(bin, name), "#!/bin/sh\necho ran\n")
	}
	o := shell.Options{Env: []string{"PATH=" + bin + ":" + os.Getenv("PATH")}}
	for _, tc := range []struct {
		command string
		opens   bool
	}{
		{command: "vim file", opens: true},
		{command: "cd . && vim file", opens: true},
		{command: "vim -R file", opens: true},
		{command: "X=1 timeout 5 vim file &", opens: true},
		{command: "sudo vim file", opens: true},
		{command: bin + "/vim file", opens: true},
		{command: "nano file", opens: true},
		{command: "emacs file", opens: true},
		{command: "vim -es -c '%s/a/b/' -c wq file"},
		{command: "vim '+%s/a/b/' +wq file"},
		{command: "vim --version"},
		{command: "emacs --batch -l x.el"},
		{command: "echo vim file; apt-get install vim; type vim"},
		{command: "echo 'to edit: vim file'"},
	} {
		t.Run(tc.command, func(t *testing.T) {
			t.Parallel()
			out := bash(t, session(t, tempDir(t), "Bash"), o, fmt.Sprintf(`{"command":%s}`, jsonOf(t, tc.command)))
			if tc.opens {
				require.ErrorIs(t, out.Err, pegboard.ErrInvalidInput)
				require.Contains(t, out.Result.Text(), "no terminal")
				return
			}
			require.NoError(t, out.Err)
			require.Zero(t, outputOf(t, out).ExitCode, out.Result.Text())
		})
	}
}
