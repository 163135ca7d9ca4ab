//go:build darwin || linux

package audit_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/audit"
)

func program(t *testing.T, role, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), roleName+"="+role, fileName+"="+path)
	return cmd
}

func TestProcessesShareALog(t *testing.T) {
	t.Parallel()
	const processes = 4
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	ends := make(chan error)
	for range processes {
		cmd := program(t, "share", path)
		go func() {
			out, err := cmd.CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%w: %s", err, out)
			}
			ends <- err
		}()
	}
	for range processes {
		require.NoError(t, <-ends)
	}
	requireAll(t, path, sharedMax, processes, sharedLines)
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	return info.Size()
}

// TestKilledInMidWrite kills a program that writes long lines until one is torn. The
// next program goes on behind what is left of it.
func TestKilledInMidWrite(t *testing.T) {
	t.Parallel()
	torn := 0
	for round := 0; torn == 0 && round < 50; round++ {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		cmd := program(t, "write for ever", path)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		word, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "ready\n", word)
		for whole := size(t, path); size(t, path)%whole == 0; { // until it is in the middle of a line
			runtime.Gosched()
		}
		require.NoError(t, cmd.Process.Kill())
		require.ErrorContains(t, cmd.Wait(), "killed")

		log, err := audit.Open(path, audit.Options{MaxBytes: -1})
		require.NoError(t, err)
		log.Record(decided("after"))
		require.NoError(t, log.Close())
		all, half := entries(t, path)
		require.LessOrEqual(t, half, 1)
		require.Equal(t, "after", all[len(all)-1]["call"])
		torn += half
		require.NoError(t, os.Remove(path))
	}
	require.Positive(t, torn, "one was killed while it wrote")
}

// diskSize is what there is room for: some lines and a part of one.
const diskSize = 1000

// fillDisk writes more than the system lets this process write.
func fillDisk(path string) error {
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: diskSize, Max: diskSize}); err != nil {
		return err
	}
	told := 0
	log, err := audit.Open(path, audit.Options{OnError: func(error) { told++ }})
	if err != nil {
		return err
	}
	for i := range 20 {
		log.Record(decided(fmt.Sprint("call-", i)))
	}
	fmt.Println(told, log.Lost())
	return log.Close()
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	out, err := program(t, "on a full disk", path).CombinedOutput()
	require.Error(t, err)
	var told, lost int
	var rest string
	_, err = fmt.Sscanf(string(out), "%d %d\n%s", &told, &lost, &rest)
	require.NoError(t, err, string(out))
	require.Equal(t, lost, told)
	require.Contains(t, string(out), fmt.Sprintf("%d decisions have no line: audit log: write", lost))
	require.NotEqual(t, byte('\n'), read(t, path)[diskSize-1], "part of a line is left")

	log, err := audit.Open(path, audit.Options{})
	require.NoError(t, err)
	log.Record(decided("after"))
	require.NoError(t, log.Close())
	all, torn := entries(t, path)
	require.Equal(t, 1, torn)
	require.Len(t, all, 20-lost+1)
	require.Equal(t, "after", all[len(all)-1]["call"])
}

// TestLockThatIsNeverGivenBack: its holder was stopped. Lines are written all the
// same, and the file is rotated as soon as that is over.
func TestLockThatIsNeverGivenBack(t *testing.T) {
	t.Parallel()
	log, path := opened(t, audit.Options{MaxBytes: 100})
	holder, err := os.Open(path)
	require.NoError(t, err)
	require.NoError(t, syscall.Flock(int(holder.Fd()), syscall.LOCK_EX))
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		for range 50 {
			log.Record(sized(100))
		}
		require.Less(t, time.Since(begun), 2*time.Second, "it is waited for once, not for each line")
	})
	require.Equal(t, []int64{5000}, sizes(t, path))
	require.NoError(t, holder.Close())
	log.Record(sized(100))
	require.Equal(t, []int64{100, 5000}, sizes(t, path))
}
