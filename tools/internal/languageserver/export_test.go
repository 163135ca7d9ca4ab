package languageserver

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// Limits.
const (
	MaxDocuments = maxDocuments
	MaxMessage   = maxMessage
)

// NewPoolWith returns a pool whose servers are funcs of this process. stop ends with the
// program. A func that returns is a program that ends.
func NewPoolWith(serve func(stop context.Context, input io.Reader, output, errors io.Writer)) *Pool {
	p := NewPool()
	p.launch = func(_ context.Context, _ Config, _ string, output, errors func([]byte)) (program, error) {
		f := &funcProgram{done: make(chan struct{})}
		f.stop, f.cancel = context.WithCancel(context.Background())
		read, write := io.Pipe()
		f.input = write
		goroutine.Go(func() {
			defer close(f.done)
			defer f.cancel()
			defer func() { _ = read.Close() }()
			stop := context.AfterFunc(f.stop, func() { _ = read.Close() })
			defer stop()
			serve(f.stop, read, writerFunc(output), writerFunc(errors))
		})
		return f, nil
	}
	return p
}

type funcProgram struct {
	input  io.WriteCloser
	done   chan struct{}
	stop   context.Context //nolint:containedctx // ends with the program
	cancel context.CancelFunc
}

func (f *funcProgram) Input() io.WriteCloser { return f.input }
func (f *funcProgram) Done() <-chan struct{} { return f.done }
func (f *funcProgram) Fault() error          { return errEnded }
func (f *funcProgram) Stop()                 { f.cancel() }

type writerFunc func(p []byte)

func (w writerFunc) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}

// Convert returns the units before a column of a line, and the column at which that many
// units begin.
func Convert(line, encodingName string, column int) (units int, ok bool, back int) {
	e := encoding(encodingName)
	units, ok = e.offset(line, column)
	return units, ok, e.column(line, units)
}

// ColumnOf returns the column of a server's position.
func ColumnOf(line, encodingName string, units int) int {
	return encoding(encodingName).column(line, units)
}

// WithoutNotices makes the running process of a server compare files before each request.
func WithoutNotices(s *Server) { s.connection.workspace.notices.close() }

// HasNotices reports whether the kernel gives notice of changes to the server of a process.
func HasNotices(s *Server) bool {
	w := &s.connection.workspace
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.notices.none()
}

// Compared returns when the files were compared last.
func Compared(s *Server) time.Time {
	w := &s.connection.workspace
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.compared
}

// Messages returns what a framing reads, until its error.
func Messages(raw []byte) (all [][]byte, err error) {
	f := newFraming(io.NopCloser(bytes.NewReader(raw)), writeCloser{io.Discard}, func([]byte) bool { return false })
	defer func() { _ = f.Close() }()
	for {
		message, err := f.Recv()
		if err != nil {
			return all, err
		}
		all = append(all, message)
	}
}

// Framed returns what a framing writes for a message.
func Framed(message []byte) ([]byte, error) {
	read, write := io.Pipe()
	f := newFraming(io.NopCloser(bytes.NewReader(nil)), write, nil)
	defer func() { _ = f.Close() }()
	if err := f.Send(message); err != nil {
		return nil, err
	}
	framed := make([]byte, len("Content-Length: \r\n\r\n")+len(strconv.Itoa(len(message)))+len(message))
	_, err := io.ReadFull(read, framed)
	return framed, err
}

type writeCloser struct{ io.Writer }

func (writeCloser) Close() error { return nil }

// Unread sends messages of that size to a program that reads none, until one is refused. It
// returns their number.
func Unread(size int) (sent int, err error) {
	read, write := io.Pipe()
	defer func() { _ = read.Close() }()
	f := newFraming(io.NopCloser(bytes.NewReader(nil)), write, nil)
	for message := make([]byte, size); err == nil; sent++ {
		err = f.Send(message)
	}
	return sent, err
}
