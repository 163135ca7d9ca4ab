package shell_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/script"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// startupHome returns a home directory with the start-up files of bash and a program in a
// directory that only they add to PATH. Each start is a line of the file starts.
func startupHome(t *testing.T, bashrc string) string {
	t.Helper()
	home := tempDir(t)
	bin := filepath.Join(home, ".versions", "bin")
	require.NoError(t, os.MkdirAll(bin, 0o700))
	script.Write(t, filepath.Join(bin, "managed"), "#!/bin/sh\necho managed\n")
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(home, name), []byte(text), 0o600))
	}
	write(".bash_profile", "echo start >>~/starts\necho noise\necho noise >&2\nexport LOGIN=yes\n")
	write(".bashrc", bashrc)
	return home
}

// startupSession is a session with that home in a project of its own, where all is allowed.
func startupSession(t *testing.T, home string) *pegboard.Session {
	t.Helper()
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Bash", "Monitor"}})
	require.NoError(t, err)
	s, err := pegboard.NewSession(pegboard.SessionConfig{
		Dir: tempDir(t), Home: home, Permissions: perms, Breaker: pegboard.BreakerLimits{Repeats: -1, Denials: -1},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	return s
}

func startupOptions(t *testing.T, more ...string) shell.Options {
	t.Helper()
	needBash(t)
	if runtime.GOOS == "windows" {
		t.Skip("it has no effect there")
	}
	return shell.Options{Startup: true, Env: append([]string{"PATH=" + os.Getenv("PATH"), "SHELL=/bin/bash", "GIVEN=1", mark + "=" + os.Getenv(mark)}, more...)}
}

const usualStartup = `case $- in *i*) ;; *) return ;; esac
export PATH="$HOME/.versions/bin:$PATH" TOOL_HOME=$HOME/.versions EDITOR=vim DEPLOY_TOKEN=secret GIVEN=2
unexported=1
greet() { echo "hello $1, it's me"; }
alias lt='echo listed'
cd() { echo mine; }
alias pwd='echo mine'
sleep 1000 &
`

// TestCommandsHaveTheUsersStartup: PATH, variables, functions and aliases, found out once.
func TestCommandsHaveTheUsersStartup(t *testing.T) { //nolint:tparallel // the commands share a directory
	t.Parallel()
	o := startupOptions(t)
	home := startupHome(t, usualStartup)
	s := startupSession(t, home)
	for _, tc := range []struct{ name, command, want string }{
		{name: "a program of a version manager", command: "managed", want: "managed"},
		{name: "a function", command: "greet you; touch a", want: "hello you, it's me"},
		{name: "an alias", command: "lt; touch a", want: "listed"},
		{name: "with a directory to keep", command: "cd .; greet you; lt; touch a", want: "hello you, it's me\nlisted"},
		{name: "variables", command: `echo "$TOOL_HOME $LOGIN $GIVEN"; touch a`, want: home + "/.versions yes 2"},
		{name: "no secrets, no editor, nothing that was not exported", command: `echo "[$unexported$DEPLOY_TOKEN] $EDITOR"; touch a`, want: "[] false"},
		{name: "builtins are what they were", command: "mkdir -p sub; cd sub; pwd", want: "The working directory is " + filepath.Join(s.Dir(), "sub") + " now.\n" + filepath.Join(s.Dir(), "sub")},
		{name: "and so is the directory", command: "cd ..; pwd; touch a", want: "The working directory is " + s.Dir() + " now.\n" + s.Dir()},
		{name: "no other functions", command: `declare -F | grep -v -w greet; touch a`, want: "(Bash ran and returned nothing)"},
		{name: "a program that is started", command: `bash -c 'echo "$TOOL_HOME"; managed'; touch a`, want: home + "/.versions\nmanaged"},
		{name: "the line is alone", command: `set -u; echo $# $-; : >a`, want: "0 huBc"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.want, bash(t, s, o, fmt.Sprintf(`{"command":%s}`, jsonOf(t, tc.command))).Result.Text())
		})
	}
	requireStarts(t, home, 1)
	left, err := filepath.Glob(filepath.Join(tasksDir(t, s), "*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func requireStarts(t *testing.T, home string, want int) {
	t.Helper()
	starts, err := os.ReadFile(filepath.Join(home, "starts"))
	if want == 0 {
		require.ErrorIs(t, err, fs.ErrNotExist)
		return
	}
	require.NoError(t, err)
	require.Equal(t, want, strings.Count(string(starts), "start\n"))
}

func tasksDir(t *testing.T, s *pegboard.Session) string {
	t.Helper()
	dir, err := background.Of(s).Dir()
	require.NoError(t, err)
	return dir
}

// TestAReadOnlyLineRunsNothingOfTheUsers: it starts no shell and has no alias, but knows the
// PATH that another line has found out.
func TestAReadOnlyLineRunsNothingOfTheUsers(t *testing.T) {
	t.Parallel()
	o := startupOptions(t)
	home := startupHome(t, usualStartup+"ls() { echo replaced; }\nalias cat='echo replaced'\n")
	s := startupSession(t, home)
	require.NoError(t, os.WriteFile(filepath.Join(s.Dir(), "file"), []byte("text\n"), 0o600))
	readOnly := func(where string) {
		require.Equal(t, "file\ntext", bash(t, s, o, `{"command":"ls; cat file"}`).Result.Text())
		require.Equal(t, where, bash(t, s, o, `{"command":"which managed; true"}`).Result.Text())
	}
	readOnly("(Bash ran and returned nothing)")
	requireStarts(t, home, 0)
	require.Equal(t, "replaced\nreplaced file", bash(t, s, o, `{"command":"ls; cat file; touch file"}`).Result.Text())
	requireStarts(t, home, 1)
	readOnly(filepath.Join(home, ".versions", "bin", "managed"))

	snapshot := filepath.Join(tempDir(t), "snapshot")
	require.NoError(t, os.WriteFile(snapshot, []byte("ls() { echo replaced; }\n"), 0o600))
	require.Equal(t, "file", bash(t, s, shell.Options{Snapshot: snapshot}, `{"command":"ls"}`).Result.Text())
	require.Equal(t, "replaced", bash(t, s, shell.Options{Snapshot: snapshot}, `{"command":"ls; touch file"}`).Result.Text())
}

// TestAStartupThatFailsIsToldOnce, and commands run without it.
func TestAStartupThatFailsIsToldOnce(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, bashrc, shell, want string }{
		{name: "it takes too long", bashrc: "sleep 1000\n", shell: "/bin/bash", want: "it took longer than 2s"},
		{name: "it becomes another shell", bashrc: "exec true\n", shell: "/bin/bash", want: "it does not come to its end"},
		{name: "it ends", bashrc: "exit 3\n", shell: "/bin/bash", want: "it does not come to its end"},
		{name: "it is not there", shell: "/no/such/bash", want: "no such file"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			o := startupOptions(t, "SHELL="+tc.shell)
			o.StartupTimeout = 2 * time.Second
			home := startupHome(t, tc.bashrc)
			s := startupSession(t, home)
			out := outputOf(t, bash(t, s, o, `{"command":"touch a; echo ran"}`))
			require.Equal(t, "ran", out.Stdout)
			require.Contains(t, out.Stderr, "The start-up of the user's shell is missing, with its PATH, functions and aliases: ")
			require.Contains(t, out.Stderr, tc.want)
			require.Equal(t, "ran", bash(t, s, o, `{"command":"touch a; echo ran"}`).Result.Text())
		})
	}
}

// TestAStartupOfAnotherShellGivesVariables, but nothing in its language.
func TestAStartupOfAnotherShellGivesVariables(t *testing.T) {
	t.Parallel()
	bin := tempDir(t)
	zsh := "#!/bin/bash\n" + `printf '%s\n' noise "$6" 'alias x=y' "$6"; printf 'PATH=/zsh:%s\0FROM=zsh\0' "$PATH"; printf '%s\n' "$6"` + "\n"
	script.Write(t, filepath.Join(bin, "zsh"), zsh) // in the place of one
	o := startupOptions(t, "SHELL="+filepath.Join(bin, "zsh"))
	s := startupSession(t, tempDir(t))
	require.Equal(t, "zsh\n/zsh", bash(t, s, o, `{"command":"echo $FROM; echo ${PATH%%:*}; alias; touch a"}`).Result.Text())
}

// TestAStartupIsSharedAndCancelled: all agents of a conversation have one, and a call that is
// stopped while it is found out leaves it to the next.
func TestAStartupIsSharedAndCancelled(t *testing.T) {
	t.Parallel()
	o := startupOptions(t)
	home := startupHome(t, usualStartup+"[ -e ~/ready ] || { touch ~/waiting; echo >~/line; sleep 1000; }\n")
	s := startupSession(t, home)
	ctx, cancel := context.WithCancel(t.Context())
	ended := starting(ctx, poolOf(t, s, shell.Bash(o)), "Bash", `{"command":"touch a"}`)
	written(t, filepath.Join(home, "line"))
	cancel()
	require.ErrorIs(t, (<-ended).Err, pegboard.ErrCancelled)
	require.NoError(t, os.WriteFile(filepath.Join(home, "ready"), nil, 0o600))

	fork, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "a"})
	require.NoError(t, err)
	require.Equal(t, "managed", bash(t, fork, o, `{"command":"managed; touch a"}`).Result.Text())
	require.NoError(t, fork.Close(t.Context()))
	require.Equal(t, "managed", bash(t, s, o, `{"command":"managed; touch a"}`).Result.Text())
	requireStarts(t, home, 2)
	background := outputOf(t, bash(t, s, o, `{"command":"sleep 0.5; lt; managed; touch a","run_in_background":true}`))
	waited(t, s, background.BackgroundTaskID)
	require.Contains(t, noticesOf(s), "listed\n    managed")
}

// TestAMonitorHasTheUsersStartup as commands do.
func TestAMonitorHasTheUsersStartup(t *testing.T) {
	t.Parallel()
	o := startupOptions(t)
	s := startupSession(t, startupHome(t, usualStartup))
	var ex pegboard.Executor
	out := ex.Run(t.Context(), poolOf(t, s, shell.Monitor(o)), pegboard.Call{Name: "Monitor", Input: []byte(`{"command":"managed; lt; touch a","description":"it"}`)})[0]
	require.NoError(t, out.Err)
	monitor, ok := out.Result.Data.(shell.MonitorResult)
	require.True(t, ok)
	waited(t, s, monitor.TaskID)
	require.Contains(t, noticesOf(s), "managed\n    listed")
}

// TestZshHasTheUsersStartup is skipped where there is no zsh.
func TestZshHasTheUsersStartup(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("zsh")
	if err != nil {
		t.Skip("zsh is not installed")
	}
	o := startupOptions(t, "SHELL="+program)
	o.Shell = []string{"zsh", "-f", "-c"}
	home := tempDir(t)
	require.NoError(t, os.WriteFile(filepath.Join(home, ".zshrc"), []byte("export PATH=$HOME/bin:$PATH\ngreet() { echo \"hello $1, it's me\"; }\nalias lt='echo listed'\nalias -g G='| grep'\ncd() { echo mine; }\n"), 0o600))
	s := startupSession(t, home)
	for command, want := range map[string]string{
		"greet you; lt; touch a":                   "hello you, it's me\nlisted",
		"mkdir -p sub; cd sub; pwd; cd ..":         filepath.Join(s.Dir(), "sub"),
		"trap 'echo bye' EXIT; cd .; greet you":    "hello you, it's me\nbye",
		`touch a; echo ${PATH%%:*}`:                home + "/bin",
		`touch a; echo $#; print -r -- "$(( 1 ))"`: "0\n1",
	} {
		require.Equal(t, want, bash(t, s, o, fmt.Sprintf(`{"command":%s}`, jsonOf(t, command))).Result.Text(), command)
	}
}
