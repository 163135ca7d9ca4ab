package tasks_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tasks"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

var errHook = errors.New("it is too vague")

// TestHooksRefuse: nothing is changed, not a byte, and the model reads why.
func TestHooksRefuse(t *testing.T) {
	t.Parallel()
	refuse := func(context.Context, tasks.Event) error { return errHook }
	tests := []struct {
		name  string
		hooks tasks.Hooks
		tool  string
		input string
		want  string // empty if the hook is not asked
		stops bool
	}{
		{name: "created", hooks: tasks.Hooks{Created: refuse}, tool: "TaskCreate", input: `{"subject":"b","description":""}`, want: "the task was not created: it is too vague"},
		{name: "completed", hooks: tasks.Hooks{Completed: refuse}, tool: "TaskUpdate", input: `{"taskId":"1","status":"completed","owner":"ann"}`, want: "the task was not completed: it is too vague"},
		{name: "a panic", hooks: tasks.Hooks{Completed: func(context.Context, tasks.Event) error { panic("at the disco") }}, tool: "TaskUpdate", input: `{"taskId":"1","status":"completed"}`, want: "the task was not completed: the hook has failed: panic: at the disco"},
		{name: "the turn ends", hooks: tasks.Hooks{Completed: func(context.Context, tasks.Event) error { return &tasks.StopError{Reason: "enough"} }}, tool: "TaskUpdate", input: `{"taskId":"1","status":"completed"}`, want: "the task was not completed: enough", stops: true},
		{name: "another change", hooks: tasks.Hooks{Created: refuse, Completed: refuse}, tool: "TaskUpdate", input: `{"taskId":"1","status":"in_progress"}`},
		{name: "it is completed already", hooks: tasks.Hooks{Completed: refuse}, tool: "TaskUpdate", input: `{"taskId":"2","status":"completed","subject":"x"}`},
		{name: "a deletion", hooks: tasks.Hooks{Completed: refuse}, tool: "TaskUpdate", input: `{"taskId":"1","status":"deleted"}`},
		{name: "a change that fails anyway", hooks: tasks.Hooks{Completed: func(context.Context, tasks.Event) error { panic("not asked") }}, tool: "TaskUpdate", input: `{"taskId":"1","status":"completed","addBlocks":["1"]}`, want: "#1 cannot wait for itself"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filePath(t)
			without := open(t, path, tasks.Hooks{})
			create(t, without, "a")
			_, err := without.Create(t.Context(), tasks.Task{Subject: "done", Status: tasks.Completed})
			require.NoError(t, err)
			before := content(t, path)
			l := open(t, path, tt.hooks)
			out := call(t, l, tt.tool, tt.input)
			if tt.want == "" {
				require.NoError(t, out.Err)
				return
			}
			require.True(t, out.Result.IsError)
			require.Equal(t, tt.want, lastLine(out.Result.Text()))
			require.Equal(t, tt.stops, out.StopTurn)
			require.Equal(t, before, content(t, path))
			create(t, without, "next")
			require.Equal(t, "3", lastID(all(t, l)))
		})
	}
}

func lastLine(text string) string {
	if i := len("tasks would wait for each other: "); len(text) > i && text[:i] == "tasks would wait for each other: " {
		return text[i:]
	}
	return text
}

// TestHooksAreAsked about the task as it would be, in the session of the call, once.
func TestHooksAreAsked(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var asked []string
	ask := func(name string) func(ctx context.Context, e tasks.Event) error {
		return func(ctx context.Context, e tasks.Event) error {
			mu.Lock()
			defer mu.Unlock()
			dir := "nowhere"
			if e.Session != nil {
				dir = "session"
			}
			asked = append(asked, fmt.Sprint(name, " ", e.Task.ID, " ", e.Task.Subject, " ", e.Task.Status, " ", e.Task.Owner, " ", dir))
			e.Task.Blocks = append(e.Task.Blocks, "2") // of its own copy
			return nil
		}
	}
	l := open(t, filePath(t), tasks.Hooks{Created: ask("created"), Completed: ask("completed")})
	s := session(t)
	for _, input := range []string{`{"subject":"a","description":""}`, `{"subject":"b","description":""}`} {
		require.NoError(t, tooltest.Run(t.Context(), toolOf(t, l, "TaskCreate"), s, input).Err)
	}
	require.NoError(t, tooltest.Run(t.Context(), toolOf(t, l, "TaskUpdate"), s, `{"taskId":"1","status":"completed","subject":"c","owner":"ann"}`).Err)
	_, err := l.Create(t.Context(), tasks.Task{Subject: "d", Status: tasks.Completed})
	require.NoError(t, err)
	_, err = l.Create(pegboard.WithSession(t.Context(), s), tasks.Task{Subject: "e"})
	require.NoError(t, err)
	require.Equal(t, []string{
		"created 1 a pending  session", "created 2 b pending  session", "completed 1 c completed ann session",
		"created 3 d completed  nowhere", "completed 3 d completed  nowhere", "created 4 e pending  session",
	}, asked)
}

// TestHookThatHangs is given up with its call, and keeps no other change from being made.
func TestHookThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		l := open(t, "", tasks.Hooks{Created: func(_ context.Context, e tasks.Event) error {
			if e.Task.Subject == "hangs" {
				<-release
			}
			return nil
		}})
		create(t, l, "a")
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		result := make(chan error)
		go func() {
			_, err := l.Create(ctx, tasks.Task{Subject: "hangs"})
			result <- err
		}()
		synctest.Wait()
		_, err := l.Update(t.Context(), "1", func(t *tasks.Task) error { t.Subject = "b"; return nil })
		require.NoError(t, err)
		waiting, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		_, err = l.Create(waiting, tasks.Task{Subject: "c"})
		require.ErrorIs(t, err, context.DeadlineExceeded, "the id is that of the task before it")
		require.ErrorIs(t, <-result, context.DeadlineExceeded)
		create(t, l, "c")
		require.Equal(t, "2", lastID(all(t, l)))
		close(release)
	})
}

// TestTaskThatChangesWhileAHookIsAsked: the hook is asked again.
func TestTaskThatChangesWhileAHookIsAsked(t *testing.T) {
	t.Parallel()
	path := filePath(t)
	other := open(t, path, tasks.Hooks{})
	create(t, other, "a")
	var subjects, ids []string
	l := open(t, path, tasks.Hooks{
		Created: func(_ context.Context, e tasks.Event) error {
			if ids = append(ids, e.Task.ID); len(ids) == 1 {
				_, err := other.Create(context.Background(), tasks.Task{Subject: "faster"})
				return err
			}
			return nil
		},
		Completed: func(_ context.Context, e tasks.Event) error {
			if subjects = append(subjects, e.Task.Subject); len(subjects) == 1 {
				_, err := other.Update(context.Background(), "1", func(t *tasks.Task) error { t.Subject = "b"; return nil })
				return err
			}
			return nil
		},
	})
	task, err := l.Update(t.Context(), "1", func(t *tasks.Task) error { t.Status = tasks.Completed; return nil })
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, subjects)
	require.Equal(t, "b", task.Subject)
	task, err = l.Create(t.Context(), tasks.Task{Subject: "slower"})
	require.NoError(t, err)
	require.Equal(t, []string{"2", "3"}, ids)
	require.Equal(t, "3", task.ID)
}

// TestTwoConversationsOnOneFile: each sees the tasks of the other, and one of them gets a task.
func TestTwoConversationsOnOneFile(t *testing.T) {
	t.Parallel()
	path := filePath(t)
	lists := []*tasks.List{open(t, path, tasks.Hooks{}), open(t, path, tasks.Hooks{})}
	const n = 25
	done := make(chan error)
	for i, l := range lists {
		go func() {
			for j := range n {
				if _, err := l.Create(t.Context(), tasks.Task{Subject: fmt.Sprint(i, " ", j)}); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range lists {
		require.NoError(t, <-done)
	}
	require.Equal(t, all(t, lists[0]), all(t, lists[1]))
	require.Equal(t, fmt.Sprint(2*n), lastID(all(t, lists[0])))
	owners := make(chan string)
	for i, l := range lists {
		go func() {
			for id := range n {
				if _, err := l.Update(t.Context(), fmt.Sprint(id+1), func(t *tasks.Task) error { t.Owner = fmt.Sprint("agent ", i); return nil }); err == nil {
					owners <- fmt.Sprint(id+1, " ", i)
				} else if !errors.Is(err, tasks.ErrOwned) {
					owners <- err.Error()
				}
			}
			owners <- ""
		}()
	}
	claimed := 0
	for ended := 0; ended < len(lists); {
		if <-owners == "" {
			ended++
		} else {
			claimed++
		}
	}
	require.Equal(t, n, claimed)
}
