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
// a cancellation counts for the prompts before it and no other, a message that the SDK cannot read is
// answered, a Write never blocks, and the end can be awaited until all requests are answered.
type stream struct {
	connection *connection
	in         io.ReadCloser
	out        *outbox.Outbox
	ready      chan struct{} // closed when the SDK may read
	lines      chan []byte
	rest       []byte // of the message that the SDK reads

	begun sync.WaitGroup // one for each prompt that was read and has not begun
	open  sync.WaitGroup // one for each request without an answer

	mu      sync.Mutex
	err     error         // why nothing is read any more
	stopped chan struct{} // closed with err
}

func newStream(n *connection, in io.ReadCloser, out io.WriteCloser) *stream {
	s := &stream{
		connection: n, in: in, out: outbox.New(out, maxWaiting),
		ready: make(chan struct{}), lines: make(chan []byte), stopped: make(chan struct{}),
	}
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
		s.connection.leave(reason) // before the SDK ends the contexts of requests, for no reason that it tells
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
			if line = s.admit(line); line != nil {
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

// admit returns a message as the SDK is to see it, or nil. The SDK would log one that it cannot
// read, with its content, and answer nothing; and it would order no notification with requests.
func (s *stream) admit(line []byte) []byte {
	var m message
	switch err := json.Unmarshal(line, &m); {
	case line[0] == '[':
		s.refuse(nil, worded(sdk.NewInvalidRequest(nil), "the protocol has no batches"))
	case err != nil:
		return s.admitUnreadable(line, err)
	case m.ID == nil && m.Method == sdk.AgentMethodSessionCancel:
		s.begun.Wait()
		s.connection.cancel(m.Params)
	case m.ID == nil && m.Method == "" && m.Result == nil && m.Error == nil:
		s.refuse(nil, worded(sdk.NewInvalidRequest(nil), "there is no method"))
	case m.ID == nil: // no other notification says anything to this agent
		if m.Method == methodCancelRequest {
			return line
		}
	case m.Method != "":
		if m.Method == sdk.AgentMethodSessionClose {
			s.begun.Wait()
		}
		s.open.Add(1)
		if m.Method == sdk.AgentMethodSessionPrompt {
			s.begun.Add(1)
		}
		return line
	default:
		return line // an answer
	}
	return nil
}

// admitUnreadable is admit for a message that is none. One that answers a request still ends it.
func (s *stream) admitUnreadable(line []byte, reason error) []byte {
	var head struct {
		ID     *json.RawMessage `json:"id"`
		Method json.RawMessage  `json:"method"`
	}
	answers := json.Unmarshal(line, &head) == nil && head.ID != nil && head.Method == nil
	failed := worded(sdk.NewParseError(nil), "the message cannot be read: %v", reason)
	if !answers {
		s.refuse(head.ID, failed)
		return nil
	}
	answer, err := json.Marshal(message{Version: "2.0", ID: head.ID, Error: failed})
	if err != nil {
		return nil
	}
	return answer
}

// refuse answers a message that no handler sees.
func (s *stream) refuse(id *json.RawMessage, reason *sdk.RequestError) {
	if line, err := json.Marshal(message{Version: "2.0", ID: id, Error: reason}); err == nil {
		_ = s.send(append(line, '\n')) // reading ends if it cannot be written
	}
}

// methodCancelRequest withdraws a request. The SDK handles it before it reads on.
const methodCancelRequest = "$/cancel_request"

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
