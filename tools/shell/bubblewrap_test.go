package shell_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// needBubblewrap skips a test where the program is missing or is not permitted to make
// namespaces.
func needBubblewrap(t *testing.T) {
	t.Helper()
	needBash(t)
	if err := (shell.Bubblewrap{}).Check(t.Context()); err != nil {
		t.Skipf("there is no sandbox to test: %v", err)
	}
}

// A jail is a session whose commands run in bwrap, with a home directory around it.
type jail struct {
	*testing.T
	home    string
	session *pegboard.Session
	options shell.Options
}

// visibleDir returns a new directory that a command in the sandbox sees: none of those for
// temporary files.
func visibleDir(t *testing.T) string {
	t.Helper()
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	for _, parent := range []string{home, "."} {
		parent, err := filepath.Abs(parent)
		require.NoError(t, err)
		parent, err = filepath.EvalSymlinks(parent)
		require.NoError(t, err)
		if slices.ContainsFunc([]string{"/tmp", "/var/tmp", "/run", os.TempDir()}, func(emptied string) bool { return strings.HasPrefix(parent+"/", emptied+"/") }) {
			continue
		}
		if dir, err := os.MkdirTemp(parent, ".sandbox-test-"); err == nil { //nolint:usetesting // the one of the test is in /tmp
			t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
			return dir
		}
	}
	t.Skip("there is no directory to write to but those for temporary files, which the sandbox empties")
	return ""
}

// newJail returns a jail. Its session asks nobody.
func newJail(t *testing.T, b shell.Bubblewrap, set policy.RuleSet) *jail {
	t.Helper()
	needBubblewrap(t)
	home := visibleDir(t)
	j := &jail{T: t, home: home, options: shell.Options{Sandbox: b}}
	for _, dir := range []string{"work", "out", ".ssh"} {
		require.NoError(t, os.Mkdir(filepath.Join(home, dir), 0o700))
	}
	j.write(".ssh/key", "the key")
	j.write("out/old", "old")
	j.session = j.sessionIn("work", set)
	return j
}

// sessionIn returns a session in a directory of the home directory.
func (j *jail) sessionIn(dir string, set policy.RuleSet) *pegboard.Session {
	j.Helper()
	perms, err := policy.New(policy.ModeDefault, set)
	require.NoError(j, err)
	s, err := pegboard.NewSession(pegboard.SessionConfig{
		Dir: filepath.Join(j.home, dir), Home: j.home, Permissions: perms, Breaker: pegboard.BreakerLimits{Repeats: -1, Denials: -1},
	})
	require.NoError(j, err)
	j.Cleanup(func() { require.NoError(j, s.Close(context.Background())) })
	return s
}

func (j *jail) write(name, text string) {
	j.Helper()
	path := filepath.Join(j.home, name)
	require.NoError(j, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(j, os.WriteFile(path, []byte(text), 0o600))
}

// read returns the content of a file, or "" if there is none.
func (j *jail) read(name string) string {
	data, _ := os.ReadFile(filepath.Join(j.home, name))
	return strings.TrimSpace(string(data))
}

// run returns the text for the model of a command in which H stands for the home directory.
func (j *jail) run(line string) string {
	j.Helper()
	out := bash(j.T, j.session, j.options, fmt.Sprintf(`{"command":%q}`, strings.ReplaceAll(line, "H/", j.home+"/")))
	if out.Err != nil {
		return "not run: " + out.Err.Error()
	}
	return strings.ReplaceAll(out.Result.Text(), j.home, "H")
}

// runHidden is run for a line in a script, so that no rule can see what it does.
func (j *jail) runHidden(line string) string {
	j.Helper()
	j.write("work/line.sh", strings.ReplaceAll(line, "H/", j.home+"/"))
	return j.run("bash line.sh")
}

// TestBubblewrapKeepsACommandInside, whatever a program does that a line runs.
func TestBubblewrapKeepsACommandInside(t *testing.T) {
	t.Parallel()
	j := newJail(t, shell.Bubblewrap{}, policy.RuleSet{Deny: []string{"Read(./denied/**)", "Edit(./kept/**)"}})
	for name, text := range map[string]string{"work/denied/f": "a secret", "work/kept/f": "kept", "work/.envrc": "trusted", "work/.git/config": "[core]\n", "work/.git/HEAD": "ref: refs/heads/main"} {
		j.write(name, text)
	}
	socket := filepath.Join(tempDir(t), "s")
	listener, err := net.Listen("unix", socket)
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	for _, tc := range []struct{ name, line, says, not string }{
		{name: "writes in the working directory", line: "echo new >H/work/made && cat H/work/made", says: "new"},
		{name: "not beside it", line: "echo bad >H/out/new", says: "Read-only file system"},
		{name: "not what is there", line: "echo bad >H/out/old", says: "Read-only file system"},
		{name: "not in the home directory", line: "echo bad >H/.bashrc", says: "Read-only file system"},
		{name: "sees what lies outside", line: "cat H/out/old", says: "old"},
		{name: "but no credentials", line: "cat H/.ssh/key", says: "No such file", not: "the key"},
		{name: "and not what a rule denies", line: "cat H/work/denied/f", says: "No such file", not: "a secret"},
		{name: "nor by moving what it is in", line: "mv H/work/denied H/work/d; cat H/work/d/f", says: "busy", not: "a secret"},
		{name: "what a rule keeps stays", line: "echo bad >H/work/kept/f", says: "Read-only file system"},
		{name: "what others trust stays", line: "echo bad >H/work/.envrc", says: "Read-only file system"},
		{name: "and cannot be replaced", line: "mv H/work/.envrc H/work/e", says: "busy"},
		{name: "the hooks of git stay", line: "echo bad >H/work/.git/hooks/pre-commit", says: "Read-only file system"},
		{name: "its configuration stays", line: "echo bad >H/work/.git/config", says: "Read-only file system"},
		{name: "the repository cannot be replaced", line: "mv H/work/.git H/work/.g", says: "busy"},
		{name: "git can write the rest", line: "echo x >H/work/.git/index && echo fine", says: "fine"},
		{name: "not with namespaces of its own", line: "unshare -Urm sh -c 'umount H/.ssh; cat H/.ssh/key; mount -o remount,bind,rw /; echo bad >H/out/old'", not: "the key"},
		{name: "no network", line: "exec 3<>/dev/tcp/1.1.1.1/80", says: "nreachable"},
		{name: "no sockets of others", line: "ls -A /run /var/tmp " + filepath.Dir(socket), says: "No such file"},
		{name: "no other processes", line: "ls -d /proc/[0-9]* | wc -l", not: "00"},
		{name: "temporary files stay for the next command", line: "echo kept >/tmp/pegboard-left", not: "refused"},
		{name: "which finds them", line: "cat /tmp/pegboard-left", says: "kept"},
	} {
		text := j.runHidden(tc.line)
		require.Contains(t, text, tc.says, "%s: %s", tc.name, text)
		if tc.not != "" {
			require.NotContains(t, text, tc.not, tc.name)
		}
	}
	require.Equal(t, "new", j.read("work/made"))
	for name, want := range map[string]string{
		"out/new": "", "out/old": "old", ".bashrc": "", "work/kept/f": "kept", "work/.envrc": "trusted", "work/.git/config": "[core]",
		"work/.git/hooks/pre-commit": "", "work/.git/index": "x",
	} {
		require.Equal(t, want, j.read(name), name)
	}
	require.NoFileExists(t, "/tmp/pegboard-left")
}

// TestBubblewrapLetsWorkBeDone: what was decided can be written, and everyday lines work.
func TestBubblewrapLetsWorkBeDone(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed, which has repositories and work trees")
	}
	j := newJail(t, shell.Bubblewrap{Write: []string{"~/cache"}}, policy.RuleSet{Allow: []string{"Bash", "Edit(~/out/**)", "Read(~/.ssh/**)"}})
	j.write("cache/f", "")
	git := "git -c user.name=a -c user.email=a@b.c "
	for _, tc := range []struct{ line, says, not string }{
		{line: "echo made >H/out/new; cat H/out/new", says: "made", not: "not run"},
		{line: "cp H/out/old H/out/new", not: "refused"},
		{line: "cat H/.ssh/key", says: "the key", not: "not run"},
		{line: "cat H/.ssh/key; ls H/.ssh", says: "the key"},
		{line: "mkdir sub; cd sub", not: "refused"},
		{line: "pwd", says: "H/work/sub"},
		{line: "cd ..", not: "refused"},
		{line: "echo 'echo from a script' >/tmp/pegboard-s.sh; bash /tmp/pegboard-s.sh", says: "from a script"},
		{line: "exit 3", says: "Exit code 3."},
		{line: "setsid sleep 1000 & echo begun", says: "begun"},
		{line: "kill -TERM $$", says: "143"},
	} {
		text := j.run(tc.line)
		require.Contains(t, text, tc.says, tc.line)
		if tc.not != "" {
			require.NotContains(t, text, tc.not, tc.line)
		}
	}
	require.Equal(t, "old", j.read("out/new"))
	j.runHidden("echo cached >H/cache/f")
	require.Equal(t, "cached", j.read("cache/f"))

	require.NoError(t, exec.CommandContext(t.Context(), "git", "-C", j.home, "init", "-q", "repo").Run())
	for _, line := range []string{"commit -q --allow-empty -m one", "worktree add -q ../linked"} {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", git+line)
		cmd.Dir = filepath.Join(j.home, "repo")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	for _, name := range []string{"repo", "linked"} {
		j.session = j.sessionIn(name, policy.RuleSet{Allow: []string{"Bash"}})
		require.NotContains(t, j.run("echo x >f; git add f; "+git+"commit -q -m two && git log --oneline | wc -l"), "refused")
		require.Contains(t, j.run("git log --oneline"), "two")
		require.Contains(t, j.run("sh -c 'git config core.fsmonitor ./evil'"), "refused", "git would run it")
	}
}

// TestSandboxedCommandsRemoveAndReplaceFilesThatTheyName: everyday lines about files that exist,
// and directories, in a working directory.
func TestSandboxedCommandsRemoveAndReplaceFilesThatTheyName(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed, whose commands are among the lines")
	}
	j := newJail(t, shell.Bubblewrap{}, policy.RuleSet{Allow: []string{"Bash"}})
	git := func(args ...string) {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", filepath.Join(j.home, "work"), "-c", "user.name=a", "-c", "user.email=a@b.c"}, args...)...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	for i := range 12 {
		j.write(fmt.Sprintf("work/f%d", i), "one\ntwo\n")
		j.write(fmt.Sprintf("work/t%d", i), "one\n")
	}
	require.NoError(t, os.MkdirAll(filepath.Join(j.home, "work/dir/sub"), 0o700))
	j.write("work/dir/x", "x")
	git("init", "-q")
	git("add", "t0", "t1", "t2", "t3", "t4", "t5")
	git("commit", "-q", "-m", "one")
	for _, line := range []string{
		"rm f0", "rm -f f1", "mv f2 g2", "mv -f f3 f4", "sed -i s/one/1/ f4", "sed -i.bak s/two/2/ f5", "cp f5 f6", "cp -f f5 f6", "unlink f6",
		"git mv t0 u0", "git rm -q t1", "git rm -q -f t2", "git checkout -q -- t3", "git restore t4", "perl -pi -e s/one/1/ f7", "truncate -s 0 f8",
		"ln -sf f8 f9", "touch f10", "tee f10 <f11", "install -m 600 f10 f11", "rm -r dir/sub", "mv dir moved", "rmdir moved/none || rm -rf moved", "sort -o f11 f11",
	} {
		text := j.run(line)
		require.NotContains(t, text, "sandbox refused", line)
		require.NotContains(t, text, "busy", line)
		require.NotContains(t, text, "not run", line)
	}
	require.NoFileExists(t, filepath.Join(j.home, "work/f0"))
	require.Equal(t, "1\ntwo", j.read("work/f4"))
	require.Contains(t, j.run("sh -c 'mv .git .g'"), "refused", "what is kept cannot be moved out of the way")
}

// TestBubblewrapAsksToLeave: what it has refused runs again without it if the user allows it.
func TestBubblewrapAsksToLeave(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		answer policy.Behavior
		want   string
		says   string
	}{
		{answer: policy.Allow, want: "bad", says: "The user allowed it, and it was run again from its beginning without the sandbox."},
		{answer: policy.Deny, says: "It was not run again without the sandbox"},
	} {
		t.Run(tc.answer.String(), func(t *testing.T) {
			t.Parallel()
			j := newJail(t, shell.Bubblewrap{}, policy.RuleSet{})
			var reasons []string
			var err error
			j.session, err = pegboard.NewSession(pegboard.SessionConfig{Dir: filepath.Join(j.home, "work"), Home: j.home, Ask: func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
				reasons = append(reasons, q.Reason)
				return policy.Decision{Behavior: tc.answer}, nil
			}})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, j.session.Close(context.Background())) })
			require.Contains(t, j.runHidden("echo bad >H/out/new"), tc.says)
			require.Len(t, reasons, 1, "the command itself needs no permission")
			require.Contains(t, reasons[0], "Read-only file system); it may have run in part")
			require.Equal(t, tc.want, j.read("out/new"))
		})
	}
}

// TestBubblewrapEndsWithItsSession: no process of a command and no file for its /tmp stays,
// whatever the command does to keep them. TestMain looks for processes.
func TestBubblewrapEndsWithItsSession(t *testing.T) {
	t.Parallel()
	j := newJail(t, shell.Bubblewrap{}, policy.RuleSet{})
	name := filepath.Base(j.home) // no other test has a file of that name
	j.write("work/line.sh", "mkdir -p /tmp/a/b; : >/tmp/a/b/"+name+"; chmod 500 /tmp/a/b; setsid sh -c 'while :; do : >/tmp/f$$; done' & echo up >up; sleep 1000")
	out := bash(t, j.session, j.options, `{"command":"bash line.sh","run_in_background":true}`)
	require.NoError(t, out.Err)
	require.Eventually(t, func() bool { return j.read("work/up") == "up" }, soon, 5*time.Millisecond)
	require.NoError(t, j.session.Close(t.Context()))
	temps, err := filepath.Glob(filepath.Join(os.TempDir(), "pegboard-sandbox-*", "a", "b", name))
	require.NoError(t, err)
	require.Empty(t, temps)
}
