package background_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// A tool adds what it has started, and the host asks for the news before it asks
// the model again.
func Example() {
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		panic(err)
	}
	defer func() { _ = s.Close(context.Background()) }()
	tasks := background.Of(s)

	// The tool.
	stopped := make(chan error, 1)
	handle, err := tasks.Add(s, background.Work{
		Kind:        "shell",
		Description: "run the tests",
		Stop:        func(cause error) { stopped <- cause },
		Output:      func() string { return "2 tests\nok\n" },
	})
	if err != nil {
		panic(err)
	}
	code := 0
	handle.Done(background.Completed, &code, nil)

	// The host.
	for _, part := range tasks.Notices(s) {
		text := strings.ReplaceAll(part.Text, handle.ID(), "shell_xxxxxx")
		head, _, _ := strings.Cut(text, " after ")
		_, rest, _ := strings.Cut(text, " with ")
		fmt.Println(head, "with", rest)
	}
	fmt.Println(len(tasks.Notices(s)), "more")
	// Output:
	// Background task shell_xxxxxx (run the tests) completed with exit code 0. Read its output with TaskOutput. It ends with:
	//     2 tests
	//     ok
	// 0 more
}

func ExampleTasks_Stop() {
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		panic(err)
	}
	defer func() { _ = s.Close(context.Background()) }()
	tasks := background.Of(s)
	stopped := make(chan error, 1)
	handle, err := tasks.Add(s, background.Work{Kind: "monitor", Stop: func(cause error) { stopped <- cause }})
	if err != nil {
		panic(err)
	}
	go func() { handle.Done(background.Killed, nil, <-stopped) }()

	task, err := tasks.StopCause(context.Background(), handle.ID(), errors.New("stopped by the user"))
	fmt.Println(task.State, task.Err, err)
	// Its caller knows how it ended. If that is the model, nobody needs a notice.
	fmt.Println(tasks.Acknowledge(s, handle.ID()), len(tasks.Notices(s)))

	_, err = tasks.Stop(context.Background(), handle.ID())
	fmt.Println(errors.Is(err, background.ErrEnded))
	// Output:
	// killed stopped by the user <nil>
	// true 0
	// true
}

func ExampleTasks_Wait() {
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		panic(err)
	}
	defer func() { _ = s.Close(context.Background()) }()
	tasks := background.Of(s)
	handle, err := tasks.Add(s, background.Work{Kind: "agent", Stop: func(error) {}, Output: func() string { return "found it" }})
	if err != nil {
		panic(err)
	}
	go handle.Done(background.Completed, nil, nil)

	task, err := tasks.Wait(context.Background(), handle.ID())
	if err != nil {
		panic(err)
	}
	output, err := tasks.Output(task.ID)
	fmt.Println(task.Kind, task.State, output, err)
	// Output: agent completed found it <nil>
}

func ExampleTasks_Watch() {
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		panic(err)
	}
	defer func() { _ = s.Close(context.Background()) }()
	tasks := background.Of(s)
	stop := tasks.Watch(func(list []background.Task) {
		fmt.Print(len(list), " tasks")
		for _, task := range list {
			fmt.Print(", ", task.Description, " ", task.State)
		}
		fmt.Println()
	})
	defer stop()
	handle, err := tasks.Add(s, background.Work{Description: "build", Stop: func(error) {}})
	if err != nil {
		panic(err)
	}
	handle.Done(background.Failed, nil, errors.New("no space left"))
	// Output:
	// 0 tasks
	// 1 tasks, build running
	// 1 tasks, build failed
}

func ExampleHandle_Notify() {
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		panic(err)
	}
	defer func() { _ = s.Close(context.Background()) }()
	tasks := background.Of(s)
	handle, err := tasks.Add(s, background.Work{Kind: "monitor", Stop: func(error) {}})
	if err != nil {
		panic(err)
	}
	handle.Notify("ERROR in line 7")
	for _, part := range tasks.Notices(s) {
		fmt.Println(strings.ReplaceAll(part.Text, handle.ID(), "monitor_xxxxxx"))
	}
	handle.Done(background.Completed, nil, nil)
	// Output: Background task monitor_xxxxxx: ERROR in line 7
}

// What a conversation left undone is there when it is opened again.
func ExampleConfigure() {
	parent, err := os.MkdirTemp("", "conversations-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(parent) }()
	open := func() *pegboard.Session {
		s, err := pegboard.NewSession(pegboard.SessionConfig{ID: "c1"})
		if err != nil {
			panic(err)
		}
		if err := background.Configure(s, background.Options{Dir: filepath.Join(parent, s.ID())}); err != nil {
			panic(err)
		}
		return s
	}

	s := open()
	stopped := make(chan error, 1)
	handle, err := background.Of(s).Add(s, background.Work{Kind: "shell", Description: "build", Stop: func(cause error) { stopped <- cause }})
	if err != nil {
		panic(err)
	}
	go func() { handle.Done(background.Killed, nil, <-stopped) }()
	fmt.Println(s.Close(context.Background()))

	s = open()
	for _, task := range background.Of(s).List() {
		fmt.Println(task.Description, task.State, task.Err)
	}
	fmt.Println(len(background.Of(s).Notices(s)), "notice")
	fmt.Println(s.Close(context.Background()))
	// Output:
	// <nil>
	// build killed session closed
	// 1 notice
	// <nil>
}

// The output of a task goes to a file that every agent of the conversation may read.
func ExampleTasks_NewFile() {
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		panic(err)
	}
	defer func() { _ = s.Close(context.Background()) }()
	tasks := background.Of(s)
	dir, err := tasks.Dir()
	if err != nil {
		panic(err)
	}
	path, err := tasks.NewFile("shell")
	if err != nil {
		panic(err)
	}
	handle, err := tasks.Add(s, background.Work{Kind: "shell", OutputFile: path, Stop: func(error) {}})
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(path, []byte("ok\n"), 0o600); err != nil {
		panic(err)
	}
	handle.Done(background.Completed, nil, nil)
	task, known := tasks.Get(handle.ID())
	fmt.Println(known, task.State, task.OutputFile == path, filepath.Dir(path) == dir)
	// Output: true completed true true
}

// A tool that waits for the user says which tasks have ended meanwhile. The loop still tells
// the model of each.
func ExampleTasks_Unreported() {
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		panic(err)
	}
	defer func() { _ = s.Close(context.Background()) }()
	tasks := background.Of(s)
	handle, err := tasks.Add(s, background.Work{Description: "build", Stop: func(error) {}})
	if err != nil {
		panic(err)
	}
	fmt.Println(len(tasks.Unreported(s)), "have ended")
	handle.Done(background.Completed, nil, nil)
	for _, task := range tasks.Unreported(s) {
		fmt.Println(task.Description, task.State)
	}
	fmt.Println(len(tasks.Notices(s)), "notice,", len(tasks.Unreported(s)), "not told")
	// Output:
	// 0 have ended
	// build completed
	// 1 notice, 0 not told
}
