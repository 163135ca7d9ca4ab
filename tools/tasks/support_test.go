package tasks_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tasks"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// open returns the list in a file, or in memory, which has no problem.
func open(t *testing.T, path string, h tasks.Hooks) *tasks.List {
	t.Helper()
	l, err := tasks.Open(path, h)
	require.NoError(t, err)
	require.NoError(t, l.Problem())
	return l
}

// filePath returns the path of a list that is not there yet, in a directory of its own.
func filePath(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "tasks.json")
}

// create adds a task with each subject.
func create(t *testing.T, l *tasks.List, subjects ...string) {
	t.Helper()
	for _, subject := range subjects {
		_, err := l.Create(t.Context(), tasks.Task{Subject: subject})
		require.NoError(t, err)
	}
}

// all returns the tasks of a list.
func all(t *testing.T, l *tasks.List) []tasks.Task {
	t.Helper()
	list, err := l.All(t.Context())
	require.NoError(t, err)
	return list
}

// toolOf returns a tool of a list.
func toolOf(t *testing.T, l *tasks.List, name string) pegboard.Tool {
	t.Helper()
	for _, tool := range l.Tools() {
		if tool.Info().Name == name {
			return tool
		}
	}
	require.Fail(t, "no tool "+name)
	return nil
}

// call calls a tool of a list.
func call(t *testing.T, l *tasks.List, name, input string) pegboard.Outcome {
	t.Helper()
	return tooltest.Run(t.Context(), toolOf(t, l, name), nil, input)
}

// content returns the content of a file.
func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

// dataOf returns the data of an outcome as JSON.
func dataOf(t *testing.T, out pegboard.Outcome) string {
	t.Helper()
	require.NoError(t, out.Err)
	data, err := json.Marshal(out.Result.Data)
	require.NoError(t, err)
	return string(data)
}

// session returns a main session that allows everything.
func session(t *testing.T) *pegboard.Session {
	t.Helper()
	s, err := tooltest.NewSession(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	return s
}
