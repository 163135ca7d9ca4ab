package main

import (
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// script returns the turns of the model: it looks around, makes every mistake that a
// call can contain, corrects it, and reports.
func script(linger time.Duration) []tooltest.Turn {
	return []tooltest.Turn{
		{Text: "I will look at what this repository is.", Calls: []pegboard.Call{
			tooltest.Call("Read", `{"file_path": "README.md", "limit": 12}`),
			tooltest.Call("Read", `{"file_path": "go.mod", "limit": 5}`),
			tooltest.Call("Glob", `{"pattern": "examples/*/main.go"}`),
		}},
		{Text: "Which Go builds it? I will also try a few things I am not sure of.", Calls: []pegboard.Call{
			tooltest.Call("Bash", `{"command": "go env GOOS", "description": "Show the system it builds for"}`),
			tooltest.Call("Read", `{"file_path": "/etc/shadow"}`),
			tooltest.Call("Globb", `{"pattern": "*.md"}`),
			tooltest.Call("Read", `{"path": "go.mod", "limit": 3}`),
		}},
		{Text: "The input was wrong; once more. And a command that needs your permission.", Calls: []pegboard.Call{
			tooltest.Call("Read", `{"file_path": "go.mod", "limit": 1}`),
			tooltest.Call("Bash", fmt.Sprintf(`{"command": "for f in doc.go tool.go pool.go; do echo \"looking at $f\"; sleep %.2f; done; sh -c 'grep -c . LICENSE'"}`, linger.Seconds()/3)),
			tooltest.Call("Glob", `{"pattern": "docs/*.md"}`),
			tooltest.Call("Read", `{"file_path": "LICENSE", "limit": 3}`),
		}},
		{Text: "This is pegboard, a Go library for the tools that a language model may call. The manual is doc.go."},
	}
}

// serve starts a server on the loopback interface that replays turns. Like the real
// service it refuses a request in which a call has no result.
func serve(turns []tooltest.Turn) (address string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: tooltest.Provider{Turns: turns}, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // stop ends it
	return "http://" + listener.Addr().String(), func() { _ = server.Close() }, nil
}
