package tasks_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/tasks"
)

const processes = 8

// A worker is a process that makes random updates.
type worker struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	reports map[int]report
	created int // the number of the last report whose task the replay has added
}

// startWorker starts a process and waits until it is ready.
func startWorker(t *testing.T, path, log string, index, work int) *worker {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), roleName+"="+updating, fileName+"="+path, logName+"="+log, fmt.Sprint(seedName, "=", index), fmt.Sprint(workName, "=", work))
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	w := &worker{cmd: cmd, in: in, out: bufio.NewReader(out), reports: map[int]report{}, created: -1}
	line, err := w.out.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "ready\n", line)
	return w
}

// wait reads the reports of a process until it ends.
func (w *worker) wait(t *testing.T) {
	t.Helper()
	output, err := io.ReadAll(w.out)
	require.NoError(t, err)
	require.NoError(t, w.cmd.Wait(), string(output))
	for line := range bytes.Lines(output) {
		var done report
		require.NoError(t, json.Unmarshal(line, &done), string(line))
		w.reports[done.Number] = done
	}
}

// replayCreated adds the tasks to a plain list that the process has created before a change. No
// other process uses them, so their place among the changes of others does not matter.
func (w *worker) replayCreated(t *testing.T, plain *plainList, before int) {
	t.Helper()
	for n := w.created + 1; n < before; n++ {
		if id := w.reports[n].Created; id != "" {
			number, err := strconv.Atoi(id)
			require.NoError(t, err)
			require.Nil(t, plain.tasks[number], "the id %s was given twice", id)
			plain.tasks[number] = &plainTask{subject: "new", status: tasks.Pending, metadata: map[string]string{}}
		}
	}
	w.created = max(w.created, before-1)
}

// TestProcesses: eight processes change one list at random. What came of each change, and the list
// in the end, are those of making the changes one after the other on a plain list.
func TestProcesses(t *testing.T) {
	t.Parallel()
	path, plain := filePath(t), newPlainList()
	first := open(t, path, tasks.Hooks{})
	for id := 1; id <= firstTasks; id++ {
		create(t, first, "new")
		plain.tasks[id] = &plainTask{subject: "new", status: tasks.Pending, metadata: map[string]string{}}
	}
	work := max(effort.Of(t, 200), 50)
	log := filepath.Join(t.TempDir(), "log")
	workers := make([]*worker, processes)
	for i := range workers {
		workers[i] = startWorker(t, path, log, i, work)
	}
	began := time.Now()
	for _, w := range workers {
		require.NoError(t, w.in.Close())
	}
	made := map[string]bool{}
	for _, w := range workers {
		w.wait(t)
		require.Len(t, w.reports, work)
		for _, done := range w.reports {
			require.False(t, made[done.Created], done.Created)
			made[done.Created] = done.Created != ""
		}
	}
	t.Logf("%d changes took %v", processes*work, time.Since(began))

	lines := bytes.Split(bytes.TrimSpace([]byte(content(t, log))), []byte("\n"))
	updates, last := make([]loggedUpdate, len(lines)), map[[2]int]int{}
	for i, line := range lines {
		require.NoError(t, json.Unmarshal(line, &updates[i]))
		last[[2]int{updates[i].Process, updates[i].Number}] = i
	}
	for i, u := range updates {
		if last[[2]int{u.Process, u.Number}] != i {
			continue // it was tried again
		}
		w := workers[u.Process]
		w.replayCreated(t, plain, u.Number)
		next, rule := plain.update(u.Update)
		require.Equal(t, rule, w.reports[u.Number].Rule, "%+v", u)
		plain = next
	}
	for i, w := range workers {
		w.replayCreated(t, plain, work)
		for n, done := range w.reports {
			if _, logged := last[[2]int{i, n}]; !logged && done.Created == "" {
				require.Equal(t, "unknown", done.Rule)
			}
		}
	}
	require.Equal(t, plain.views(), all(t, first))
	require.Equal(t, plain.views(), all(t, open(t, path, tasks.Hooks{})))
	require.NoError(t, first.Problem())
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 2, "the file and its lock; nothing was set aside or left over")
}
