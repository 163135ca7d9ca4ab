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
)

// A message is a line that a program gets: a card for each question that is put,
// one reply to each of its answers, and a word when a question went away without
// any.
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

// What became of an answer or a question.
const (
	accepted = "accepted" // with Error, if it holds but could not be saved
	refused  = "refused"  // the question is still open
	stale    = "stale"    // the question is not, or never was
	closed   = "closed"   // the call has ended, or needs no answer any more
)

// lines is the protocol. Many questions may be open, and are answered in any order.
type lines struct {
	over chan struct{} // closed when there will be no more answers

	mu   sync.Mutex // held while an answer is given, so that it is told before what follows from it
	out  *json.Encoder
	open map[string]*card
}

func newLines(out io.Writer) *lines {
	l := &lines{over: make(chan struct{}), out: json.NewEncoder(out), open: map[string]*card{}}
	l.out.SetEscapeHTML(false)
	return l
}

// ask is the Asker. It waits for serve to answer, or to end: then nobody can.
func (l *lines) ask(ctx context.Context, q *pegboard.Question) (pegboard.Decision, error) {
	select {
	case <-l.over:
		return pegboard.Decision{}, nil
	case <-ctx.Done():
		return pegboard.Decision{}, context.Cause(ctx)
	}
}

// event listens to the executor.
func (l *lines) event(e pegboard.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch e.Kind {
	case pegboard.EventAsked:
		c := newCard(context.Background(), e.Question)
		l.open[c.ID] = c
		l.tell(message{Ask: c})
	case pegboard.EventSettled:
		if id := e.Question.ID; l.open[id] != nil { // nobody answered it here
			delete(l.open, id)
			l.tell(message{ID: id, Status: closed})
		}
	}
}

// serve reads answers until there are no more.
func (l *lines) serve(in io.Reader) {
	defer close(l.over)
	s := bufio.NewScanner(in)
	s.Buffer(nil, 16<<20) // an answer may hold a whole file
	for s.Scan() {
		l.answer(s.Bytes())
	}
}

func (l *lines) answer(line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		l.tell(message{Status: refused, Error: fmt.Sprintf("not an answer: %v", err)})
		return
	}
	reply, err := message{ID: a.ID, Status: accepted}, pegboard.ErrQuestionClosed
	c, known := l.open[a.ID]
	if known {
		err = c.put(a)
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
	l.tell(reply)
}

// tell writes a line. If nobody reads it, nobody answers either, and serve ends.
func (l *lines) tell(m message) { _ = l.out.Encode(m) }
