package acp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/creachadair/jrpc2"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/outbox"
)

const (
	maxMessage = 32 << 20 // bytes of one message of the editor
	maxWaiting = 64 << 20 // bytes that the editor has not read
)

var errDeaf = errors.New("the editor does not read")

// lines carries messages that stand on a line each, as channel.Line does. In addition it
// limits their size, and Send never blocks: jrpc2 sends while it holds a lock that every
// request needs. In both directions it drops answers to requests that are not open.
type lines struct {
	in       io.ReadCloser
	out      *outbox.Outbox
	received chan []byte
	ends     func(cause error) // called once, when no further message is read

	mu       sync.Mutex
	err      error                      // why nothing is read any more
	stopped  chan struct{}              // closed with err
	open     map[string]int             // requests of the editor without an answer, by id
	answered chan struct{}              // signals that one has left open
	late     chan struct{}              // closed when requests stay open although the editor has left
	asked    map[string]string          // keys of the requests to the editor without an answer, by id
	keys     map[string]json.RawMessage // and the ids by key
}

func newLines(in io.ReadCloser, out io.WriteCloser, ends func(error)) *lines {
	l := &lines{
		in: in, out: outbox.New(out, maxWaiting), received: make(chan []byte), ends: ends,
		stopped: make(chan struct{}), open: map[string]int{}, answered: make(chan struct{}, 1), late: make(chan struct{}),
		asked: map[string]string{}, keys: map[string]json.RawMessage{},
	}
	goroutine.Go(l.read)
	return l
}

// read hands on the lines, until the end.
func (l *lines) read() {
	buffer := bufio.NewReader(l.in)
	for {
		line, err := readLine(buffer)
		if len(line) > 0 {
			select {
			case l.received <- line:
			case <-l.stopped:
				return
			}
		}
		if err != nil {
			l.stop(err)
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
func (l *lines) stop(reason error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = reason
		close(l.stopped)
		goroutine.Go(func() { _ = l.in.Close() }) // which may wait for a Read
	}
}

// A header has the members of a message, by their exact names, as jrpc2 reads them.
type header map[string]json.RawMessage

// isAnswer reports whether a message has a result or an error.
func (h header) isAnswer() bool {
	failure, failed := h["error"]
	return h["result"] != nil || failed && string(failure) != "null"
}

// asksNothing reports whether a message has no method.
func (h header) asksNothing() bool {
	method, ok := h["method"]
	return !ok || string(method) == `""`
}

// id returns the id as the key of a map, or "" if it is missing or neither a string nor a
// number.
func (h header) id() string {
	id := h["id"]
	if len(id) == 0 || !strings.ContainsRune(`"-0123456789`, rune(id[0])) {
		return ""
	}
	return string(id)
}

// Recv returns the next message of the editor. Before it returns an error, the requests that
// are open have been answered, or closeTime is over and late is closed.
func (l *lines) Recv() ([]byte, error) {
	for {
		select {
		case line := <-l.received:
			if l.admit(line) {
				return line, nil
			}
		case <-l.out.Done():
			l.stop(l.out.Err())
		case <-l.stopped:
			l.ends(l.reason())
			l.awaitAnswers()
			return nil, l.reason()
		}
	}
}

func (l *lines) reason() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// awaitAnswers waits until no request of the editor is open.
func (l *lines) awaitAnswers() {
	timer := time.NewTimer(closeTime)
	defer timer.Stop()
	for !l.idle() {
		select {
		case <-l.answered:
		case <-timer.C:
			close(l.late)
			return
		}
	}
}

func (l *lines) idle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open) == 0
}

// admit reports whether jrpc2 is to see a message. A message that no answer can name is
// answered here if it is wrong: jrpc2 may answer it when it has ended, and panics.
func (l *lines) admit(line []byte) bool {
	var h header
	if line[0] == '[' {
		l.refuse(jrpc2.Errorf(jrpc2.InvalidRequest, "the protocol has no batches"))
		return false
	}
	if json.Unmarshal(line, &h) == nil {
		if known, admitted := l.admitByID(h); known {
			return admitted
		}
	}
	if err := problemOf(line); err != nil {
		l.refuse(err)
		return false
	}
	return true
}

// admitByID is admit for a message with an id and for answers. It reports known for those.
func (l *lines) admitByID(h header) (known, admitted bool) {
	id := h.id()
	l.mu.Lock()
	defer l.mu.Unlock()
	key, waits := l.asked[id]
	if h.isAnswer() || waits && h.asksNothing() {
		delete(l.asked, id)
		delete(l.keys, key)
		return true, waits
	}
	if id != "" {
		l.open[id]++
	}
	return id != "", true
}

// problemOf returns the error of a notification that breaks the rules of JSON-RPC.
func problemOf(line []byte) error {
	all, err := jrpc2.ParseRequests(line)
	switch {
	case err != nil:
		return err
	case all[0].Error != nil:
		return all[0].Error
	case all[0].Method == "":
		return jrpc2.Errorf(jrpc2.InvalidRequest, "there is no method")
	}
	return nil
}

// refuse answers a message that has no id.
func (l *lines) refuse(reason error) {
	text, err := json.Marshal(map[string]any{"jsonrpc": jrpc2.Version, "id": nil, "error": answerOf(reason)})
	if err == nil {
		_ = l.write(text) // reading ends if it cannot be written
	}
}

// notification is how jrpc2 begins a notification.
const notification = `{"jsonrpc":"2.0","method":`

// Send queues a message to the editor.
func (l *lines) Send(message []byte) error {
	if bytes.HasPrefix(message, []byte(notification)) {
		return l.write(message) // most messages, which are not worth decoding
	}
	var h header
	if err := json.Unmarshal(message, &h); err != nil {
		return err
	}
	if h.isAnswer() {
		if !l.answers(h.id()) {
			return nil
		}
	} else if id := h.id(); id != "" {
		l.asks(id, message)
	}
	return l.write(message)
}

// answers reports whether the editor waits for an answer to this id.
func (l *lines) answers(id string) bool {
	if id == "" {
		return true // to a message that cannot be read
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[id] == 0 {
		return false
	}
	if l.open[id]--; l.open[id] == 0 {
		delete(l.open, id)
	}
	select {
	case l.answered <- struct{}{}:
	default:
	}
	return true
}

// asks remembers a request to the editor.
func (l *lines) asks(id string, message []byte) {
	var request struct {
		Params struct {
			Meta requestMeta `json:"_meta"`
		} `json:"params"`
	}
	_ = json.Unmarshal(message, &request) // it was encoded here
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked[id], l.keys[request.Params.Meta.Key] = request.Params.Meta.Key, json.RawMessage(id)
}

// withdraw returns the id of a request to the editor, whose answer is not awaited any more.
// It reports false if the answer has come.
func (l *lines) withdraw(key string) (id json.RawMessage, open bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id, open = l.keys[key]
	delete(l.keys, key)
	delete(l.asked, string(id))
	return id, open
}

// write queues a line.
func (l *lines) write(message []byte) error {
	line := make([]byte, 0, len(message)+1)
	err := l.out.Send(append(append(line, message...), '\n'))
	if errors.Is(err, outbox.ErrFull) {
		l.stop(errDeaf)
		_ = l.out.Close(errDeaf)
		return errDeaf
	}
	return err
}

// Close ends reading. Messages can be sent until finish.
func (l *lines) Close() error {
	l.stop(io.EOF)
	return nil
}

// left reports whether reading has ended since the editor has left.
func left(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, os.ErrClosed)
}
