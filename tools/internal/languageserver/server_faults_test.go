package languageserver_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/internal/languageserver"
)

var first = languageserver.Position{Line: 1, Column: 1}

// bubble is what a test of a server needs in its bubble of time.
type bubble struct {
	t      *testing.T
	server *languageserver.Server
	file   string
}

// with runs body in a bubble with a server that f plays and a file of one line.
func with(t *testing.T, f *fake, change func(*languageserver.Config), body func(b bubble)) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "a.x")
	require.NoError(t, os.WriteFile(file, []byte("a 😀 b\n"), 0o600))
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(file, old, old))
	synctest.Test(t, func(t *testing.T) {
		c := languageserver.Config{Name: "fake", Command: []string{"fake"}, Languages: map[string]string{".x": "x"}}
		if change != nil {
			change(&c)
		}
		pool := languageserver.NewPoolWith(f.serve)
		s, err := pool.Server(c, dir)
		require.NoError(t, err)
		body(bubble{t: t, server: s, file: file})
		require.NoError(t, pool.Close(t.Context()))
		_, err = s.Definition(t.Context(), file, first)
		require.ErrorIs(t, err, languageserver.ErrClosed)
		_, err = pool.Server(c, dir)
		require.ErrorIs(t, err, languageserver.ErrClosed)
	})
}

// onDefinition answers definitions.
func onDefinition(f func(r *fakeRun, m message)) func(*fakeRun, message) {
	return func(r *fakeRun, m message) {
		if m.Method == "textDocument/definition" {
			f(r, m)
		}
	}
}

// TestServerFaults asks servers that break the protocol. Each fault is an error that names it,
// and costs no more than the second start.
func TestServerFaults(t *testing.T) {
	t.Parallel()
	write := func(text string) func(*fakeRun, message) {
		return onDefinition(func(r *fakeRun, _ message) { _, _ = r.output.Write([]byte(text)) })
	}
	for _, tt := range []struct {
		name string
		on   func(*fakeRun, message)
		want string
	}{
		{name: "no header", on: write("{\"jsonrpc\":\"2.0\"}\n\n"), want: "which is no header"},
		{name: "an endless header", on: write("Content-Length: 1\r\nX: " + strings.Repeat("x", 20_000)), want: "a header that begins with"},
		{name: "a length of 2 GiB", on: write("Content-Length: 2147483648\r\n\r\n"), want: "a message of 2147483648 bytes"},
		{name: "a negative length", on: write("Content-Length: -1\r\n\r\n"), want: "a message of -1 bytes"},
		{name: "no JSON", on: write("Content-Length: 3\r\n\r\n{{{"), want: "invalid"},
		{name: "dies in a request", on: onDefinition(func(r *fakeRun, _ message) {
			_, _ = r.errors.Write([]byte("panic: out of cheese\n"))
			r.ended = true
		}), want: "it ended; its last output: panic: out of cheese"},
		{name: "asks back without an end", on: func(r *fakeRun, m message) {
			switch {
			case m.Method == "textDocument/definition", m.Method == "" && r.stop.Err() == nil:
				r.write(`{"jsonrpc":"2.0","id":7,"method":"workspace/workspaceFolders"}`)
			}
		}, want: "it asks back without an end"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := &fake{on: tt.on}
			with(t, f, nil, func(b bubble) {
				t, s, file := b.t, b.server, b.file
				_, err := s.Definition(t.Context(), file, first)
				var crash *languageserver.CrashError
				require.ErrorAs(t, err, &crash)
				require.False(t, crash.Gone)
				require.ErrorContains(t, err, tt.want)
				require.Equal(t, 2, f.starts)
			})
		})
	}
}

// TestServerStrayAnswers asks a server that answers twice and for nobody.
func TestServerStrayAnswers(t *testing.T) {
	t.Parallel()
	f := &fake{on: onDefinition(func(r *fakeRun, m message) {
		r.write(`{"jsonrpc":"2.0","id":4711,"result":null}`)
		r.write(`{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"x"}}`)
		for range 2 {
			r.answer(m, `[{"uri":"untitled:Untitled-1","range":{"start":{"line":3,"character":4},"end":{"line":3,"character":5}}}]`)
		}
	})}
	with(t, f, nil, func(b bubble) {
		t, s, file := b.t, b.server, b.file
		for range 3 {
			found, err := s.Definition(t.Context(), file, first)
			require.NoError(t, err)
			require.Equal(t, []languageserver.Location{{URI: "untitled:Untitled-1", Range: languageserver.Range{
				Start: languageserver.Position{Line: 4, Column: 5}, End: languageserver.Position{Line: 4, Column: 6},
			}}}, found)
		}
		require.Equal(t, 1, f.starts)
	})
}

// TestServerRestarts crashes a server at each request.
func TestServerRestarts(t *testing.T) {
	t.Parallel()
	f := &fake{on: onDefinition(func(r *fakeRun, m message) {
		if r.start == 6 {
			r.answer(m, `[]`)
			return
		}
		_, _ = fmt.Fprintln(r.errors, "crash", r.start)
		r.ended = true
	})}
	with(t, f, nil, func(b bubble) {
		t, s, file := b.t, b.server, b.file
		ask := func() error {
			_, err := s.Definition(t.Context(), file, first)
			return err
		}
		require.ErrorContains(t, ask(), "crash 2")
		require.ErrorContains(t, ask(), "crash 4")
		var crash *languageserver.CrashError
		require.ErrorAs(t, ask(), &crash)
		require.True(t, crash.Gone)
		require.ErrorContains(t, crash, "4 times in 5m0s")
		require.ErrorContains(t, crash, "its last output: crash 4")
		require.Equal(t, 4, f.starts)
		time.Sleep(5*time.Minute + time.Second)
		require.NoError(t, ask(), "the fifth process crashes, the sixth answers")
		require.Equal(t, 6, f.starts)
		require.Equal(t, 6, f.count("textDocument/didOpen"), "documents are opened again")
	})
}

// TestServerIsLate asks a server that never answers, and is busy.
func TestServerIsLate(t *testing.T) {
	t.Parallel()
	f := &fake{on: onDefinition(func(r *fakeRun, _ message) {
		r.write(`{"jsonrpc":"2.0","method":"$/progress","params":{"token":1,"value":{"kind":"begin","title":"Loading packages"}}}`)
	})}
	with(t, f, nil, func(b bubble) {
		t, s, file := b.t, b.server, b.file
		var titles []string
		defer s.Watch(func(title string) { titles = append(titles, title) })()
		begin := time.Now()
		_, err := s.Definition(t.Context(), file, first)
		var late *languageserver.TimeoutError
		require.ErrorAs(t, err, &late)
		require.Equal(t, 30*time.Second, time.Since(begin))
		require.Equal(t, []string{"Loading packages"}, late.Progress)
		synctest.Wait()
		require.Equal(t, []string{"Loading packages"}, titles)
		require.Equal(t, []string{`{"id":2}`}, f.params(t, "$/cancelRequest"))
		require.Equal(t, 1, f.starts)
	})
}

// TestServerOfACanceledCall cancels a request.
func TestServerOfACanceledCall(t *testing.T) {
	t.Parallel()
	f := &fake{}
	with(t, f, nil, func(b bubble) {
		t, s, file := b.t, b.server, b.file
		cause := errors.New("the user")
		ctx, cancel := context.WithCancelCause(t.Context())
		defer time.AfterFunc(time.Second, func() { cancel(cause) }).Stop()
		_, err := s.Definition(ctx, file, first)
		require.ErrorIs(t, err, cause)
		synctest.Wait()
		require.Equal(t, 1, f.count("$/cancelRequest"))
	})
}

// TestServerDoesNotStart asks servers that do not complete the handshake.
func TestServerDoesNotStart(t *testing.T) {
	t.Parallel()
	f := &fake{on: func(r *fakeRun, m message) {
		if m.Method == "initialize" {
			_, _ = fmt.Fprintln(r.errors, "waiting for a licence")
			<-r.stop.Done()
		}
	}}
	with(t, f, func(c *languageserver.Config) { c.Begin = 10 * time.Second }, func(b bubble) {
		t, s, file := b.t, b.server, b.file
		begin := time.Now()
		_, err := s.Definition(t.Context(), file, first)
		var failed *languageserver.StartError
		require.ErrorAs(t, err, &failed)
		require.ErrorContains(t, err, "it did not answer in time")
		require.ErrorContains(t, err, "waiting for a licence")
		require.Equal(t, 10*time.Second, time.Since(begin))
		require.False(t, s.Running())
	})
}

// TestServerIsIdle waits until a server is shut down, and asks it again.
func TestServerIsIdle(t *testing.T) {
	t.Parallel()
	f := &fake{on: onDefinition(func(r *fakeRun, m message) { r.answer(m, `null`) })}
	with(t, f, nil, func(b bubble) {
		t, s, file := b.t, b.server, b.file
		for starts := 1; starts <= 3; starts++ {
			_, err := s.Definition(t.Context(), file, first)
			require.NoError(t, err)
			time.Sleep(29 * time.Minute)
			require.True(t, s.Running())
			_, err = s.Definition(t.Context(), file, first)
			require.NoError(t, err)
			require.Equal(t, starts, f.starts)
			time.Sleep(30*time.Minute + time.Second)
			synctest.Wait()
			require.False(t, s.Running())
			require.Equal(t, starts, f.count("exit"))
		}
	})
}

// TestServerRequests lets a server ask for each thing.
func TestServerRequests(t *testing.T) {
	t.Parallel()
	answers := map[string]string{}
	ask := []struct{ method, params, want string }{
		{method: "workspace/configuration", params: `{"items":[{"section":"a.b"},{"section":"a"},{"section":"z"},{}]}`, want: `[1,{"b":1},null,{"a":{"b":1}}]`},
		{method: "client/registerCapability", params: `{"registrations":[{"id":"1","method":"workspace/didChangeWatchedFiles","registerOptions":{"watchers":[{"globPattern":"[{**"},{"globPattern":7}]}}]}`, want: `null`},
		{method: "window/workDoneProgress/create", params: `{"token":1}`, want: `null`},
		{method: "window/showMessageRequest", params: `{"type":1,"message":"x","actions":[{"title":"Delete all"}]}`, want: `null`},
		{method: "window/showDocument", params: `{"uri":"https://example.org"}`, want: `{"success":false}`},
		{method: "workspace/applyEdit", params: `{"edit":{}}`, want: `{"applied":false,"failureReason":"this client only reads"}`},
		{method: "custom/run", params: `{}`, want: `error`},
	}
	f := &fake{on: func(r *fakeRun, m message) {
		switch {
		case m.Method == "textDocument/definition":
			for i, a := range ask {
				r.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":"ask %d","method":%q,"params":%s}`, i, a.method, a.params))
			}
		case m.Method == "" && len(m.Error) > 0:
			answers[string(m.ID)] = "error"
		case m.Method == "":
			answers[string(m.ID)] = string(m.Result)
		}
	}}
	settings := func(c *languageserver.Config) { c.Settings, c.Request = []byte(`{"a":{"b":1}}`), time.Second }
	with(t, f, settings, func(b bubble) {
		t, s, file := b.t, b.server, b.file
		_, err := s.Definition(t.Context(), file, first)
		require.Error(t, err)
		synctest.Wait()
		for i, a := range ask {
			require.Equal(t, a.want, answers[fmt.Sprintf(`"ask %d"`, i)], a.method)
		}
	})
}

// TestServerDoesNotRead asks a server that stops reading. A call ends in time, and the pool
// can be closed.
func TestServerDoesNotRead(t *testing.T) {
	t.Parallel()
	f := &fake{on: func(r *fakeRun, m message) {
		if m.Method == "textDocument/didOpen" {
			<-r.stop.Done()
		}
	}}
	with(t, f, nil, func(b bubble) {
		t, s, file := b.t, b.server, b.file
		begin := time.Now()
		_, err := s.Definition(t.Context(), file, first)
		var late *languageserver.TimeoutError
		require.ErrorAs(t, err, &late)
		require.Equal(t, 30*time.Second, time.Since(begin))
		require.Equal(t, 1, f.starts)
	})
}
