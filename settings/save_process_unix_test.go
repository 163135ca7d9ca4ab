//go:build unix

package settings_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings"
)

func process(t testing.TB, role, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), roleName+"="+role, fileName+"="+path)
	return cmd
}

// saved returns the commands that the file allows, each of which it must have once.
func saved(t testing.TB, path string) map[string]bool {
	t.Helper()
	var file struct {
		Permissions struct{ Allow []string }
		Other       []int
	}
	require.NoError(t, json.Unmarshal([]byte(read(t, path)), &file))
	require.Equal(t, []int{1, 2}, file.Other)
	all := map[string]bool{}
	for _, rule := range file.Permissions.Allow {
		require.False(t, all[rule], "%s is there twice", rule)
		all[rule] = true
	}
	return all
}

// TestProcessesLoseNothing: processes that know nothing of each other save rules,
// and every rule is there in the end.
func TestProcessesLoseNothing(t *testing.T) {
	t.Parallel()
	for _, processes := range []int{2, 8} {
		t.Run(fmt.Sprint(processes, " processes"), func(t *testing.T) {
			t.Parallel()
			f := files(t)
			write(t, f.Local, `{"other": [1, 2]}`)
			results := make(chan error)
			began := time.Now()
			for range processes {
				go func() {
					out, err := process(t, "add", f.Local).CombinedOutput()
					if err != nil {
						err = fmt.Errorf("%w: %s", err, out)
					}
					results <- err
				}()
			}
			for range processes {
				require.NoError(t, <-results)
			}
			t.Logf("%d rules in %v", processes*rulesAdded, time.Since(began))
			require.Len(t, saved(t, f.Local), processes*rulesAdded)
			require.Len(t, names(t, filepath.Dir(f.Local)), 1)
		})
	}
}

// TestProcessesReloadAndSave: two processes save rules and approvals, and reload what the
// other has saved. All of it is there in the end, and each has seen changes of the other.
func TestProcessesReloadAndSave(t *testing.T) {
	t.Parallel()
	f := files(t)
	write(t, f.Local, `{"other": [1, 2]}`)
	const processes = 2
	var begin []io.Closer
	var rest []func() error
	for range processes {
		cmd := process(t, "reload", f.Local)
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines := bufio.NewReader(out)
		first, err := lines.ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "loaded\n", first)
		begin = append(begin, in)
		rest = append(rest, func() error {
			said, err := io.ReadAll(lines)
			if failed := cmd.Wait(); failed != nil {
				return fmt.Errorf("%w: %s", failed, said)
			}
			return err
		})
	}
	for _, in := range begin {
		require.NoError(t, in.Close())
	}
	for _, end := range rest {
		require.NoError(t, end())
	}
	require.Len(t, saved(t, f.Local), processes*rulesAdded)
	var file struct {
		On  []string `json:"enabledMcpjsonServers"`
		Off []string `json:"disabledMcpjsonServers"`
	}
	require.NoError(t, json.Unmarshal([]byte(read(t, f.Local)), &file))
	require.Len(t, file.On, processes*rulesAdded/2)
	require.Len(t, file.Off, processes*rulesAdded/2)
}

// TestGoroutinesLoseNothing, of one process, from no file on.
func TestGoroutinesLoseNothing(t *testing.T) {
	t.Parallel()
	f := files(t)
	results := make(chan error)
	const goroutines = 16
	for i := range goroutines {
		go func() {
			to := []policy.Source{local, project}[i%2]
			results <- f.Save(t.Context(), []policy.Update{add(policy.Allow, to, bash(fmt.Sprint(i)))})
		}()
	}
	for range goroutines {
		require.NoError(t, <-results)
	}
	l := load(t, f)
	require.Len(t, l.Rules[0].Allow, goroutines/2)
	require.Len(t, l.Rules[1].Allow, goroutines/2)
}

// TestKilled kills a process that saves, again and again. What it said to have
// saved is saved, and what it leaves disturbs nobody.
func TestKilled(t *testing.T) {
	t.Parallel()
	f := files(t)
	write(t, f.Local, `{"other": [1, 2]}`)
	leftover := regexp.MustCompile(`^\.settings\.local\.json\.pegboard-[A-Z2-7]{26}\.tmp$`)
	var acknowledged []string
	left := 0
	const most = 60
	// At full effort there are more rounds while none was killed in mid-write.
	for round := 0; round < effort.Of(t, most) || effort.Full(t) && left == 0 && round < 20*most; round++ {
		cmd := process(t, "add for ever", f.Local)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines := bufio.NewScanner(out)
		require.True(t, lines.Scan())
		acknowledged = append(acknowledged, lines.Text())
		time.AfterFunc(rand.N(15*time.Millisecond), func() { _ = cmd.Process.Kill() }) // any moment will do
		for lines.Scan() {
			acknowledged = append(acknowledged, lines.Text())
		}
		require.ErrorContains(t, cmd.Wait(), "killed")
		there := saved(t, f.Local)
		for _, command := range acknowledged {
			require.True(t, there["Bash("+command+")"], command)
		}
		left = 0
		for _, name := range names(t, filepath.Dir(f.Local)) {
			if name != "settings.local.json" {
				require.Regexp(t, leftover, name)
				left++
			}
		}
	}
	t.Logf("%d saved, %d files left behind", len(acknowledged), left)
	if effort.Full(t) {
		require.Positive(t, left, "some were killed while they wrote")
	}
	save(t, f, add(policy.Allow, local, bash("last")))
	require.True(t, saved(t, f.Local)["Bash(last)"])
}

// TestKilledWhileSettingAside: the corrupt bytes are always in one of the files,
// and the settings file is always there.
func TestKilledWhileSettingAside(t *testing.T) {
	t.Parallel()
	states := map[string]int{}
	junk := "{" + strings.Repeat("x", 1<<20)
	for range effort.Of(t, 40) {
		f := files(t)
		write(t, f.Local, junk)
		cmd := process(t, "add later", f.Local)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		require.True(t, bufio.NewScanner(out).Scan())
		for began := time.Now(); len(names(t, filepath.Dir(f.Local))) == 1; {
			require.Less(t, time.Since(began), time.Minute)
			time.Sleep(50 * time.Microsecond) // no more is known of another process
		}
		time.Sleep(rand.N(4 * time.Millisecond << rand.N(6))) // any moment will do, on a busy machine too
		require.NoError(t, cmd.Process.Kill())
		require.ErrorContains(t, cmd.Wait(), "killed")
		there, with := names(t, filepath.Dir(f.Local)), 0
		for _, name := range there {
			if !strings.HasPrefix(name, ".") && read(t, filepath.Join(filepath.Dir(f.Local), name)) == junk {
				with++
			}
		}
		require.Contains(t, there, filepath.Base(f.Local))
		require.Positive(t, with)
		states[fmt.Sprint(with, " of ", len(there))]++
	}
	t.Log("files with the old bytes:", states)
	if effort.Full(t) {
		require.Greater(t, len(states), 1, "some were killed before, and some later")
	}
}

// TestWaitsForTheLock, which is that of the directory, until the context ends or
// it takes too long.
func TestWaitsForTheLock(t *testing.T) {
	t.Parallel()
	f := files(t)
	write(t, f.Local, `{"other": [1, 2]}`)
	dir, err := os.Open(filepath.Dir(f.Local))
	require.NoError(t, err)
	require.NoError(t, syscall.Flock(int(dir.Fd()), syscall.LOCK_EX))
	updates := []policy.Update{add(policy.Allow, local, tool("A"))}
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		require.ErrorIs(t, f.Save(ctx, updates), context.DeadlineExceeded)
		require.Equal(t, 3*time.Second, time.Since(began))
		began = time.Now()
		require.ErrorIs(t, f.Save(t.Context(), updates), settings.ErrLocked)
		require.InDelta(t, 10*time.Second, time.Since(began), float64(time.Second))
	})
	require.Empty(t, saved(t, f.Local))
	require.NoError(t, dir.Close())
	save(t, f, updates...)
	require.Len(t, saved(t, f.Local), 1)
	require.ErrorIs(t, f.Save(canceled(t), []policy.Update{add(policy.Allow, local, tool("B"))}), context.Canceled)
}

func canceled(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
