package stdio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
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
	messages chan jsonrpc.Message
	writing  chan struct{} // capacity 1: holds a value while a message is written
	closing  chan struct{} // closed by Close
	close    sync.Once
	left     bool        // the server ended, or its output did, before Close; final once closing is closed, as is stays
	stays    bool        // it left, and did not end
	broken   atomic.Bool // the server's input cannot be written to
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
		messages: make(chan jsonrpc.Message),
		writing:  make(chan struct{}, 1),
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
	return c, nil
}

// Connect returns c.
func (c *Connection) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID returns "": a process has one client.
func (c *Connection) SessionID() string { return "" }

// Done is closed when the process has ended.
func (c *Connection) Done() <-chan struct{} { return c.process.Done() }

// Fault closes the connection and returns why it broke: how the process ended, if that came
// first, and else err. The end of stderr is part of it.
func (c *Connection) Fault(err error) error {
	_ = c.Close()
	exit := c.process.Exit()
	switch {
	case !c.left && err != nil:
	case c.stays:
		err = errors.New("the server closed its output and did not end")
	case exit.Signal != "":
		err = errors.New("the server's process was ended by a signal: " + exit.Signal)
	default:
		err = fmt.Errorf("the server's process ended with exit code %d", exit.Code)
	}
	if printed := c.errors.text(); printed != "" {
		return fmt.Errorf("%w; the end of its stderr: %s", err, printed)
	}
	if _, first := c.exchange.Strays(); first != "" && c.left {
		return fmt.Errorf("%w; it printed what is no message of the protocol: %s", err, first)
	}
	return err
}

// Read returns the next message. The error is io.EOF if the server has closed its output.
func (c *Connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-c.messages:
		return m, nil
	case <-c.process.OutputDone():
		return nil, io.EOF
	case <-c.closing:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, context.Cause(ctx)
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
	select {
	case c.writing <- struct{}{}:
	case <-c.closing:
		return ErrClosed
	case <-c.process.Done():
		return io.ErrClosedPipe
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if isClosed(c.closing) { // both may have been possible
		<-c.writing
		return ErrClosed
	}
	data = append(data, '\n')
	n, err := c.process.Stdin().WriteNow(data)
	if n == len(data) || err != nil {
		return c.wrote(err)
	}
	// The server does not read at present. What is left must follow, even if ctx ends.
	done := make(chan error, 1)
	goroutine.Go(func() {
		_, err := c.process.Stdin().Write(data[n:])
		done <- c.wrote(err)
	})
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// wrote lets the next message be written. It returns the error for one whose writing ended
// with err.
func (c *Connection) wrote(err error) error {
	if err != nil {
		c.broken.Store(true)
		err = fmt.Errorf("%w: %w", io.ErrClosedPipe, err)
	}
	<-c.writing
	return err
}

// Close ends the server: its input ends, after 500 ms its process group is asked to end,
// and after 500 ms more it is killed. Close waits for the end.
func (c *Connection) Close() error {
	c.close.Do(func() {
		if c.left = c.broken.Load() || isClosed(c.process.OutputDone()) || isClosed(c.process.Done()); c.left {
			c.stays = !c.endsWithin(drain) // the end of a process comes after that of its output
		}
		close(c.closing)
		_ = c.process.Stdin().Close()
		if !c.endsWithin(closeGrace) {
			c.process.Stop(ErrClosed)
		}
	})
	<-c.process.Done()
	return nil
}

// endsWithin waits for the end of the process. It is false if that takes longer.
func (c *Connection) endsWithin(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-c.process.Done():
		return true
	case <-timer.C:
		return false
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// received handles a line of the server. It blocks until the message is read.
func (c *Connection) received(line []byte) {
	c.deliver(c.exchange.Received(line))
}

func (c *Connection) tooLong(id []byte) {
	c.deliver(c.exchange.TooLong(id, c.lines.limit))
}

// deliver hands a message to the reader of the connection. Nil is no message.
func (c *Connection) deliver(m jsonrpc.Message) {
	if m == nil {
		return
	}
	select {
	case c.messages <- m:
	case <-c.closing:
	}
}

// tail keeps the end of a server's stderr.
type tail struct {
	limit int
	log   func(line string)

	mu   sync.Mutex
	kept []byte // at most twice the limit
	line []byte // the beginning of a line, for log
}

func (t *tail) write(p []byte) {
	t.mu.Lock()
	t.kept = append(t.kept, p[max(0, len(p)-t.limit):]...)
	if len(t.kept) > 2*t.limit {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-t.limit:]...)
	}
	t.mu.Unlock()
	if t.log == nil {
		return
	}
	for line := range bytes.Lines(p) {
		t.line = append(t.line, line...)
		if end := len(t.line) - 1; t.line[end] == '\n' || end >= t.limit {
			t.log(strings.ToValidUTF8(strings.TrimSpace(string(t.line)), "\uFFFD"))
			t.line = t.line[:0]
		}
	}
}

// text returns the end of stderr, as whole characters.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept := t.kept[max(0, len(t.kept)-t.limit):]
	return strings.TrimSpace(strings.ToValidUTF8(string(kept), "\uFFFD"))
}

// lineReader splits the output of a server into lines.
type lineReader struct {
	limit   int                // bytes of a line
	line    func(line []byte)  // called with each line, which it may keep
	tooLong func(id []byte)    // called at the end of a line that was too long
	pending exchange.Buffer    // the beginning of a line
	finder  *exchange.IDFinder // of a line that is too long, while it lasts
}

// write reads a piece of the output.
func (r *lineReader) write(p []byte) {
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			r.add(p)
			return
		}
		r.add(p[:end])
		r.endLine()
		p = p[end+1:]
	}
}

func (r *lineReader) add(p []byte) {
	if r.finder == nil && r.pending.Len()+len(p) > r.limit {
		r.finder = new(exchange.IDFinder)
		r.pending.Pour(func(piece []byte) { _, _ = r.finder.Write(piece) })
	}
	if r.finder != nil {
		_, _ = r.finder.Write(p)
		return
	}
	r.pending.Add(p)
}

func (r *lineReader) endLine() {
	if r.finder != nil {
		id := r.finder.ID()
		r.finder = nil
		r.tooLong(id)
		return
	}
	if line := bytes.TrimSpace(r.pending.Take()); len(line) > 0 {
		r.line(line)
	}
}
