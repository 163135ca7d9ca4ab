package acp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/outbox"
)

const (
	maxMessage = 10<<20 - 1 // bytes of one message of the editor, which the SDK's buffer takes with a line end
	maxWaiting = 64 << 20   // bytes that the editor has not read
)

var errDeaf = errors.New("the editor does not read")

// A stream is between the SDK's connection and the editor, one message a line. It adds four things:
// a prompt begins before a cancellation that follows it, a message that no handler sees is
// answered, a Write never blocks, and the end can be awaited until all requests are answered.
type stream struct {
	in    io.ReadCloser
	out   *outbox.Outbox
	ends  func(cause error) // called once, when no further message is read
	ready chan struct{}     // closed when the SDK may read
	lines chan []byte
	rest  []byte // of the message that the SDK reads

	begun sync.WaitGroup // one for each prompt that was read and has not begun
	open  sync.WaitGroup // one for each request without an answer

	mu      sync.Mutex
	err     error         // why nothing is read any more
	stopped chan struct{} // closed with err
}

func newStream(in io.ReadCloser, out io.WriteCloser, ends func(error)) *stream {
	s := &stream{in: in, out: outbox.New(out, maxWaiting), ends: ends, ready: make(chan struct{}), lines: make(chan []byte), stopped: make(chan struct{})}
	goroutine.Go(s.readLines)
	return s
}

// readLines hands on the lines, until the end.
func (s *stream) readLines() {
	buffer := bufio.NewReader(s.in)
	for {
		line, err := readLine(buffer)
		if len(line) > 0 {
			select {
			case s.lines <- line:
			case <-s.stopped:
				return
			}
		}
		if err != nil {
			s.stop(err)
			return
		}
	}
}

// readLine returns a line without its end. A last line may lack one.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if line = append(line, part...); len(line) > maxMessage {
			return nil, fmt.Errorf("a message of the editor is longer than %d bytes", maxMessage)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), err
		}
	}
}

// stop ends reading. The first reason is kept.
func (s *stream) stop(reason error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = reason
		s.ends(reason) // before the SDK ends the contexts of requests, for no reason that it tells
		close(s.stopped)
		goroutine.Go(func() { _ = s.in.Close() }) // which may wait for a Read
	}
}

func (s *stream) reason() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// left reports whether reading has ended since the editor has left.
func left(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, os.ErrClosed)
}

// Read implements [io.Reader] for the SDK, which calls it on one goroutine.
func (s *stream) Read(p []byte) (int, error) {
	<-s.ready
	for len(s.rest) == 0 {
		select {
		case line := <-s.lines:
			if s.admit(line) {
				s.rest = append(line, '\n')
			}
		case <-s.out.Done():
			s.stop(s.out.Err())
		case <-s.stopped:
			return 0, io.EOF
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// A message has the members of a message, as the SDK reads them.
type message struct {
	Version string            `json:"jsonrpc"`
	ID      *json.RawMessage  `json:"id"`
	Method  string            `json:"method,omitempty"`
	Params  json.RawMessage   `json:"params,omitempty"`
	Result  json.RawMessage   `json:"result,omitempty"`
	Error   *sdk.RequestError `json:"error,omitempty"`
}

// admit reports whether the SDK is to see a message. It would log one that it cannot read, with
// its content, and answer nothing.
func (s *stream) admit(line []byte) bool {
	var m message
	switch err := json.Unmarshal(line, &m); {
	case line[0] == '[':
		s.refuse(nil, sdk.NewInvalidRequest(nil), "the protocol has no batches")
	case err != nil:
		s.refuse(nil, sdk.NewParseError(nil), "the message cannot be read: "+err.Error())
	case m.Method == "" && m.Result == nil && m.Error == nil:
		s.refuse(m.ID, sdk.NewInvalidRequest(nil), "there is no method")
	case m.Method == "":
		return m.ID != nil
	case m.ID == nil && m.Method == sdk.AgentMethodSessionPrompt:
		// Its end could not be told.
	case m.ID == nil:
		if m.Method == sdk.AgentMethodSessionCancel {
			s.begun.Wait()
		}
		return true
	default:
		s.open.Add(1)
		if m.Method == sdk.AgentMethodSessionPrompt {
			s.begun.Add(1)
		}
		return true
	}
	return false
}

// refuse answers a message that no handler sees.
func (s *stream) refuse(id *json.RawMessage, reason *sdk.RequestError, text string) {
	reason.Message = text
	if line, err := json.Marshal(message{Version: "2.0", ID: id, Error: reason}); err == nil {
		_ = s.send(append(line, '\n')) // reading ends if it cannot be written
	}
}

// notification is how the SDK begins a notification.
const notification = `{"jsonrpc":"2.0","method":`

// Write implements [io.Writer] for the SDK, which writes a message at a time.
func (s *stream) Write(p []byte) (int, error) {
	if !bytes.HasPrefix(p, []byte(notification)) { // most messages, which are not worth decoding
		var m message
		if err := json.Unmarshal(p, &m); err != nil {
			return 0, err
		}
		if m.Method == "" {
			defer s.open.Done()
		}
	}
	return len(p), s.send(bytes.Clone(p))
}

// send queues a line.
func (s *stream) send(line []byte) error {
	err := s.out.Send(line)
	if errors.Is(err, outbox.ErrFull) {
		s.stop(errDeaf)
		return s.out.Close(errDeaf)
	}
	return err
}

// finish waits until all requests are answered, and reports whether they were before ctx has
// ended. Reading must have ended.
func (s *stream) finish(ctx context.Context) bool {
	select {
	case <-goroutine.Go(s.open.Wait):
		return true
	case <-ctx.Done():
		return false
	}
}
