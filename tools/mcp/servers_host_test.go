package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

// wrong is how a func of the host does not return.
type wrong struct {
	name string
	do   func(end <-chan struct{})
}

var wrongs = []wrong{
	{name: "panics", do: func(<-chan struct{}) { panic("a func of the host") }},
	{name: "hangs", do: func(end <-chan struct{}) { <-end }},
	{name: "ends its goroutine", do: func(<-chan struct{}) { runtime.Goexit() }},
}

// wrongHandler is a log that does not return.
type wrongHandler struct{ do func() }

func (h wrongHandler) Enabled(context.Context, slog.Level) bool  { return true }
func (h wrongHandler) Handle(context.Context, slog.Record) error { h.do(); return nil }
func (h wrongHandler) WithAttrs([]slog.Attr) slog.Handler        { return h }
func (h wrongHandler) WithGroup(string) slog.Handler             { return h }

// TestFuncsOfTheHost has funcs of the host panic, hang and end their goroutine. The server is
// connected or fails in time, the other calls go on, and closing does not wait.
func TestFuncsOfTheHost(t *testing.T) {
	t.Parallel()
	sampling := scriptedInput{Request: `"method":"sampling/createMessage","params":{"messages":[],"maxTokens":10}`}
	form := scriptedInput{Request: `"method":"elicitation/create","params":{"message":"who?","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`}
	notices := lines(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"a"}}`, answered)
	tests := []struct {
		name   string
		change func(s *setup, do func())
		tool   string
		input  scriptedInput
	}{
		{name: "OnState", change: func(s *setup, do func()) { s.options.OnState = func(mcp.State) { do() } }},
		{name: "Logger", change: func(s *setup, do func()) { s.options.Logger = slog.New(wrongHandler{do}) }, tool: "say", input: notices},
		{name: "Trusted", change: func(s *setup, do func()) { s.options.Trusted = func(mcpjson.Server) bool { do(); return true } }},
		{name: "Sample", change: func(s *setup, do func()) {
			s.options.Sample = func(context.Context, string, json.RawMessage) (json.RawMessage, error) { do(); return nil, nil }
		}, tool: "ask", input: sampling},
		{name: "Fill", change: func(s *setup, do func()) {
			s.session.Fill = func(context.Context, *pegboard.Form) (pegboard.Filled, error) { do(); return pegboard.Filled{}, nil }
		}, tool: "ask", input: form},
	}
	for _, tt := range tests {
		for _, w := range wrongs {
			t.Run(tt.name+" "+w.name, func(t *testing.T) {
				t.Parallel()
				end := make(chan struct{})
				b := newBridge(t, func(s *setup) {
					if tt.name == "Trusted" && w.name == "hangs" {
						s.options.Begin = 2 * time.Second
					}
					tt.change(s, func() { w.do(end) })
				}, own(t, "srv", "banner"), own(t, "other", "usual"))
				t.Cleanup(func() {
					ctx, cancel := context.WithTimeout(context.Background(), maxClose)
					defer cancel()
					require.NoError(t, b.servers.Close(ctx))
					close(end) // the session waits for a form that is shown
				})
				if tt.name == "Trusted" && w.name == "hangs" {
					ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
					defer cancel()
					require.Eventually(t, func() bool { return errors.Is(b.now("srv").Err, mcp.ErrSlowStart) }, soon, poll)
					require.ErrorIs(t, b.servers.Ready(ctx), context.DeadlineExceeded)
					return
				}
				b.ready().requireEcho("srv")
				if tt.tool != "" {
					ctx, cancel := context.WithTimeoutCause(t.Context(), 500*time.Millisecond, errors.New("the user has left"))
					defer cancel()
					began := time.Now()
					o := b.callContext(ctx, "srv", tt.tool, tt.input)
					require.Less(t, time.Since(began), soon)
					if o.Err != nil {
						require.ErrorContains(t, o.Err, "the user has left")
					}
				}
				b.requireEcho("srv")
				b.requireEcho("other")
			})
		}
	}
}
