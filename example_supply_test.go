package pegboard_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// openPage is a tool of the user's browser: this program knows its schema and its rules, the
// browser does the work.
var openPage = pegboard.Build(pegboard.Definition[struct {
	URL string `json:"url"`
}, struct {
	Title string `json:"title"`
}]{
	Info:        pegboard.Info{Name: "OpenPage", Supplied: true, Interrupt: pegboard.InterruptCancel},
	Description: "Opens a page in the user's browser.",
	Traits:      pegboard.Traits{OpenWorld: true, Concurrency: pegboard.Shared},
})

// browserSession returns a session in which pages may be opened.
func browserSession() *pegboard.Session {
	permissions, err := pegboard.NewPermissions("", pegboard.RuleSet{Allow: []string{"OpenPage"}})
	if err != nil {
		panic(err)
	}
	return begin(pegboard.SessionConfig{Permissions: permissions})
}

// fakeBrowser stands for an extension at the other end of a connection: it is sent what to
// do, and sends back what came of it.
func fakeBrowser(session *pegboard.Session, todo <-chan *pegboard.AwaitedCall) {
	for a := range todo {
		fmt.Println("browser:", string(a.Call.Input))
		if err := session.Supply(a.ID, pegboard.Supply{Output: []byte(`{"name":"Example"}`)}); errors.Is(err, pegboard.ErrInvalidOutput) {
			fmt.Println("not accepted, and still awaited")
		}
		if err := session.Supply(a.ID, pegboard.Supply{Output: []byte(`{"title":"Example"}`)}); err != nil {
			fmt.Println(err)
		}
	}
}

// A tool without a Call: the host has each call executed by a browser, and supplies what the
// browser answers.
func ExampleSession_Supply() {
	session, todo := browserSession(), make(chan *pegboard.AwaitedCall)
	defer close(todo)
	go fakeBrowser(session, todo)

	executor := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventAwaited {
			todo <- e.Awaited
		}
	}}
	var registry pegboard.Registry
	if err := registry.Add(openPage); err != nil {
		fmt.Println(err)
		return
	}
	out := executor.Run(context.Background(), registry.AssemblePool(session, pegboard.PoolConfig{}),
		pegboard.Call{ID: "1", Name: "OpenPage", Input: []byte(`{"url":"https://example.com"}`)})[0]
	fmt.Println(out.Result.Text(), out.Err)
	// Output:
	// browser: {"url":"https://example.com"}
	// not accepted, and still awaited
	// {"title":"Example"} <nil>
}

// A program that is about to end puts off the calls that are still awaited. It writes them
// down with the conversation, and the next one supplies their outcomes.
func ExampleExecutor_Supply() {
	var registry pegboard.Registry
	if err := registry.Add(openPage); err != nil {
		fmt.Println(err)
		return
	}
	session := browserSession()
	awaited := make(chan bool)
	executor := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventAwaited {
			close(awaited)
		}
	}}
	go func() {
		<-awaited // and the program is told to end
		for _, a := range session.Awaited() {
			if err := a.Supply(pegboard.Supply{Err: pegboard.ErrDeferred}); err != nil {
				fmt.Println(err)
			}
		}
	}()
	made := pegboard.Call{ID: "1", Name: "OpenPage", Input: []byte(`{"url":"https://example.com"}`)}
	first := executor.Run(context.Background(), registry.AssemblePool(session, pegboard.PoolConfig{}), made)[0]
	fmt.Println(errors.Is(first.Err, pegboard.ErrDeferred), first.Result.Text())

	// In the next process, with the call as it was written down.
	next := registry.AssemblePool(browserSession(), pegboard.PoolConfig{})
	var later pegboard.Executor
	out, err := later.Supply(context.Background(), next, made, pegboard.Supply{Output: []byte(`{"title":"Example"}`)})
	fmt.Println(out.Result.Text(), err)
	// Output:
	// true OpenPage has not been answered yet. The answer comes later.
	// {"title":"Example"} <nil>
}
