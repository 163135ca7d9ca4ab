package shell_test

import (
	"context"
	"fmt"
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
	"github.com/seed49eaa51d/pegboard/tools/internal/writes"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// TestReadOnlyCommandsAreTheSystems: no program of a working directory takes the
// place of one that runs unasked.
func TestReadOnlyCommandsAreTheSystems(t *testing.T) {
	t.Parallel()
	needBash(t)
	base := tempDir(t)
	project, more := filepath.Join(base, "project"), filepath.Join(base, "more")
	for _, dir := range []string{project, more} {
		require.NoError(t, os.Mkdir(dir, 0o700))
		script.Write(t, filepath.Join(dir, "ls"), "#!/bin/sh\necho replaced\n")
	}
	link := filepath.Join(base, "link")
	require.NoError(t, os.Symlink(project, link))
	inProject := pegboard.SessionConfig{Dir: project, MoreDirs: []string{more}}
	const system = ":/usr/bin:/bin"
	for _, tc := range []struct {
		name    string
		session pegboard.SessionConfig
		path    string
		want    string
	}{
		{name: "the session's directory", session: inProject, path: project + system, want: "ls"},
		{name: "by another name", session: inProject, path: link + system, want: "ls"},
		{name: "the session has the other name", session: pegboard.SessionConfig{Dir: link}, path: project + system, want: "ls"},
		{name: "a further directory", session: inProject, path: more + system, want: "ls"},
		{name: "nothing else", session: inProject, path: project, want: "command not found"},
		{name: "not absolute", session: inProject, path: "." + system, want: "ls"},
		{name: "everything", session: pegboard.SessionConfig{Dir: "/"}, path: project + system, want: "usr"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Bash"}})
			require.NoError(t, err)
			tc.session.Permissions = perms
			s, err := pegboard.NewSession(tc.session)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
			bashPath := []string{"/bin/bash", "-c"}
			out := bash(t, s, shell.Options{Shell: bashPath, Env: []string{"PATH=" + tc.path}}, `{"command":"ls"}`)
			require.Contains(t, out.Result.Text(), tc.want)
			require.NotContains(t, out.Result.Text(), "replaced")
		})
	}
}

// TestHomeIsTheSessions: a line is decided for the home directory of its session, so
// that it has to run with that.
func TestHomeIsTheSessions(t *testing.T) {
	t.Parallel()
	needBash(t)
	home, other := tempDir(t), tempDir(t)
	require.NoError(t, os.WriteFile(filepath.Join(home, "note"), []byte("of the session\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(other, "note"), []byte("of somebody else\n"), 0o600))
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Read(~/note)"}})
	require.NoError(t, err)
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: tempDir(t), Home: home, Permissions: perms})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	out := bash(t, s, shell.Options{Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + other}}, `{"command":"cat ~/note \"$HOME\"/note"}`)
	require.Equal(t, "of the session\nof the session", out.Result.Text())
}

// TestEnvironmentIsNotWhatWasExported: what would give words another meaning is not
// inherited, and nothing that a command exports reaches the next.
func TestEnvironmentIsNotWhatWasExported(t *testing.T) {
	t.Parallel()
	needBash(t)
	dir := tempDir(t)
	file := filepath.Join(dir, "rc")
	require.NoError(t, os.WriteFile(file, []byte("echo planted\n"), 0o600))
	o := shell.Options{Env: []string{
		"PATH=" + os.Getenv("PATH"), "KEPT=1", "BASH_ENV=" + file, "SHELLOPTS=xtrace", "BASH_FUNC_ls%%=() { echo planted; }", mark + "=" + os.Getenv(mark),
	}}
	s := session(t, dir, "Bash")
	require.Equal(t, "rc", bash(t, s, o, `{"command":"ls"}`).Result.Text())
	require.Equal(t, "1", bash(t, s, o, `{"command":"export A=2; echo $KEPT"}`).Result.Text())
	require.Equal(t, "[]", bash(t, s, o, `{"command":"echo [$A]"}`).Result.Text())
}

// TestReadOnlyLinesKeepGoFromDownloading: the tables take go version for harmless because of it.
func TestReadOnlyLinesKeepGoFromDownloading(t *testing.T) {
	t.Parallel()
	needBash(t)
	dir := tempDir(t)
	for _, name := range []string{"bin", "empty"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	script.Write(t, filepath.Join(dir, "bin", "go"), "#!/bin/sh\necho $GOTOOLCHAIN $GOPROXY $GOVCS\n")
	s := session(t, filepath.Join(dir, "empty"))
	for line, want := range map[string]string{"go version": "local", "go doc fmt.Println": "local off *:off"} {
		out := bash(t, s, shell.Options{Env: []string{"PATH=" + filepath.Join(dir, "bin") + ":/usr/bin:/bin"}}, `{"command":`+jsonOf(t, line)+`}`)
		require.NoError(t, out.Err)
		require.Equal(t, want, outputOf(t, out).Stdout, line)
	}
}

// bothWays are lines that must do through the tool what they do in bash.
var bothWays = []string{
	`pwd`, `cat 'a b.txt'`, `wc -l < "a b.txt"`, `echo "$((1+2))" $'tab\there'`, `for i in 1 2; do echo $i; done`,
	`false`, `exit 200`, `(exit 7)`, `test -f missing`, `echo a | tr a b`, `printf '%s' 'no newline'`, `cd / && pwd`,
	`x='$HOME'; echo "$x"`, "cat <<'E'\n$HOME\nE", `echo ü 漢字`, `ls missing 2>/dev/null`, `set -o pipefail; false | true`,
	// Lines that a script runs around, since they may change the directory.
	`cd sub; exit 3`, `cd sub && pwd && false`, `cd missing 2>/dev/null`, `cd sub; set -e; false; echo not here`,
	`cd sub; exec echo became`, `cd sub; exec true`, `cd sub; kill -TERM $$`, `(cd sub; exit 9)`, `cd sub; return 3 2>/dev/null`,
	`cd sub; echo $# "$@" $0 "[$1]"`, `cd sub; set -- a b; shift; echo $1`, `cd sub; set -u; echo "${none:-unset}"`,
	`cd sub; echo "${none:?}" 2>/dev/null`, `cd sub; trap 'echo bye; exit 5' EXIT; exit 4`, `cd sub; trap 'echo bye' EXIT`,
	`cd sub; trap 'echo err' ERR; false`, `cd sub; set -e; trap 'echo $?' EXIT; false`, `cd sub; trap -p; false`,
	"cd sub; cat <<E\n'\"`echo in`\nE\necho after", "cd sub; cat <<'E'\n$1 ' \" ` \\\nE", "cd sub # a comment", "cd sub; echo a \\\n b",
	`cd sub; echo "a'b"; echo 'a"b'; echo \'`, `cd sub; alias x=y; x 2>/dev/null`, `cd sub; pwd() { echo mine; }; pwd`,
	`cd sub; set -o noclobber; echo a >new; echo b >new 2>/dev/null`, `pushd sub >/dev/null; dirs; popd >/dev/null; pwd`,
	`cd sub; (sh -c 'kill -KILL $$'; echo $?) 2>/dev/null`, "\ncd sub\n\npwd", `cd sub; echo out; exec >/dev/null; echo lost; exit 6`,
	`cd sub && rmdir ../empty; cd ../empty 2>/dev/null || echo no`, `{ cd sub; exit 11; }`, `f() { cd sub; return 8; }; f`, `cd sub; break 2>/dev/null; echo on`,
	`cd sub; BASH_ENV=x; echo $BASH_SUBSHELL`, `cd sub; echo $LINENO`, `cd sub; false || exit 12`, `cd sub; readonly r=1; r=2 2>/dev/null; echo on`,
}

// TestBashAgainstBash runs a table both ways: through the tool and by bash itself.
// Text and exit code are the same.
func TestBashAgainstBash(t *testing.T) {
	t.Parallel()
	needBash(t)
	for i, command := range bothWays {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			dir := tempDir(t)
			plant := func() {
				require.NoError(t, os.WriteFile(filepath.Join(dir, "a b.txt"), []byte("1\n2\n3\n"), 0o600))
				require.NoError(t, os.RemoveAll(filepath.Join(dir, "sub")))
				require.NoError(t, os.MkdirAll(filepath.Join(dir, "empty"), 0o700))
				require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
			}
			plant()
			direct := exec.Command("bash", "-c", command)
			direct.Dir = dir
			want, _ := direct.CombinedOutput()
			plant()
			out := bash(t, session(t, dir, "Bash"), shell.Options{}, fmt.Sprintf(`{"command":%s}`, jsonOf(t, command)))
			got := outputOf(t, out)
			require.Equal(t, strings.TrimRight(string(want), "\n"), got.Stdout, command)
			require.Equal(t, direct.ProcessState.ExitCode(), got.ExitCode, command)
		})
	}
}

// TestWhatCannotBeParsedEndsAlike: errors of syntax end bash with its own exit code,
// after what stands before them was run, and reach nothing around the line.
func TestWhatCannotBeParsedEndsAlike(t *testing.T) {
	t.Parallel()
	needBash(t)
	for _, command := range []string{
		`cd sub; if`, "cd sub\necho first\nif", `cd sub; echo "open`, `cd sub; echo 'open`, `cd sub; )`, `cd sub; }; echo out`, "cd sub; cat <<E\nopen",
		`cd sub; echo $(`, "cd sub; `", `; cd sub`, `cd sub; "; touch planted; "`, `cd sub' EXIT; touch planted; '`,
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			dir := tempDir(t)
			require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
			direct := exec.Command("bash", "-c", command)
			direct.Dir = dir
			want, err := direct.Output()
			if err == nil {
				require.Zero(t, direct.ProcessState.ExitCode())
			}
			out := bash(t, session(t, dir, "Bash"), shell.Options{}, fmt.Sprintf(`{"command":%s}`, jsonOf(t, command+"\n")))
			got := outputOf(t, out)
			require.Equal(t, direct.ProcessState.ExitCode(), got.ExitCode, got.Stdout)
			require.Contains(t, got.Stdout, strings.TrimSuffix(string(want), "\n"))
			require.NoFileExists(t, filepath.Join(dir, "planted"))
			require.NoFileExists(t, filepath.Join(dir, "sub", "planted"))
		})
	}
}

// TestSnapshotIsReadFirst, and only if the host wants it.
func TestSnapshotIsReadFirst(t *testing.T) {
	t.Parallel()
	needBash(t)
	dir := tempDir(t)
	file := filepath.Join(dir, "it's the snapshot")
	require.NoError(t, os.WriteFile(file, []byte("echo noise\nshopt -s expand_aliases\nalias greet='echo hello'\nf() { echo from f; }\n"), 0o600))
	for _, command := range []string{"greet you; f", "cd .; greet you; f"} {
		out := bash(t, session(t, dir, "Bash"), shell.Options{Snapshot: file}, fmt.Sprintf(`{"command":%q}`, command))
		require.Equal(t, "hello you\nfrom f", out.Result.Text())
		out = bash(t, session(t, dir, "Bash"), shell.Options{}, fmt.Sprintf(`{"command":%q}`, command))
		require.True(t, out.Result.IsError)
	}
}

// TestEnvFileIsReadLast: after the snapshot, by each command that was not decided as
// read-only, and only if a regular file is there.
func TestEnvFileIsReadLast(t *testing.T) {
	t.Parallel()
	needBash(t)
	dir, home := tempDir(t), tempDir(t)
	snapshot, file := filepath.Join(home, "snapshot"), filepath.Join(home, "it's settings")
	require.NoError(t, os.WriteFile(snapshot, []byte("export WHO=snapshot FROM=snapshot\n"), 0o600))
	require.NoError(t, os.WriteFile(file, []byte("echo noise; export WHO=session\nls() { echo replaced; }\n"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(home, "folder"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, "broken"), []byte("export WHO=before\nif\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "near"), []byte("export WHO=near\n"), 0o600))
	const show = `touch made; echo "${WHO-nobody} ${FROM-nowhere}"`
	tests := []struct {
		name     string
		snapshot string
		file     string
		command  string
		want     string
	}{
		{name: "alone", file: file, command: show, want: "session nowhere"},
		{name: "after the snapshot", snapshot: snapshot, file: file, command: show, want: "session snapshot"},
		{name: "a change of directory", file: file, command: "cd .; " + show, want: "session nowhere"},
		{name: "relative", file: "near", command: show, want: "near nowhere"},
		{name: "of no session", command: show, want: "nobody nowhere"},
		{name: "not there", file: filepath.Join(home, "none"), command: show, want: "nobody nowhere"},
		{name: "a directory", file: filepath.Join(home, "folder"), command: show, want: "nobody nowhere"},
		{name: "half a line", file: filepath.Join(home, "broken"), command: show, want: "before nowhere"},
		{name: "a line that only reads", file: file, command: "ls near", want: "near"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, dir, "Bash")
			asked := 0
			o := shell.Options{Snapshot: tc.snapshot, EnvFile: func(of *pegboard.Session) string {
				asked++
				require.Same(t, s, of)
				return tc.file
			}}
			for range 2 {
				require.Equal(t, tc.want, bash(t, s, o, fmt.Sprintf(`{"command":%s}`, jsonOf(t, tc.command))).Result.Text())
			}
			require.Equal(t, map[bool]int{true: 2, false: 0}[strings.Contains(tc.command, "touch")], asked)
		})
	}
}

// TestEnvFileIsThatOfTheSession: each agent has its own, and what is written shows in the next
// command, in the background as well.
func TestEnvFileIsThatOfTheSession(t *testing.T) {
	t.Parallel()
	needBash(t)
	dir, home := tempDir(t), tempDir(t)
	s := session(t, dir, "Bash")
	child, err := s.Fork(pegboard.SessionConfig{AgentID: "helper"})
	require.NoError(t, err)
	o := shell.Options{EnvFile: func(of *pegboard.Session) string { return filepath.Join(home, "of "+of.AgentID()) }}
	show := fmt.Sprintf(`{"command":%s}`, jsonOf(t, `touch made; echo "${WHO-nobody}"`))
	require.Equal(t, "nobody", bash(t, s, o, show).Result.Text())
	require.NoError(t, os.WriteFile(filepath.Join(home, "of helper"), []byte("export WHO=helper\n"), 0o600))
	require.Equal(t, "nobody", bash(t, s, o, show).Result.Text())
	require.Equal(t, "helper", bash(t, child, o, show).Result.Text())
	require.NoError(t, os.WriteFile(filepath.Join(home, "of "), []byte("export WHO=main\n"), 0o600))
	require.Equal(t, "main", bash(t, s, o, show).Result.Text())
}

// TestALongLineRuns: longer than what the system takes as one argument.
func TestALongLineRuns(t *testing.T) {
	t.Parallel()
	needBash(t)
	if runtime.GOOS == "windows" {
		t.Skip("all arguments together have 32,767 characters")
	}
	data := strings.Repeat("ü'\"$x` \\ 漢\n", 10_000) // 160 kB, cut within characters
	for _, tc := range []struct{ name, line string }{
		{name: "as it is", line: "cat >file <<'E'\n" + data + "E\nexit 3"},
		{name: "with a directory to keep", line: "cd sub && cat >../file <<'E'\n" + data + "E\nexit 3"},
		{name: "with a trap", line: "cd sub; trap 'exit 3' EXIT; cat >../file <<'E'\n" + data + "E\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, carryDir(t), "Bash")
			out := outputOf(t, bash(t, s, shell.Options{}, fmt.Sprintf(`{"command":%s}`, jsonOf(t, tc.line))))
			require.Equal(t, 3, out.ExitCode, out.Stdout)
			got, err := os.ReadFile(filepath.Join(s.Dir(), "file"))
			require.NoError(t, err)
			require.Len(t, got, len(data))
			require.Empty(t, strings.Compare(data, string(got)), "the bytes differ")
		})
	}
	t.Run("in the background", func(t *testing.T) {
		t.Parallel()
		s := session(t, carryDir(t), "Bash")
		out := outputOf(t, bash(t, s, shell.Options{}, fmt.Sprintf(`{"command":%s,"run_in_background":true}`, jsonOf(t, "sleep 0.5; cat >file <<'E'\n"+data+"E\n"))))
		require.Equal(t, background.Completed, waited(t, s, out.BackgroundTaskID).State)
		got, err := os.ReadFile(filepath.Join(s.Dir(), "file"))
		require.NoError(t, err)
		require.Len(t, got, len(data))
	})
}

// TestALineThatNoSystemStartsIsRefused, with what to do instead.
func TestALineThatNoSystemStartsIsRefused(t *testing.T) {
	t.Parallel()
	needBash(t)
	for _, tc := range []struct {
		name    string
		options shell.Options
		size    int
	}{
		{name: "more than all arguments", size: 1<<20 + 1},
		{name: "one argument of a shell that takes no script", options: shell.Options{Shell: []string{"bash", "--norc", "-c", "--"}}, size: 200_000},
	} {
		out := bash(t, session(t, tempDir(t), "Bash"), tc.options, fmt.Sprintf(`{"command":%s}`, jsonOf(t, "true #"+strings.Repeat("x", tc.size))))
		require.ErrorIs(t, out.Err, pegboard.ErrInvalidInput, tc.name)
		require.Contains(t, out.Result.Text(), "write it to a script in a file and run that")
	}
}

// TestLineWaitsForItsTurn holds the file that a line writes, as an edit of another agent does.
func TestLineWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, input string
		waits       bool
	}{
		{name: "it appends to the file", input: `{"command": "echo x >> log"}`, waits: true},
		{name: "it copies over the file", input: `{"command": "cp other log"}`, waits: true},
		{name: "it writes another file", input: `{"command": "echo x >> other"}`},
		{name: "it reads the file", input: `{"command": "cat log"}`},
		{name: "it goes to the background", input: `{"command": "echo x >> log", "run_in_background": true}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			for _, name := range []string{"log", "other"} {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600))
			}
			s := session(t, dir, "Bash")
			unlock, err := writes.Of(s).Lock(t.Context(), filepath.Join(dir, "log"))
			require.NoError(t, err)
			fork, err := s.Fork(pegboard.SessionConfig{})
			require.NoError(t, err)

			ctx, cancel := context.WithCancel(t.Context())
			ended := starting(ctx, poolOf(t, fork, shell.Bash(shell.Options{})), "Bash", tt.input)
			if !tt.waits {
				require.NoError(t, (<-ended).Err)
				unlock()
				cancel()
				return
			}
			select {
			case <-ended:
				require.Fail(t, "it did not wait")
			case <-time.After(100 * time.Millisecond): // it waits for ever
			}
			cancel()
			require.ErrorIs(t, (<-ended).Err, pegboard.ErrCancelled)
			content, err := os.ReadFile(filepath.Join(dir, "log"))
			require.NoError(t, err)
			require.Equal(t, "log", string(content), "it did not run")

			ended = starting(t.Context(), poolOf(t, fork, shell.Bash(shell.Options{})), "Bash", tt.input)
			unlock()
			require.NoError(t, (<-ended).Err)
			content, err = os.ReadFile(filepath.Join(dir, "log"))
			require.NoError(t, err)
			require.NotEqual(t, "log", string(content))
		})
	}
}
