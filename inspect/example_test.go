package inspect_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/inspect"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// The page is mounted in the host's server, at any path.
func ExampleNew() {
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	check(err)
	defer func() { check(session.Close(context.Background())) }()
	var registry pegboard.Registry
	check(registry.Add(tooltest.NewFake("Search")))

	page, err := inspect.New(inspect.Options{Registry: &registry, Session: session})
	check(err)
	var mux http.ServeMux
	mux.Handle("/debug/pegboard/", http.StripPrefix("/debug/pegboard", page))
	executor := pegboard.Executor{OnEvent: page.Record}
	executor.Run(context.Background(), registry.AssemblePool(session, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: "Search"})

	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost:6060/debug/pegboard/timeline", nil))
	fmt.Println(w.Code, strings.Contains(w.Body.String(), "Search"))
	// Output: 200 true
}

// A host with a listener of its own calls both.
func ExamplePage_Record() {
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	check(err)
	defer func() { check(session.Close(context.Background())) }()
	var registry pegboard.Registry
	check(registry.Add(tooltest.NewFake("Search")))
	page, err := inspect.New(inspect.Options{Registry: &registry, Session: session})
	check(err)

	executor := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		page.Record(e)
		if e.Kind == pegboard.EventFinished {
			fmt.Println(e.Call.Name, "ended:", e.Outcome.Decision.Behavior)
		}
	}}
	executor.Run(context.Background(), registry.AssemblePool(session, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: "Search", Input: json.RawMessage(`{}`)})
	// Output: Search ended: deny
}

// A page that shows inputs and answers questions needs a token, and answers to the names of
// this machine only. The program prints the address with the token to its terminal, and writes
// it nowhere else.
func ExamplePage_ServeHTTP() {
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	check(err)
	defer func() { check(session.Close(context.Background())) }()
	token := "printed-once-to-the-terminal" // of crypto/rand.Text in a program
	page, err := inspect.New(inspect.Options{Registry: new(pegboard.Registry), Session: session, Token: token, Contents: true, Answers: true})
	check(err)

	for _, address := range []string{"http://localhost:6060/", "http://localhost:6060/?token=" + token, "http://rebound.example:6060/"} {
		w := httptest.NewRecorder()
		page.ServeHTTP(w, httptest.NewRequest(http.MethodGet, address, nil))
		fmt.Println(strings.TrimSpace(fmt.Sprintln(w.Code, w.Body)))
	}
	// Output:
	// 401 The address of this page needs its token: open the one that the program has printed.
	// 303
	// 403 This page answers to the names of this machine only.
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
