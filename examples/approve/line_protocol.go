package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A message is a line that is sent to the program: a card for each question, a reply
// to each answer, and a message if a question needs no answer any more.
//
//	> {"ask":{"id":"K4TZ-1","tool":"Bash","targets":["run git push"], … }}
//	< {"id":"K4TZ-1","answer":"always","n":7}
//	> {"id":"K4TZ-1","status":"refused","error":"suggestion 7 is not there; choose from 1 to 2"}
//	< {"id":"K4TZ-1","answer":"deny","reason":"not on a Friday"}
//	> {"id":"K4TZ-1","status":"accepted"}
type message struct {
	Ask    *card  `json:"ask,omitempty"`
	ID     string `json:"id,omitempty"`
	Status string `json:"status,omitempty"`
	Error  string `json:"error,omitempty"`
}

// The status of an answer or a question.
const (
	accepted = "accepted" // with Error, if the decision holds but could not be saved
	refused  = "refused"  // the question is still open
	stale    = "stale"    // the question is not open, or never was
	closed   = "closed"   // the call has ended, or needs no answer any more
)

// A lineProtocol sends questions to a program and reads its answers. Several
// questions may be open; the program answers them in any order.
type lineProtocol struct {
	ended chan struct{} // closed when no more answers can arrive

	mu   sync.Mutex // held while an answer is given, so that its reply is sent before the messages that follow from it
	out  *json.Encoder
	open map[string]*card
}

func newLineProtocol(out io.Writer) *lineProtocol {
	l := &lineProtocol{ended: make(chan struct{}), out: json.NewEncoder(out), open: map[string]*card{}}
	l.out.SetEscapeHTML(false)
	return l
}

// ask is the Asker. serve answers the question; if serve has ended, the Asker
// abstains.
func (l *lineProtocol) ask(ctx context.Context, q *pegboard.Question) (policy.Decision, error) {
	select {
	case <-l.ended:
		return policy.Decision{}, nil
	case <-ctx.Done():
		return policy.Decision{}, context.Cause(ctx)
	}
}

// event handles the executor's events.
func (l *lineProtocol) event(e pegboard.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch e.Kind {
	case pegboard.EventAsked:
		c := newCard(context.Background(), e.Question)
		l.open[c.ID] = c
		l.send(message{Ask: c})
	case pegboard.EventSettled:
		if id := e.Question.ID; l.open[id] != nil { // the program has not answered it
			delete(l.open, id)
			l.send(message{ID: id, Status: closed})
		}
	}
}

// serve reads answers until the input ends.
func (l *lineProtocol) serve(in io.Reader) {
	defer close(l.ended)
	s := bufio.NewScanner(in)
	s.Buffer(nil, 16<<20) // an answer may contain a whole file
	for s.Scan() {
		l.answer(s.Bytes())
	}
}

func (l *lineProtocol) answer(line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		l.send(message{Status: refused, Error: fmt.Sprintf("not an answer: %v", err)})
		return
	}
	reply, err := message{ID: a.ID, Status: accepted}, pegboard.ErrQuestionClosed
	c, known := l.open[a.ID]
	if known {
		err = c.submit(a)
	}
	switch {
	case errors.Is(err, pegboard.ErrQuestionClosed):
		reply.Status = stale
	case err != nil && !errors.Is(err, pegboard.ErrNotSaved):
		reply.Status = refused
	}
	if reply.Status != refused {
		delete(l.open, a.ID)
	}
	if err != nil {
		reply.Error = err.Error()
	}
	l.send(reply)
}

// send writes a line. If the program does not read it, the program does not answer
// either, and serve ends.
func (l *lineProtocol) send(m message) { _ = l.out.Encode(m) }
