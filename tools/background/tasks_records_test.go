package background_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

func TestRecordsLastUntilTheEndIsTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := recordedSession(t, dir)
	background.Of(s)
	sub := fork(t, s, pegboard.RoleSubAgent)
	a, b := start(t, s, background.Work{}), start(t, sub, background.Work{})
	require.ElementsMatch(t, []string{a.ID() + ".task.json", b.ID() + ".task.json"}, records(t, dir))
	require.NoError(t, sub.Close(t.Context()))
	require.Equal(t, []string{a.ID() + ".task.json"}, records(t, dir), "nobody is to be told of the other")
	a.Done(background.Completed, nil, nil)
	require.Len(t, records(t, dir), 1)
	require.Len(t, texts(s), 1)
	require.Empty(t, records(t, dir))
	require.NoError(t, s.Close(t.Context()))
}

// The end may be told before it is on the disk.
func TestRecordIsNotWrittenAfterItsRemoval(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.task.json")
	require.NoError(t, background.RecordLate(path))
	gone(t, path)
}

func TestConversationThatWasClosedIsOpenedAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := recordedSession(t, dir)
	table := background.Of(first)
	out, err := table.NewFile("shell")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(out, []byte("half of it\n"), 0o600))
	running, ended, told := start(t, first, background.Work{OutputFile: out}), start(t, first, background.Work{}), start(t, first, background.Work{})
	told.Done(background.Completed, nil, nil)
	require.Len(t, texts(first), 1)
	ended.Done(background.Failed, code(7), nil)
	require.NoError(t, first.Close(t.Context()))

	second := recordedSession(t, dir)
	require.Equal(t, background.Killed, stateOf(t, second, running.ID()))
	require.Equal(t, background.Failed, stateOf(t, second, ended.ID()))
	require.Len(t, background.Of(second).List(), 2)
	news := strings.Join(texts(second), "\n")
	require.Contains(t, news, running.ID()+" was stopped")
	require.Contains(t, news, "    half of it")
	require.Contains(t, news, "with exit code 7")
	text, err := background.Of(second).Output(running.ID())
	require.NoError(t, err)
	require.Equal(t, "half of it\n", text)
	require.NoError(t, second.Close(t.Context()))

	third := recordedSession(t, dir)
	require.Empty(t, background.Of(third).List(), "all was told")
}

func TestRecordsOfOtherHosts(t *testing.T) {
	t.Parallel()
	began, running := background.StartOf(os.Getppid())
	require.True(t, running)
	tests := []struct {
		name string
		host map[string]any
		lost bool
	}{
		{name: "it runs", host: map[string]any{"pid": os.Getppid(), "start": began}},
		{name: "another process has its id", host: map[string]any{"pid": os.Getppid(), "start": began + "0"}, lost: true},
		{name: "it has ended", host: map[string]any{"pid": ended(t), "start": began}, lost: true},
		{name: "it said good-bye", host: map[string]any{}, lost: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeRecord(t, dir, "shell_1", map[string]any{"type": "shell", "status": "running", "description": "build", "started": time.Now()}, tt.host)
			s := recordedSession(t, dir)
			if !tt.lost {
				require.Empty(t, background.Of(s).List())
				require.Empty(t, texts(s))
				require.Len(t, records(t, dir), 1)
				_, err := background.Of(s).Output("shell_1")
				require.ErrorIs(t, err, background.ErrUnknownTask)
				require.NotContains(t, err.Error(), "ended long ago")
				return
			}
			require.Equal(t, background.Lost, stateOf(t, s, "shell_1"))
			other := recordedSession(t, dir)
			require.Empty(t, background.Of(other).List(), "they are one conversation's")
			require.Equal(t, []string{"Background task shell_1 (build) was running when the program that ran it ended, and how it ended is not known. Check what it has done, and start it again if it is still needed."}, texts(s))
			require.Empty(t, records(t, dir))
			_, err := background.Of(s).Stop(t.Context(), "shell_1")
			require.ErrorIs(t, err, background.ErrEnded)
		})
	}
}

func TestManyRecords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	began := time.Now()
	for i := range 12 { // the last in the order of names is the first of times
		writeRecord(t, dir, fmt.Sprintf("shell_%02d", 12-i), map[string]any{"status": "completed", "started": began.Add(time.Duration(i) * time.Second), "ended": began.Add(time.Duration(i) * time.Minute)}, nil)
	}
	s := mainSession(t)
	require.NoError(t, background.Configure(s, background.Options{Dir: dir, MaxTasks: 1}))
	var ids []string
	for _, task := range background.Of(s).List() {
		ids = append(ids, task.ID)
	}
	require.Equal(t, []string{"shell_08", "shell_07", "shell_06", "shell_05", "shell_04", "shell_03", "shell_02", "shell_01"}, ids)
	_, err := background.Of(s).Output("shell_12")
	require.ErrorContains(t, err, "was forgotten")
	got := texts(s)
	require.Len(t, got, 12)
	require.Contains(t, got[0], "shell_12")
	require.Contains(t, got[11], "shell_01")
	require.Empty(t, records(t, dir))
}

// Of several programs that open one conversation at once, each task goes to one.
func TestOpenedByManyAtOnce(t *testing.T) {
	t.Parallel()
	for range effort.Of(t, 10) {
		dir := t.TempDir()
		for i := range 4 {
			writeRecord(t, dir, fmt.Sprint(i), map[string]any{"status": "running"}, nil)
		}
		var sessions []*pegboard.Session
		for range 8 {
			sessions = append(sessions, mainSession(t))
		}
		errs := make([]error, len(sessions))
		var together sync.WaitGroup
		for i, s := range sessions {
			together.Go(func() { errs[i] = background.Configure(s, background.Options{Dir: dir}) })
		}
		together.Wait()
		found := 0
		for i, s := range sessions {
			require.NoError(t, errs[i])
			found += len(background.Of(s).List())
		}
		require.Equal(t, 4, found)
	}
}

// ended returns the id of a process that has ended.
func ended(t *testing.T) int {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^$")
	require.NoError(t, child.Run())
	return child.Process.Pid
}

func TestOnlyOutputInTheDirectoryIsReadOfALostTask(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o600))
	dir := t.TempDir()
	if err := os.Symlink(secret, filepath.Join(dir, "link")); err != nil {
		t.Skip(err) // as on Windows, for many users
	}
	for id, path := range map[string]string{"a": secret, "b": filepath.Join(dir, "..", filepath.Base(filepath.Dir(secret)), "secret"), "c": filepath.Join(dir, "link")} {
		writeRecord(t, dir, id, map[string]any{"status": "running", "output_file": path}, nil)
	}
	s := recordedSession(t, dir)
	for _, id := range []string{"a", "b", "c"} {
		text, err := background.Of(s).Output(id)
		require.NotContains(t, text, "secret", "%s: %v", id, err)
	}
}

func TestCorruptRecordsAreSetAside(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, content string }{
		{name: "empty"},
		{name: "half", content: `{"version":1,"task":{"id":"x"`},
		{name: "another id", content: `{"version":1,"task":{"id":"y","status":"running"}}`},
		{name: "no state", content: `{"version":1,"task":{"id":"x"}}`},
		{name: "another version", content: `{"version":2,"task":{"id":"x","status":"running"}}`},
		{name: "huge", content: strings.Repeat(" ", 2<<20)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "x.task.json"), []byte(tt.content), 0o600))
			writeRecord(t, dir, "good", map[string]any{"status": "running"}, nil)
			s := mainSession(t)
			err := background.Configure(s, background.Options{Dir: dir})
			require.ErrorIs(t, err, background.ErrCorrupt)
			require.Equal(t, background.Lost, stateOf(t, s, "good"))
			aside, err := filepath.Glob(filepath.Join(dir, "x.task.json.*.corrupt"))
			require.NoError(t, err)
			require.Len(t, aside, 1)
			kept, err := os.ReadFile(aside[0])
			require.NoError(t, err)
			require.Equal(t, tt.content, string(kept))
			require.NoError(t, background.Configure(s, background.Options{Dir: dir}), "it was configured")
		})
	}
}

func TestRecordThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "d")
	s := recordedSession(t, dir)
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, os.WriteFile(dir, nil, 0o600))
	j := start(t, s, background.Work{})
	j.Done(background.Completed, nil, nil)
	require.Len(t, texts(s), 1, "the work goes on, and its end is told")
	require.ErrorContains(t, s.Close(t.Context()), "the record of task "+j.ID())
}

const crashDir = "PEGBOARD_TEST_CRASH_DIR"

// TestCrashingHost is the other process of TestCrash.
func TestCrashingHost(t *testing.T) {
	dir := os.Getenv(crashDir)
	if dir == "" {
		t.Skip("run by TestCrash")
	}
	s := recordedSession(t, dir)
	out, err := background.Of(s).NewFile("shell")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(out, []byte("so far\n"), 0o600))
	fmt.Println("started", start(t, s, background.Work{Kind: "shell", OutputFile: out}).ID())
	_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed
}

func TestCrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	child := exec.Command(os.Args[0], "-test.run=^TestCrashingHost$", "-test.v")
	scratch := t.TempDir() // for what it cannot remove
	child.Env = append(os.Environ(), crashDir+"="+dir, "TMPDIR="+scratch, "TMP="+scratch)
	stdin, err := child.StdinPipe()
	require.NoError(t, err)
	defer func() { _ = stdin.Close() }() // which Wait has done, if it came to that
	stdout, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	id := ""
	for lines := bufio.NewScanner(stdout); id == "" && lines.Scan(); {
		_, id, _ = strings.Cut(lines.Text(), "started ")
	}
	beside := recordedSession(t, dir)
	require.Empty(t, background.Of(beside).List(), "the other program runs")
	require.NoError(t, child.Process.Kill())
	var killed *exec.ExitError
	require.ErrorAs(t, child.Wait(), &killed)

	s := recordedSession(t, dir)
	require.Equal(t, background.Lost, stateOf(t, s, id))
	text, err := background.Of(s).Output(id)
	require.NoError(t, err)
	require.Equal(t, "so far\n", text)
	require.Len(t, texts(s), 1)
}
