package browser

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/proc"
)

// A pipe exchanges messages of the DevTools protocol with a browser: JSON, each with a NUL
// byte after it.
type pipe struct {
	process *proc.Process // set before the first command

	mu       sync.Mutex
	partial  []byte // of a message
	last     int    // id of a command
	waiting  map[int]chan<- message
	sessions map[string]func(message) // the listeners, by session
}

// A message is a command, the reply to one, or an event.
type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
		Data    string `json:"data"`
	} `json:"error,omitempty"`
}

func newPipe() *pipe {
	return &pipe{waiting: map[int]chan<- message{}, sessions: map[string]func(message){}}
}

func (p *pipe) connect(process *proc.Process) { p.process = process }

// receive takes the next piece of the browser's output.
func (p *pipe) receive(piece []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.partial = append(p.partial, piece...)
	for {
		text, rest, found := bytes.Cut(p.partial, []byte{0})
		if !found {
			return
		}
		p.dispatch(text)
		p.partial = bytes.Clone(rest)
	}
}

// dispatch hands a message to the command or the listener that it is for. It is called with
// the lock held; a listener must not send.
func (p *pipe) dispatch(text []byte) {
	var m message
	if err := json.Unmarshal(text, &m); err != nil {
		return
	}
	if reply, ok := p.waiting[m.ID]; ok {
		delete(p.waiting, m.ID)
		reply <- m
		return
	}
	if listener, ok := p.sessions[m.Session]; ok && m.Method != "" {
		listener(m)
	}
}

// listen calls f for each event of a session.
func (p *pipe) listen(session string, f func(message)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sessions[session] = f
}

// command sends a command to a session, or with "" to the browser, and decodes the result
// into result, which may be nil.
func (p *pipe) command(session, method string, params map[string]any, result any) error {
	encoded, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	reply := make(chan message, 1)
	p.mu.Lock()
	p.last++
	id := p.last
	p.waiting[id] = reply
	p.mu.Unlock()
	text, err := json.Marshal(message{ID: id, Session: session, Method: method, Params: encoded})
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if _, err := p.process.Stdin().Write(append(text, 0)); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case m := <-reply:
		switch {
		case m.Error != nil:
			return fmt.Errorf("%s: %s %s", method, m.Error.Message, m.Error.Data)
		case result == nil:
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-p.process.Done():
		return fmt.Errorf("%s: %w", method, errEnded)
	case <-time.After(limit):
		return fmt.Errorf("%s: no reply in %v", method, limit)
	}
}

var errEnded = errors.New("the browser has ended")
