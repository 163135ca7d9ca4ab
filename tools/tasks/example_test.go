package tasks_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tasks"
)

// run runs calls of the tools in a session.
func run(s *pegboard.Session, tools []pegboard.Tool, calls ...pegboard.Call) {
	var registry pegboard.Registry
	if err := registry.Add(tools...); err != nil {
		log.Fatal(err)
	}
	var executor pegboard.Executor
	for _, out := range executor.Run(context.Background(), registry.AssemblePool(s, pegboard.PoolConfig{}), calls...) {
		fmt.Println(out.Result.Text())
	}
}

func newSession() *pegboard.Session {
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	return s
}

// A list in a file is that of all agents of a conversation, and of every program that opens it.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "conversation")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // of an example
	list, err := tasks.Open(filepath.Join(dir, "tasks.json"), tasks.Hooks{})
	if err != nil {
		log.Fatal(err)
	}
	if err := list.Problem(); err != nil {
		log.Print(err)
	}
	s := newSession()
	defer func() { _ = s.Close(context.Background()) }()
	run(s, list.Tools(),
		pegboard.Call{ID: "1", Name: "TaskCreate", Input: json.RawMessage(`{"subject": "Fix the test", "description": "It fails since Monday."}`)},
		pegboard.Call{ID: "2", Name: "TaskCreate", Input: json.RawMessage(`{"subject": "Release", "description": ""}`)},
		pegboard.Call{ID: "3", Name: "TaskUpdate", Input: json.RawMessage(`{"taskId": "2", "addBlockedBy": ["1"]}`)},
		pegboard.Call{ID: "4", Name: "TaskUpdate", Input: json.RawMessage(`{"taskId": "2", "owner": "ann"}`)},
		pegboard.Call{ID: "5", Name: "TaskList", Input: json.RawMessage(`{}`)})
	// Output:
	// Task #1 was added: Fix the test
	// Task #2 was added: Release
	// Task #2 (Release) was changed: blockedBy.
	// the task is blocked: #2 (Release) is blocked by #1 (Fix the test); take another task, or wait until that is completed
	// #1 [pending] Fix the test
	// #2 [pending] Release [waits for #1]
}

// The host adds tasks, too, and shows the list.
func ExampleList_Create() {
	ctx := context.Background()
	list, err := tasks.Open("", tasks.Hooks{})
	if err != nil {
		log.Fatal(err)
	}
	made, err := list.Create(ctx, tasks.Task{Subject: "Read the issue"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(made.ID, made.Status)
	if _, err := list.Create(ctx, tasks.Task{Subject: "Answer it", BlockedBy: []string{made.ID}}); err != nil {
		log.Fatal(err)
	}
	all, err := list.All(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range all {
		fmt.Println(t.Subject, t.BlockedBy)
	}
	// Output:
	// 1 pending
	// Read the issue []
	// Answer it [1]
}

// A change sees the task as it is, so that of several programs one gets a task.
func ExampleList_Update() {
	ctx := context.Background()
	list, err := tasks.Open("", tasks.Hooks{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := list.Create(ctx, tasks.Task{Subject: "Fix the test"}); err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"ann", "bob"} {
		t, err := list.Update(ctx, "1", func(t *tasks.Task) error {
			t.Owner, t.Status = name, tasks.InProgress
			return nil
		})
		fmt.Println(t.Owner, errors.Is(err, tasks.ErrOwned))
	}
	// Output:
	// ann false
	//  true
}

// A hook can keep a task from being completed. The model reads why.
func ExampleHooks() {
	passes := false
	list, err := tasks.Open("", tasks.Hooks{
		Completed: func(_ context.Context, e tasks.Event) error {
			if strings.Contains(e.Task.Subject, "test") && !passes {
				return errors.New("the test still fails")
			}
			return nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	s := newSession()
	defer func() { _ = s.Close(context.Background()) }()
	run(s, list.Tools(),
		pegboard.Call{ID: "1", Name: "TaskCreate", Input: json.RawMessage(`{"subject": "Fix the test", "description": ""}`)},
		pegboard.Call{ID: "2", Name: "TaskUpdate", Input: json.RawMessage(`{"taskId": "1", "status": "completed"}`)})
	passes = true
	run(s, list.Tools(), pegboard.Call{ID: "3", Name: "TaskUpdate", Input: json.RawMessage(`{"taskId": "1", "status": "completed"}`)})
	// Output:
	// Task #1 was added: Fix the test
	// the task was not completed: the test still fails
	// Task #1 (Fix the test) was changed: status. It is completed now.
}

// Each agent has a list of todos of its own.
func ExampleTodoWrite() {
	s := newSession()
	defer func() { _ = s.Close(context.Background()) }()
	run(s, []pegboard.Tool{tasks.TodoWrite(tasks.TodoOptions{})}, pegboard.Call{ID: "1", Name: "TodoWrite", Input: json.RawMessage(`{"todos": [
		{"content": "Find the mistake", "status": "completed", "activeForm": "Finding the mistake"},
		{"content": "Mend it", "status": "completed", "activeForm": "Mending it"},
		{"content": "Write the changelog", "status": "completed", "activeForm": "Writing the changelog"},
		{"content": "Commit", "status": "pending", "activeForm": "Committing"}]}`)})
	for _, todo := range tasks.Todos(s) {
		fmt.Println(todo.Status, todo.Content)
	}
	// Output:
	// The list of todos was replaced: 3 completed, 1 pending. 3 are completed and none of them verifies the work: add a step that does, such as running the tests or looking at the result, and do it before you report.
	// completed Find the mistake
	// completed Mend it
	// completed Write the changelog
	// pending Commit
}

// A host that works on texts has other words for verification.
func ExampleVerificationWords() {
	words := append(tasks.VerificationWords(), "prüfen", "testen")
	tool := tasks.TodoWrite(tasks.TodoOptions{Verification: words})
	fmt.Println(tool.Info().Name)
	// Output: TodoWrite
}

// A host shows one task, for example the one that the user has clicked on.
func ExampleList_Get() {
	ctx := context.Background()
	list, err := tasks.Open("", tasks.Hooks{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := list.Create(ctx, tasks.Task{Subject: "Fix the test", Description: "It fails since Monday."}); err != nil {
		log.Fatal(err)
	}
	t, err := list.Get(ctx, "1")
	fmt.Println(t.Subject, t.Status, t.Description, err)
	_, err = list.Get(ctx, "2")
	fmt.Println(errors.Is(err, tasks.ErrUnknownTask))
	// Output:
	// Fix the test pending It fails since Monday. <nil>
	// true
}
