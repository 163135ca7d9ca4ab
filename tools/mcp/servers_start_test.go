package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

// TestServersThatDoNotBegin starts servers that cannot be connected beside one that can. The
// error of each says why.
func TestServersThatDoNotBegin(t *testing.T) {
	tests := []struct {
		mode   string
		status mcp.Status // of the first failure
		err    string
		slow   bool // the time for the beginning is used up
	}{
		{mode: "missing", status: mcp.Failed, err: "cannot be started"},
		{mode: "exit", status: mcp.Pending, err: "exit code 3; the end of its stderr: no configuration found"},
		{mode: "usage", status: mcp.Pending, err: "did not begin in time", slow: true},
		{mode: "shut", status: mcp.Pending, err: "closed its output"},
		{mode: "ignore", status: mcp.Pending, err: "did not begin in time", slow: true},
		{mode: "refuse", status: mcp.Pending, err: "the license has expired"},
		{mode: "version", status: mcp.Pending, err: `unsupported protocol version: "1999-01-01"`},
		{mode: "nolist", status: mcp.Pending, err: "its tools are no list"},
		{mode: "faultylist", status: mcp.Pending, err: "the database is down"},
		{mode: "stubborn", status: mcp.Ready},
		{mode: "fork", status: mcp.Ready},
		{mode: "banner", status: mcp.Ready},
		{mode: "early", status: mcp.Ready},
	}
	var configs []mcpjson.Server
	for _, tt := range tests {
		config := own(t, tt.mode, tt.mode)
		if tt.mode == "missing" {
			config.Command = "pegboard-no-such-command"
		}
		configs = append(configs, config)
	}
	b := newBridge(t, func(s *setup) { s.options.Begin, s.options.Local = 5*time.Second, len(tests) }, append(configs, own(t, "good", "usual"))...)
	for _, tt := range tests {
		t.Run(tt.mode, func(t *testing.T) {
			s := b.until(tt.mode, func(s mcp.State) bool { return s.Err != nil || s.Status == mcp.Ready })
			require.Equal(t, tt.status, s.Status, s.Err)
			if tt.err == "" {
				b.requireEcho(tt.mode)
				return
			}
			require.ErrorContains(t, s.Err, tt.err)
			if !tt.slow {
				require.NotErrorIs(t, s.Err, mcp.ErrSlowStart)
			}
		})
	}
	b.ready("good").requireEcho("good")
	require.Equal(t, 6, b.now("banner").Strays)
	require.Equal(t, "starting server on stdio…", b.now("banner").FirstStray)
}

// TestShellThatForks starts a server by a shell that stays, and one whose helper outlives it.
func TestShellThatForks(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil || runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	shell := func(name, script string) mcpjson.Server {
		s := own(t, name, "usual")
		s.Command, s.Args = "sh", []string{"-c", script, s.Command}
		return s
	}
	b := newBridge(t, nil, shell("stays", `"$0"; true`), shell("helper", `sleep 600 & "$0"`), shell("holds", `(trap "" TERM; sleep 600) & "$0"`))
	b.ready()
	for _, name := range []string{"stays", "helper", "holds"} {
		b.requireEcho(name)
	}
	began := time.Now()
	b.close()
	require.Less(t, time.Since(began), maxClose)
}

// TestServersThatEnd has servers end while calls run. The calls fail at once with the name of
// the server, and the server is connected again.
func TestServersThatEnd(t *testing.T) {
	t.Parallel()
	tests := []struct {
		tool string
		err  string
	}{
		{tool: "die", err: "exit code 3; the end of its stderr: fatal: disk full"},
		{tool: "shut", err: "closed its output"},
	}
	for _, tt := range tests {
		t.Run(tt.tool, func(t *testing.T) {
			t.Parallel()
			b := newBridge(t, nil, own(t, "srv", "usual"), own(t, "other", "usual")).ready()
			b.servers.Sync(t.Context())
			pool := b.registry.AssemblePool(b.session, pegboard.PoolConfig{})
			waiting, call := make(chan pegboard.Outcome, 1), newCall(t, "srv", "wait", scriptedInput{})
			go func() { waiting <- b.executor.Run(t.Context(), pool, call)[0] }()
			input, err := json.Marshal(scriptedInput{Text: "disk full"})
			require.NoError(t, err)
			_, err = b.servers.Invoke(t.Context(), "srv", tt.tool, input)
			for _, err := range []error{err, (<-waiting).Err} {
				var fault *mcp.ServerError
				require.ErrorAs(t, err, &fault)
				require.Equal(t, "srv", fault.Server)
				require.ErrorContains(t, err, tt.err)
			}
			b.requireEcho("other")
			b.ready("srv").requireEcho("srv")
		})
	}
}

// TestServerThatDoesNotRead has a server read nothing while calls are made, cancelled, and
// made again. Closing does not wait for it.
func TestServerThatDoesNotRead(t *testing.T) {
	t.Parallel()
	b := newBridge(t, nil, own(t, "srv", "usual"), own(t, "other", "usual")).ready()
	short := func(tool string, size int) error {
		ctx, cancel := context.WithTimeoutCause(t.Context(), 200*time.Millisecond, errors.New("the user has left"))
		defer cancel()
		return b.callContext(ctx, "srv", tool, scriptedInput{Text: string(make([]byte, size))}).Err
	}
	require.ErrorContains(t, short("deaf", 0), "the user has left")
	for n := range 3 {
		began := time.Now()
		require.ErrorContains(t, short("echo", 300<<10+n), "the user has left")
		require.Less(t, time.Since(began), soon)
	}
	b.requireEcho("other")
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	require.NoError(t, b.servers.Reconnect(ctx, "srv"))
	b.requireEcho("srv")
	require.Less(t, time.Since(began), maxClose)
}

// TestRedirects expects that nothing is sent to another host than that of the configuration.
func TestRedirects(t *testing.T) {
	t.Parallel()
	var reached atomic.Int64
	foreign := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(foreign.Close)
	serve := func(handler http.HandlerFunc) string {
		s := httptest.NewServer(handler)
		t.Cleanup(s.Close)
		return s.URL
	}
	redirect := serve(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, foreign.URL, http.StatusTemporaryRedirect)
	})
	endpoint := serve(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte("event: endpoint\ndata: " + foreign.URL + "/messages\n\n"))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	html := serve(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html>Please log in to the network</html>"))
	})
	tests := []struct {
		name, url string
		kind      mcpjson.Type
		err       string
	}{
		{name: "redirect", url: redirect, kind: mcpjson.HTTP, err: "another host"},
		{name: "redirect-sse", url: redirect, kind: mcpjson.SSE, err: "another host"},
		{name: "endpoint", url: endpoint, kind: mcpjson.SSE, err: "another host"},
		{name: "html", url: html, kind: mcpjson.HTTP, err: "did not answer with a message of the protocol"},
		{name: "html-sse", url: html, kind: mcpjson.SSE, err: "malformed line"},
		{name: "closed", url: "http://127.0.0.1:1", kind: mcpjson.HTTP, err: "refused"},
	}
	var configs []mcpjson.Server
	for _, tt := range tests {
		configs = append(configs, mcpjson.Server{Name: tt.name, Type: tt.kind, URL: tt.url})
	}
	b := newBridge(t, func(s *setup) { s.options.Begin = 10 * time.Second }, configs...)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := b.until(tt.name, func(s mcp.State) bool { return s.Err != nil })
			require.ErrorContains(t, s.Err, tt.err)
			require.NotErrorIs(t, s.Err, mcp.ErrSlowStart)
		})
	}
	require.Zero(t, reached.Load())
}
