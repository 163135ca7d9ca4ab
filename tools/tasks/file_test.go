package tasks_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/tools/tasks"
)

// A badFile is content that is no list.
type badFile struct {
	name, content string
	newer         bool // it is left where it is
}

func badFiles() []badFile {
	task := func(rest string) string {
		return `{"version":1,"next":9,"tasks":[{"id":"1","subject":"a","status":"pending"},` + rest + `]}`
	}
	return []badFile{
		{name: "no JSON", content: "tasks:\n  - a\n"},
		{name: "cut", content: `{"version":1,"next":2,"tasks":[{"id":"1","subj`},
		{name: "two values", content: `{"version":1,"next":1,"tasks":[]}{}`},
		{name: "a list", content: `[]`},
		{name: "null", content: `null`},
		{name: "a key twice", content: `{"version":1,"next":1,"next":2,"tasks":[]}`},
		{name: "no UTF-8", content: "{\"version\":1,\"next\":2,\"tasks\":[{\"id\":\"1\",\"subject\":\"\xff\",\"status\":\"pending\"}]}"},
		{name: "zeros", content: strings.Repeat("\x00", 4096)},
		{name: "no version", content: `{"next":1,"tasks":[]}`},
		{name: "version 0", content: `{"version":0,"next":1,"tasks":[]}`},
		{name: "version of text", content: `{"version":"1","next":1,"tasks":[]}`},
		{name: "an unknown member", content: `{"version":1,"next":1,"tasks":[],"title":"x"}`},
		{name: "an unknown member of a task", content: task(`{"id":"2","subject":"b","status":"pending","due":"today"}`)},
		{name: "no next", content: `{"version":1,"tasks":[]}`},
		{name: "next is given", content: `{"version":1,"next":1,"tasks":[{"id":"1","subject":"a","status":"pending"}]}`},
		{name: "an id twice", content: task(`{"id":"1","subject":"b","status":"pending"}`)},
		{name: "an id of text", content: task(`{"id":"two","subject":"b","status":"pending"}`)},
		{name: "an id with zeros", content: task(`{"id":"02","subject":"b","status":"pending"}`)},
		{name: "an id of another order", content: task(`{"id":"3","subject":"b","status":"pending"},{"id":"2","subject":"b","status":"pending"}`)},
		{name: "an id beyond numbers", content: task(`{"id":"99999999999999999999","subject":"b","status":"pending"}`)},
		{name: "no subject", content: task(`{"id":"2","subject":" ","status":"pending"}`)},
		{name: "a status", content: task(`{"id":"2","subject":"b","status":"done"}`)},
		{name: "deleted", content: task(`{"id":"2","subject":"b","status":"deleted"}`)},
		{name: "a long subject", content: task(fmt.Sprintf(`{"id":"2","subject":%q,"status":"pending"}`, strings.Repeat("s", tasks.MaxText+1)))},
		{name: "it waits for nothing", content: task(`{"id":"2","subject":"b","status":"pending","blockedBy":["7"]}`)},
		{name: "it waits for itself", content: task(`{"id":"2","subject":"b","status":"pending","blockedBy":["2"]}`)},
		{name: "it waits twice", content: task(`{"id":"2","subject":"b","status":"pending","blockedBy":["1","1"]}`)},
		{name: "a circle", content: task(`{"id":"2","subject":"b","status":"pending","blockedBy":["3"]},{"id":"3","subject":"c","status":"pending","blockedBy":["2"]}`)},
		{name: "a later version", content: `{"version":2,"lists":[{"name":"work"}]}`, newer: true},
	}
}

// TestDamagedFile: it gets another name, and a new list is begun. The model is told once, and again
// if it asks for a task that is gone.
func TestDamagedFile(t *testing.T) {
	t.Parallel()
	for _, bad := range badFiles() {
		t.Run(bad.name, func(t *testing.T) {
			t.Parallel()
			path := filePath(t)
			require.NoError(t, os.WriteFile(path, []byte(bad.content), 0o600))
			l, err := tasks.Open(path, tasks.Hooks{})
			require.NoError(t, err)
			var problem *tasks.FileError
			require.ErrorAs(t, l.Problem(), &problem)
			require.Equal(t, path, problem.Path)
			require.Empty(t, all(t, l))
			require.Contains(t, call(t, l, "TaskList", `{}`).Result.Text(), "The list is empty.\n(Note: the file of the tasks, "+path)
			require.Contains(t, call(t, l, "TaskGet", `{"taskId":"1"}`).Result.Text(), "(Note: ")
			require.Contains(t, call(t, l, "TaskUpdate", `{"taskId":"1","status":"completed"}`).Result.Text(), "(Note: ")
			made := call(t, l, "TaskCreate", `{"subject":"a","description":""}`)
			require.NoError(t, made.Err)
			require.Contains(t, made.Result.Text(), "(Note: ")
			again := call(t, l, "TaskList", `{}`).Result.Text()
			if bad.newer {
				require.ErrorIs(t, problem, tasks.ErrNewer)
				require.Empty(t, problem.Aside)
				require.Equal(t, bad.content, content(t, path))
				require.Contains(t, again, "(Note: ")
				return
			}
			require.ErrorIs(t, problem, tasks.ErrCorrupt)
			require.Equal(t, bad.content, content(t, problem.Aside))
			require.True(t, strings.HasPrefix(problem.Aside, path+".") && strings.HasSuffix(problem.Aside, ".corrupt"), problem.Aside)
			require.NotContains(t, again, "(Note: ")
			require.Len(t, all(t, open(t, path, tasks.Hooks{})), 1)
		})
	}
}

// TestFileThatIsDamagedMeanwhile, by another program, is set aside by the next call.
func TestFileThatIsDamagedMeanwhile(t *testing.T) {
	t.Parallel()
	path := filePath(t)
	l := open(t, path, tasks.Hooks{})
	create(t, l, "a", "b")
	require.NoError(t, os.WriteFile(path, []byte("{"), 0o600))
	out := call(t, l, "TaskUpdate", `{"taskId":"2","status":"completed"}`)
	require.ErrorIs(t, out.Err, tasks.ErrUnknownTask)
	require.Contains(t, out.Result.Text(), "was set aside as")
	var problem *tasks.FileError
	require.ErrorAs(t, l.Problem(), &problem)
	require.Equal(t, "{", content(t, problem.Aside))
	require.Contains(t, call(t, l, "TaskCreate", `{"subject":"a","description":""}`).Result.Text(), "Task #1 was added")
}

// TestForeignPath: what stands where the file should be is not touched, and the list is in memory.
func TestForeignPath(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		make func(t *testing.T, path, elsewhere string)
		want error
	}{
		{name: "a directory", want: realpath.ErrNotRegular, make: func(t *testing.T, path, _ string) {
			t.Helper()
			require.NoError(t, os.Mkdir(path, 0o700))
		}},
		{name: "a link that leads out", want: tasks.ErrOutside, make: func(t *testing.T, path, elsewhere string) {
			t.Helper()
			require.NoError(t, os.Symlink(filepath.Join(elsewhere, "target"), path))
		}},
		{name: "a link to nothing that leads out", want: tasks.ErrOutside, make: func(t *testing.T, path, elsewhere string) {
			t.Helper()
			require.NoError(t, os.Symlink(filepath.Join(elsewhere, "none"), path))
		}},
		{name: "a file where a directory should be", make: func(t *testing.T, path, _ string) {
			t.Helper()
			require.NoError(t, os.Remove(filepath.Dir(path)))
			require.NoError(t, os.WriteFile(filepath.Dir(path), nil, 0o600))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			elsewhere, path := t.TempDir(), filepath.Join(t.TempDir(), "list", "tasks.json")
			require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
			target := `{"version":1,"next":1,"tasks":[]}`
			require.NoError(t, os.WriteFile(filepath.Join(elsewhere, "target"), []byte(target), 0o600))
			tt.make(t, path, elsewhere)
			before, _ := os.Lstat(path)
			l, err := tasks.Open(path, tasks.Hooks{})
			require.NoError(t, err)
			if tt.want != nil {
				require.ErrorIs(t, l.Problem(), tt.want)
			}
			require.ErrorAs(t, l.Problem(), new(*tasks.FileError))
			out := call(t, l, "TaskCreate", `{"subject":"a","description":""}`)
			require.NoError(t, out.Err)
			require.Contains(t, out.Result.Text(), "the list is in memory until the program ends")
			require.Len(t, all(t, l), 1)
			after, _ := os.Lstat(path)
			require.True(t, before == nil && after == nil || os.SameFile(before, after))
			require.Equal(t, target, content(t, filepath.Join(elsewhere, "target")))
			entries, err := os.ReadDir(elsewhere)
			require.NoError(t, err)
			require.Len(t, entries, 1)
		})
	}
}

// TestLinkWithinTheDirectory is followed, and so are those before the directory.
func TestLinkWithinTheDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "real"), 0o700))
	require.NoError(t, os.Symlink("real", filepath.Join(dir, "way")))
	require.NoError(t, os.Symlink("list.json", filepath.Join(dir, "real", "tasks.json")))
	create(t, open(t, filepath.Join(dir, "way", "tasks.json"), tasks.Hooks{}), "a")
	require.Len(t, all(t, open(t, filepath.Join(dir, "real", "list.json"), tasks.Hooks{})), 1)
}

// TestFileThatBecomesALink is not written through.
func TestFileThatBecomesALink(t *testing.T) {
	t.Parallel()
	path, elsewhere := filePath(t), filePath(t)
	l := open(t, path, tasks.Hooks{})
	create(t, l, "a")
	require.NoError(t, os.Rename(path, elsewhere))
	require.NoError(t, os.Symlink(elsewhere, path))
	before := content(t, elsewhere)
	_, err := l.Create(t.Context(), tasks.Task{Subject: "b"})
	require.ErrorIs(t, err, realpath.ErrMoved)
	_, err = l.All(t.Context())
	require.ErrorIs(t, err, realpath.ErrMoved)
	require.Equal(t, before, content(t, elsewhere))
}

// listOf returns the file of a list of n tasks.
func listOf(n int, description string) []byte {
	text := fmt.Appendf(nil, `{"version":1,"next":%d,"tasks":[`, n+1)
	for i := range n {
		text = fmt.Appendf(text, `%s{"id":"%d","subject":"a","description":%q,"status":"completed"}`, ","[:min(i, 1)], i+1, description)
	}
	return append(text, "]}"...)
}

// TestLimits of a list.
func TestLimits(t *testing.T) {
	t.Parallel()
	path := filePath(t)
	require.NoError(t, os.WriteFile(path, listOf(tasks.MaxTasks, ""), 0o600))
	l := open(t, path, tasks.Hooks{})
	_, err := l.Create(t.Context(), tasks.Task{Subject: "one more"})
	require.ErrorIs(t, err, tasks.ErrFull)
	require.ErrorContains(t, err, "it has 10000 tasks; delete those that are done")
	_, err = l.Update(t.Context(), "1", func(t *tasks.Task) error { t.BlockedBy = make([]string, tasks.MaxEdges+1); return nil })
	require.ErrorIs(t, err, tasks.ErrInvalid)
	require.ErrorContains(t, err, "1001 tasks are named at once")
	_, err = l.Update(t.Context(), "10000", func(t *tasks.Task) error { t.Status = tasks.Deleted; return nil })
	require.NoError(t, err)
	made, err := l.Create(t.Context(), tasks.Task{Subject: "one more"})
	require.NoError(t, err)
	require.Equal(t, "10001", made.ID, "the id of a deleted task does not come again")

	path = filePath(t)
	require.NoError(t, os.WriteFile(path, listOf(166, strings.Repeat("d", tasks.MaxDescription)), 0o600))
	l = open(t, path, tasks.Hooks{})
	for err == nil {
		_, err = l.Create(t.Context(), tasks.Task{Subject: "b", Description: strings.Repeat("d", tasks.MaxDescription)})
	}
	require.ErrorIs(t, err, tasks.ErrFull)
	require.ErrorContains(t, err, "delete tasks that are done, or shorten descriptions")
	_, err = l.Update(t.Context(), "1", func(t *tasks.Task) error { t.Description = ""; return nil })
	require.NoError(t, err)
	create(t, l, "c")
	require.NoError(t, l.Problem())

	big := filePath(t)
	require.NoError(t, os.WriteFile(big, nil, 0o600))
	require.NoError(t, os.Truncate(big, tasks.MaxBytes+1))
	l, err = tasks.Open(big, tasks.Hooks{})
	require.NoError(t, err)
	require.ErrorAs(t, l.Problem(), new(*atomicfile.SizeError))
}

// TestPaths that Open refuses, and such as are there only later.
func TestPaths(t *testing.T) {
	t.Parallel()
	_, err := tasks.Open("tasks.json", tasks.Hooks{})
	require.ErrorContains(t, err, "is not absolute")
	path := filepath.Join(t.TempDir(), "a", "b", "tasks.json")
	l := open(t, path, tasks.Hooks{})
	require.Empty(t, all(t, l))
	_, err = os.Stat(filepath.Dir(path))
	require.ErrorIs(t, err, fs.ErrNotExist, "nothing is made before the first task")
	create(t, l, "a")
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0), info.Mode().Perm()&0o077)
	empty := filePath(t)
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	create(t, open(t, empty, tasks.Hooks{}), "a") // an empty file is an empty list
}

// TestChangesOfTheHost that fail change nothing.
func TestChangesOfTheHost(t *testing.T) {
	t.Parallel()
	errHost := errors.New("not today")
	for _, path := range []string{"", filePath(t)} {
		l := open(t, path, tasks.Hooks{})
		create(t, l, "a", "b")
		before := all(t, l)
		for name, tt := range map[string]struct {
			change func(*tasks.Task) error
			want   string
		}{
			"an error":   {func(*tasks.Task) error { return errHost }, "not today"},
			"a panic":    {func(*tasks.Task) error { panic("at the disco") }, "at the disco"},
			"another id": {func(t *tasks.Task) error { t.ID = "2"; return nil }, "its id is 1"},
			"no status":  {func(t *tasks.Task) error { t.Status = ""; return nil }, "its status is"},
			"no JSON": {func(t *tasks.Task) error {
				t.Metadata = map[string]json.RawMessage{"k": json.RawMessage("{")}
				return nil
			}, "is not JSON"},
			"no subject":        {func(t *tasks.Task) error { t.Subject = "\n"; return nil }, "its subject is empty"},
			"a task of no list": {func(t *tasks.Task) error { t.Blocks = []string{"2", "x"}; return nil }, "no such task"},
			"none":              {nil, "nil"},
		} {
			_, err := l.Update(t.Context(), "1", tt.change)
			require.ErrorContains(t, err, tt.want, name)
			require.Equal(t, before, all(t, l), name)
		}
		_, err := l.Update(t.Context(), "1", func(t *tasks.Task) error { return fs.ErrExist })
		require.ErrorIs(t, err, fs.ErrExist, "an error of the host's is not taken for one of the file")
	}
}

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
	ended, read := make(chan struct{}), make(chan error)
	go func() { // a reader takes no lock, and sees whole lists
		for {
			list, err := first.All(t.Context())
			if err == nil && len(list) < firstTasks {
				err = fmt.Errorf("there are %d tasks", len(list))
			}
			select {
			case <-ended:
				read <- err
				return
			default:
			}
			if err != nil {
				read <- err
				return
			}
		}
	}()
	made := map[string]bool{}
	for _, w := range workers {
		w.wait(t)
		require.Len(t, w.reports, work)
		for _, done := range w.reports {
			require.False(t, made[done.Created], done.Created)
			made[done.Created] = done.Created != ""
		}
	}
	close(ended)
	require.NoError(t, <-read)
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
