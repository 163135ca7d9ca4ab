package stdio_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/exchange"
	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/stdio"
)

const limit = 1 << 20

// A connected is a connection with a process that plays a role.
type connected struct {
	*stdio.Connection
	exchange *exchange.Exchange
	table    *proc.Table
}

func start(t *testing.T, role string, log func(string), args ...string) connected {
	t.Helper()
	path, err := os.Executable()
	require.NoError(t, err)
	c := connected{exchange: new(exchange.Exchange), table: new(proc.Table)}
	c.Connection, err = stdio.Start(t.Context(), c.table, stdio.Server{
		Args: append([]string{path}, args...), Dir: t.TempDir(), Env: append(os.Environ(), roleName+"="+role), MaxMessage: limit, Log: log,
	}, c.exchange)
	require.NoError(t, err)
	t.Cleanup(func() {
		began := time.Now()
		require.NoError(t, c.Close())
		require.Less(t, time.Since(began), soon)
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		require.NoError(t, c.table.Close(ended), "a process is left")
	})
	return c
}

func request(t *testing.T, id int64, params string) *jsonrpc.Request {
	t.Helper()
	m, err := jsonrpc.DecodeMessage(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"ask","params":{"a":%q}}`, id, params))
	require.NoError(t, err)
	require.IsType(t, new(jsonrpc.Request), m)
	r, _ := m.(*jsonrpc.Request)
	return r
}

// TestRead has a process print texts, and expects the messages among them.
func TestRead(t *testing.T) {
	t.Parallel()
	const notice = `{"jsonrpc":"2.0","method":"a","params":{}}`
	tests := []struct {
		name     string
		printed  string
		messages int
		strays   int
	}{
		{name: "a message", printed: notice + "\n", messages: 1},
		{name: "with a return", printed: notice + "\r\n" + notice + "\r\n", messages: 2},
		{name: "empty lines", printed: "\n\r\n  \n" + notice + "\n\n", messages: 1},
		{name: "text", printed: "starting\n" + notice + "\nready\n" + notice + "\n", messages: 2, strays: 2},
		{name: "without an end", printed: notice + "\n" + notice, messages: 1},
		{name: "a byte order mark", printed: "\ufeff" + notice + "\n" + notice + "\n", messages: 1, strays: 1},
		{name: "two in a line", printed: notice + notice + "\n" + notice + "\n", messages: 1, strays: 1},
		{name: "invalid UTF-8", printed: "{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":{\"b\":\"\xff\"}}\n", messages: 1},
		{name: "a control character", printed: "\x01\x01\n" + notice + "\n", messages: 1, strays: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := start(t, "print", nil, tt.printed)
			for range tt.messages {
				m, err := c.Read(t.Context())
				require.NoError(t, err)
				require.IsType(t, &jsonrpc.Request{}, m)
			}
			ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, errors.New("nothing more"))
			defer cancel()
			_, err := c.Read(ctx)
			require.EqualError(t, err, "nothing more")
			strays, _ := c.exchange.Strays()
			require.Equal(t, tt.strays, strays)
		})
	}
}

// TestAnswerTooLong has requests of all lengths around the limit repeated as their answers.
func TestAnswerTooLong(t *testing.T) {
	t.Parallel()
	for id, size := range []int{10, limit - 200, limit + 1, 3 * limit} {
		c := start(t, "repeat", nil)
		require.NoError(t, c.Write(t.Context(), request(t, int64(id), strings.Repeat("x", size))))
		m, err := c.Read(t.Context())
		require.NoError(t, err)
		answer, ok := m.(*jsonrpc.Response)
		require.True(t, ok)
		require.Equal(t, int64(id), answer.ID.Raw())
		if size < limit {
			require.NoError(t, answer.Error)
		} else {
			require.ErrorContains(t, answer.Error, "longer than 1048576 bytes")
		}
	}
}

// TestWrites writes from many goroutines at once. Each message arrives whole.
func TestWrites(t *testing.T) {
	t.Parallel()
	c := start(t, "repeat", nil)
	const count = 50
	var writers sync.WaitGroup
	for id := range count {
		writers.Go(func() {
			if err := c.Write(t.Context(), request(t, int64(id), strings.Repeat("x", id*1000))); err != nil {
				t.Error(err)
			}
		})
	}
	seen := map[any]bool{}
	for range count {
		m, err := c.Read(t.Context())
		require.NoError(t, err)
		answer, ok := m.(*jsonrpc.Response)
		require.True(t, ok)
		require.False(t, seen[answer.ID.Raw()])
		seen[answer.ID.Raw()] = true
	}
	writers.Wait()
	strays, _ := c.exchange.Strays()
	require.Zero(t, strays)
}

// TestWriteToADeafServer expects that a write ends with its context, and with the connection.
func TestWriteToADeafServer(t *testing.T) {
	t.Parallel()
	c := start(t, "deaf", nil)
	ctx, cancel := context.WithCancelCause(t.Context())
	writing, long := make(chan error, 1), request(t, 1, strings.Repeat("x", limit))
	go func() { writing <- c.Write(ctx, long) }()
	_, err := c.Read(t.Context()) // the server has begun to read
	require.NoError(t, err)
	cancel(errors.New("given up"))
	require.EqualError(t, <-writing, "given up")
	require.EqualError(t, c.Write(ctx, long), "given up")
	waiting, last := make(chan error, 1), request(t, 1, "")
	go func() { waiting <- c.Write(context.Background(), last) }()
	require.NoError(t, c.Close())
	select {
	case err := <-waiting:
		require.ErrorIs(t, err, stdio.ErrClosed)
	case <-time.After(soon):
		require.Fail(t, "the write hangs")
	}
	require.Error(t, c.Write(t.Context(), request(t, 1, "")))
	_, err = c.Read(t.Context())
	require.ErrorIs(t, err, io.EOF)
}

// TestWriteToALateServer gives up waiting for a message to be written. It arrives whole all the
// same, and before the next one.
func TestWriteToALateServer(t *testing.T) {
	t.Parallel()
	readOn := filepath.Join(t.TempDir(), "read")
	c := start(t, "late", nil, readOn)
	ctx, cancel := context.WithCancelCause(t.Context())
	first, wrote := request(t, 1, strings.Repeat("x", limit/2)), make(chan error, 1)
	go func() { wrote <- c.Write(ctx, first) }()
	_, err := c.Read(t.Context()) // that the server has read the beginning
	require.NoError(t, err)
	cancel(errors.New("given up"))
	require.EqualError(t, <-wrote, "given up")
	require.NoError(t, os.WriteFile(readOn, nil, 0o600))
	require.NoError(t, c.Write(t.Context(), request(t, 2, "y")))
	for id := range 2 {
		m, err := c.Read(t.Context())
		require.NoError(t, err)
		answer, ok := m.(*jsonrpc.Response)
		require.True(t, ok)
		require.Equal(t, int64(id+1), answer.ID.Raw())
		require.NoError(t, answer.Error)
	}
	strays, _ := c.exchange.Strays()
	require.Zero(t, strays)
}

// TestErrors expects each line of stderr in the log, and the end of it in the error.
func TestErrors(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var logged []string
	c := start(t, "errors", func(line string) {
		mu.Lock()
		defer mu.Unlock()
		logged = append(logged, line)
	})
	_, err := c.Read(t.Context())
	require.ErrorIs(t, err, io.EOF)
	err = c.Fault(errors.New("not this"))
	require.ErrorContains(t, err, "ended with exit code 7; the end of its stderr: ")
	require.ErrorContains(t, err, "\nline 2999 é\nthe end\ufffd")
	require.Less(t, len(err.Error()), 9<<10)
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, "line 0 é", logged[0])
	require.GreaterOrEqual(t, len(logged), 3000)
	for n := range 3000 {
		require.Equal(t, fmt.Sprintf("line %d é", n), logged[n])
	}
}

// TestFault expects what says most of why a connection ended.
func TestFault(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	tests := []struct {
		role, want string
		read       bool // until the output ends
	}{
		{role: "print", want: "refused"},
		{role: "shut", read: true, want: "the server closed its output and did not end"},
		{role: "three", read: true, want: "the server's process ended with exit code 0"},
		{role: "stubborn", want: "refused; the end of its stderr: not yet"},
	}
	for _, tt := range tests {
		t.Run(tt.role, func(t *testing.T) {
			t.Parallel()
			c := start(t, tt.role, nil)
			if tt.read {
				_, err := c.Read(t.Context())
				require.ErrorIs(t, err, io.EOF)
			}
			if tt.role == "stubborn" { // it has started, and printed
				_, err := c.Read(t.Context())
				require.NoError(t, err)
			}
			began := time.Now()
			require.EqualError(t, c.Fault(refused), tt.want)
			require.Less(t, time.Since(began), soon)
			require.Equal(t, tt.want == "refused" || tt.role == "stubborn", errors.Is(c.Fault(refused), refused))
		})
	}
}
