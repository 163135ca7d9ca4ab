package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/exchange"
)

const (
	closeGrace = 500 * time.Millisecond // between the end of the input and the request to end
	stopGrace  = 500 * time.Millisecond // between that request and the kill
	drain      = 250 * time.Millisecond // for output that a descendant keeps open
	maxErrors  = 8 << 10                // bytes of stderr that are kept
)

// ErrClosed is the error of reading from a connection that was closed here.
var ErrClosed = errors.New("the connection is closed")

// Server is the process to start.
type Server struct {
	Args []string
	Dir  string // absolute
	Env  []string
	// MaxMessage is how many bytes a message may have. A longer one is not read; the request
	// that it answers fails.
	MaxMessage int
	// Log is called with each line that the server writes to stderr. Nil ignores them.
	Log func(line string)
}

// Connection is a connection to a running server. It implements the SDK's Connection and
// Transport. Its methods may be called concurrently.
type Connection struct {
	exchange *exchange.Exchange
	process  *proc.Process
	lines    *lineReader
	errors   *tail
	messages chan []byte
	writes   chan write
	closing  chan struct{} // closed by Close
	close    sync.Once
}

type write struct {
	data []byte
	done chan<- error
}

var (
	_ mcp.Connection = (*Connection)(nil)
	_ mcp.Transport  = (*Connection)(nil)
)

// Start starts the server. It ends with ctx. Its messages pass through x.
func Start(ctx context.Context, table *proc.Table, s Server, x *exchange.Exchange) (*Connection, error) {
	c := &Connection{
		exchange: x,
		errors:   &tail{limit: maxErrors, log: s.Log},
		messages: make(chan []byte),
		writes:   make(chan write),
		closing:  make(chan struct{}),
	}
	c.lines = &lineReader{limit: s.MaxMessage, line: c.received, tooLong: c.tooLong}
	process, err := table.Start(ctx, proc.Command{
		Args: s.Args, Dir: s.Dir, Env: s.Env, Stdin: true,
		Grace: stopGrace, Drain: drain, MaxOutput: -1, Keep: 1,
		Output: c.lines.write, Errors: c.errors.write,
	})
	if err != nil {
		return nil, err
	}
	c.process = process
	goroutine.Go(c.writeAll)
	return c, nil
}

// Connect returns c.
func (c *Connection) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID returns "": a process has one client.
func (c *Connection) SessionID() string { return "" }

// Done is closed when the process has ended.
func (c *Connection) Done() <-chan struct{} { return c.process.Done() }

// Err returns how the process ended, with the end of what it wrote to stderr. It waits
// for the end.
func (c *Connection) Err() error {
	exit := c.process.Exit()
	text := fmt.Sprintf("the server's process ended with exit code %d", exit.Code)
	if exit.Signal != "" {
		text = "the server's process was ended by a signal: " + exit.Signal
	}
	if printed := c.errors.text(); printed != "" {
		text += "; the end of its stderr: " + printed
	} else if _, first := c.exchange.Strays(); first != "" {
		text += "; it printed no message of the protocol, but: " + first
	}
	return errors.New(text)
}

// Read returns the next message. The error is io.EOF if the server has closed its output.
func (c *Connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case raw := <-c.messages:
			m, err := jsonrpc.DecodeMessage(raw)
			if err == nil {
				return m, nil
			}
			c.exchange.Unreadable(raw)
		case <-c.process.OutputDone():
			return nil, io.EOF
		case <-c.closing:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Write sends a message. If ctx ends while the server does not read its input, the message
// is sent later, and the server cannot be sent another one before.
func (c *Connection) Write(ctx context.Context, m jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	c.exchange.Sent(data)
	done := make(chan error, 1)
	select {
	case c.writes <- write{data: append(data, '\n'), done: done}:
	case <-c.closing:
		return ErrClosed
	case <-c.process.Done():
		return io.ErrClosedPipe
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// writeAll writes the messages in order, until the connection ends.
func (c *Connection) writeAll() {
	for {
		select {
		case w := <-c.writes:
			_, err := c.process.Stdin().Write(w.data)
			w.done <- err
		case <-c.closing:
			return
		case <-c.process.Done():
			return
		}
	}
}

// Close ends the server: its input ends, after 500 ms its process group is asked to end,
// and after 500 ms more it is killed. Close waits for the end.
func (c *Connection) Close() error {
	c.close.Do(func() {
		close(c.closing)
		c.process.Stdin().Close()
		timer := time.NewTimer(closeGrace)
		defer timer.Stop()
		select {
		case <-c.process.Done():
		case <-timer.C:
			c.process.Stop(ErrClosed)
		}
	})
	<-c.process.Done()
	return nil
}

// received handles a line of the server. It blocks until the message is read.
func (c *Connection) received(line []byte) {
	if raw := c.exchange.Received(line); raw != nil {
		c.deliver(raw)
	}
}

func (c *Connection) tooLong(id []byte) {
	if raw := c.exchange.TooLong(id, c.lines.limit); raw != nil {
		c.deliver(raw)
	}
}

func (c *Connection) deliver(raw []byte) {
	select {
	case c.messages <- raw:
	case <-c.closing:
	}
}
