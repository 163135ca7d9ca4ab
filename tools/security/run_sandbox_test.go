package security_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// enclose starts a line, its fifth argument, where nothing but the three folders
// that come first can be written: the tree, the log of what is called, and what is
// kept for a moment. It has users, processes and a network of its own, and as many
// seconds as the fourth argument says.
const enclose = `mount -t tmpfs -o ro none /sys || exit # over much that is mounted there
for folder in "$1" "$2" "$3"; do mount --bind "$folder" "$folder" || exit; done
seen= # a name with two mounts has one that counts
while read -r _ at _ options _; do
  case $at in "$1" | "$2" | "$3" | /sys | /sys/*) continue ;; *\\*) at=$(printf %b "$at") ;; esac
  case $seen in *" $at "*) continue ;; esac
  seen="$seen $at "
  case ,$options, in *,rw,*) mount -o remount,bind,ro "$at" || exit ;; esac
done </proc/self/mounts
cd "$PWD" && unset OLDPWD && ulimit -t 2 && ulimit -f 20000 && ulimit -v 8000000 || exit
exec timeout "$4" strace -ff -qq -y -xx -s 4096 -e signal=none -e trace="` + calls + `" -o "$2/of" bash -c "$5"`

// The seconds of a line: of one that may well wait for ever, and of one that must
// come to its end even on a busy machine.
const (
	haste    = 2
	patience = 20
)

// outOfTime is how timeout ends, perhaps before the line has begun.
const outOfTime = 124

// systemPath is where the programs of the lines are: shims of language managers
// run more than their name says.
const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// enclosed is the shell that runs lines in a sandbox.
func enclosed(root, logs, scratch string, seconds int) []string {
	return []string{
		"unshare", "--user", "--map-root-user", "--mount", "--net", "--pid", "--ipc", "--uts", "--fork", "--mount-proc", "--kill-child",
		"sh", "-c", enclose, "sh", root, logs, scratch, strconv.Itoa(seconds),
	}
}

// needSandbox skips the test where lines cannot be shut in.
func needSandbox(t testing.TB) {
	t.Helper()
	for _, program := range []string{"unshare", "strace", "bash", "git"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("lines are run by unshare and strace: %v", err)
		}
	}
	dirs := []string{t.TempDir(), t.TempDir(), t.TempDir()}
	argv := append(enclosed(dirs[0], dirs[1], dirs[2], patience), "exit 42")
	out, err := exec.CommandContext(t.Context(), argv[0], argv[1:]...).CombinedOutput()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 42 {
		t.Skipf("this system shuts no line in: %v: %s", err, out)
	}
}

// A confinement is how lines are decided, and what those that run unasked may do.
type confinement struct {
	mode  policy.Mode
	rules policy.RuleSet
	// verdict picks what is wrong of what the judge blames and of the files that were
	// changed. Nil means all of it.
	verdict func(j *judge, changed []string) (wrong []string)
}

// A sandbox is a tree, and a session whose commands change nothing outside it.
type sandbox struct {
	policy  confinement
	tree    tree
	logs    string
	scratch string
	session *pegboard.Session
	pool    *pegboard.Pool
	before  map[string]string
}

// enclosure makes a sandbox of a tree. Its session has no rules.
func enclosure(t *testing.T, tr tree, mode policy.Mode, seconds int) *sandbox {
	t.Helper()
	settle(t, tr)
	return enter(t, tr, confinement{mode: mode}, seconds, tr.state(t))
}

// enter makes a sandbox of a tree that is settled, whose state is known.
func enter(t *testing.T, tr tree, p confinement, seconds int, state map[string]string) *sandbox {
	t.Helper()
	b := &sandbox{policy: p, tree: tr, logs: realTemp(t), scratch: realTemp(t), before: state}
	b.session = sessionIn(t, tr, "proj", pegboard.SessionConfig{
		Permissions: permissions(t, p.mode, p.rules),
		Breaker:     pegboard.BreakerLimits{Repeats: -1, Denials: -1},
	})
	path := systemPath
	if name, err := exec.LookPath("go"); err == nil {
		path += ":" + filepath.Dir(name)
	}
	b.pool = pool(t, b.session, shell.Bash(shell.Options{
		Shell: enclosed(tr.root, b.logs, b.scratch, seconds),
		Env:   append(env(tr.root), "PATH="+path, "TMPDIR="+b.scratch, "GOTOOLCHAIN=auto"), // the latter is Go's default
	}))
	return b
}

// settle gives the files old times and git a fresh index, as the user of the
// sandbox sees it, so that git has no reason to look at a file twice.
func settle(t *testing.T, tr tree) {
	t.Helper()
	old := time.Date(2024, 1, 2, 0, 0, 0, 0, time.UTC)
	require.NoError(t, filepath.WalkDir(tr.root, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		return os.Chtimes(path, old, old)
	}))
	refresh := exec.CommandContext(t.Context(), "unshare", "--user", "--map-root-user", "git", "update-index", "-q", "--refresh")
	refresh.Dir, refresh.Env = filepath.Join(tr.root, "proj"), env(tr.root)
	_ = refresh.Run() // where there is a repository that git can read
}

// allows reports whether a line runs unasked.
func (b *sandbox) allows(t *testing.T, line string) bool {
	t.Helper()
	return b.pool.Decide(t.Context(), b.call(t, line)).Behavior == policy.Allow
}

func (b *sandbox) call(t *testing.T, line string) pegboard.Call {
	t.Helper()
	return call(t, "Bash", map[string]any{"command": line, "timeout": 30_000})
}

// run runs a line that is allowed, and returns what it did beyond reading what it
// may, and what the shell printed.
func (b *sandbox) run(t *testing.T, line string) (wrong []string, printed string) {
	t.Helper()
	var ex pegboard.Executor
	out := ex.Run(t.Context(), b.pool, b.call(t, line))[0]
	require.NoError(t, out.Err, "%q: %s", line, out.Result.Text())
	data, ok := out.Result.Data.(shell.Output)
	require.True(t, ok)
	env := shellparse.Env{Dir: b.session.Dir(), Home: b.session.Home()}
	j := judge{root: b.tree.root, scratch: b.scratch, line: line, said: shellparse.Parse(line, env)}
	j.log(t, b.logs)
	if data.ExitCode != outOfTime {
		require.NotEmpty(t, j.calls, "%q was not shut in: %s", line, data.Stdout)
	}
	changed := changes(b.before, b.tree.state(t))
	if b.policy.verdict != nil {
		return b.policy.verdict(&j, changed), data.Stdout
	}
	return append(j.wrong, changed...), data.Stdout
}

// state is all of a tree that a line must leave alone, by file. See private.
func (tr tree) state(t *testing.T) map[string]string {
	t.Helper()
	state := map[string]string{}
	err := filepath.WalkDir(tr.root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(path, tr.root+"/")
		if name == "home/.config" || name == "home/.cache" {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += fmt.Sprintf(" %v %q", info.ModTime().UTC(), content)
		case info.Mode().Type() == os.ModeSymlink:
			to, err := os.Readlink(path)
			if err != nil {
				return err
			}
			text += " to " + to
		}
		state[name] = text
		return nil
	})
	require.NoError(t, err)
	return state
}

// changes says what differs between two states.
func changes(before, after map[string]string) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(after)) {
		switch was, ok := before[name]; {
		case !ok:
			list = append(list, "there is a new file: "+name)
		case was != after[name]:
			list = append(list, "a file was changed: "+name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, ok := after[name]; !ok {
			list = append(list, "a file is gone: "+name)
		}
	}
	return list
}
