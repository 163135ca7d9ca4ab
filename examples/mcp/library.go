package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/serve"
)

type book struct {
	Title string `json:"title,omitempty"`
}

// A library is a pool of tools that is served.
type library struct {
	registry pegboard.Registry
	server   *serve.Server
}

// serveLibrary serves a library to the program that has started this one.
func serveLibrary(ctx context.Context) error {
	l := &library{}
	server, err := serve.New(serve.Options{Name: "library", Version: "1.0.0", Instructions: "Lends books.", Open: l.open})
	if err != nil {
		return err
	}
	l.server = server
	if err := l.registry.Add(
		l.tool("Borrow", "Borrows a book.", nil),
		l.tool("Sell", "Sells a book.", nil),
		l.tool("Reserve", "Reserves a book for the user.", l.reserve),
		l.tool("TakeStock", "Counts all books, which takes an hour.", l.takeStock),
		l.tool("Open", "Opens the desk for returned books.", l.openDesk),
	); err != nil {
		return err
	}
	return server.Stdio(ctx)
}

// open makes the session of a client. The rules of the library hold for each call, besides
// those of the client. The client's user is asked about any other call.
func (l *library) open(context.Context, serve.Client) (*pegboard.Session, func() *pegboard.Pool, error) {
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{
		Allow: []string{"Borrow", "Reserve", "TakeStock", "Open", "Return"},
	})
	if err != nil {
		return nil, nil, err
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: os.TempDir(), Permissions: permissions, Ask: l.server.Ask, Elicit: l.server.Elicit})
	return session, func() *pegboard.Pool { return l.registry.AssemblePool(session, pegboard.PoolConfig{}) }, err
}

// tool returns a tool for books. If call is nil, its result is its name and the title of the book.
func (l *library) tool(name, description string, call func(context.Context, book, *pegboard.Call) (string, error)) pegboard.Tool {
	if call == nil {
		call = func(_ context.Context, b book, _ *pegboard.Call) (string, error) {
			return fmt.Sprintf("%s: %s", name, b.Title), nil
		}
	}
	return pegboard.Build(pegboard.Definition[book, string]{Info: pegboard.Info{Name: name}, Description: description, Call: call})
}

// reserve asks the user of the client for a day, wherever the client is.
func (l *library) reserve(ctx context.Context, b book, c *pegboard.Call) (string, error) {
	filled, err := c.Session().Elicit(ctx, pegboard.Elicitation{
		From: "library", Message: "When do you need " + b.Title + "?",
		Schema: json.RawMessage(`{"type":"object","properties":{"day":{"type":"string"}},"required":["day"]}`),
	})
	if err != nil || filled.Action != pegboard.ElicitAccept {
		return "not reserved", err
	}
	var answer struct{ Day string }
	err = json.Unmarshal(filled.Content, &answer)
	return b.Title + " is reserved until " + answer.Day, err
}

// takeStock is slow and reports how far it has come.
func (l *library) takeStock(ctx context.Context, _ book, c *pegboard.Call) (string, error) {
	for shelf := 1; ; shelf++ {
		c.Emit(fmt.Sprintf("shelf %d is counted", shelf))
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// openDesk adds a tool and tells all clients.
func (l *library) openDesk(context.Context, book, *pegboard.Call) (string, error) {
	if err := l.registry.Add(l.tool("Return", "Returns a book.", nil)); err != nil {
		return "", err
	}
	l.server.Refresh()
	return "the desk is open", nil
}
