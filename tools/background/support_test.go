package background_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// mainSession returns a main session that is closed with the test.
func mainSession(t *testing.T) *pegboard.Session {
	t.Helper()
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close(context.Background()) }) // what it should say is tested where it matters
	return s
}

func fork(t *testing.T, s *pegboard.Session, role pegboard.Role) *pegboard.Session {
	t.Helper()
	f, err := s.Fork(pegboard.SessionConfig{Role: role, AgentID: role.String()})
	require.NoError(t, err)
	return f
}

// job is work that ends when it is told to.
type job struct {
	*background.Handle
	causes chan error // what Stop was called with
}

// start adds a job, which ends at once as Failed when it is stopped.
func start(t *testing.T, s *pegboard.Session, w background.Work) job {
	t.Helper()
	return startStubborn(t, s, w, func(j job) { j.Done(background.Failed, nil, nil) })
}

// startStubborn adds a job that does stopped when it is stopped.
func startStubborn(t *testing.T, s *pegboard.Session, w background.Work, stopped func(job)) job {
	t.Helper()
	j, err := add(s, w, stopped)
	require.NoError(t, err)
	return j
}

func add(s *pegboard.Session, w background.Work, stopped func(job)) (j job, err error) {
	ready := make(chan struct{})
	defer close(ready)
	j.causes = make(chan error, 8)
	w.Stop = func(cause error) {
		<-ready
		j.causes <- cause
		stopped(j)
	}
	j.Handle, err = background.Of(s).Add(s, w)
	return j, err
}

// texts returns what s is told.
func texts(s *pegboard.Session) (all []string) {
	for _, p := range background.Of(s).Notices(s) {
		all = append(all, p.Text)
	}
	return all
}

// news returns what s is told, by its News.
func news(s *pegboard.Session) (all []string) {
	for _, p := range s.Notifications() {
		all = append(all, p.Text)
	}
	return all
}

func stateOf(t *testing.T, s *pegboard.Session, id string) background.State {
	t.Helper()
	task, ok := background.Of(s).Get(id)
	require.True(t, ok)
	return task.State
}

func code(n int) *int { return &n }

func gone(t *testing.T, path string) {
	t.Helper()
	_, err := os.Lstat(path)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// private requires a directory that only this user can look into.
func private(t *testing.T, dir string) {
	t.Helper()
	fi, err := os.Stat(dir)
	require.NoError(t, err)
	if runtime.GOOS != "windows" { // where modes say nothing of that
		require.Equal(t, os.FileMode(0o700), fi.Mode().Perm())
	}
}

// recordedSession returns a session whose tasks are recorded in dir.
func recordedSession(t *testing.T, dir string) *pegboard.Session {
	t.Helper()
	s := mainSession(t)
	require.NoError(t, background.Configure(s, background.Options{Dir: dir}))
	return s
}

func records(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// writeRecord leaves a record as another process would have.
func writeRecord(t *testing.T, dir, id string, task map[string]any, host map[string]any) {
	t.Helper()
	task["id"] = id
	b, err := json.Marshal(map[string]any{"version": 1, "task": task, "host": host})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, id+".task.json"), b, 0o600))
}
