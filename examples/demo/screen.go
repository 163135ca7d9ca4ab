package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A screen prints a line for each call that has ended, and the questions.
type screen struct {
	dir     string
	colours bool

	waits chan struct{} // closed once a call waits for another
	once  sync.Once

	mu     sync.Mutex
	out    io.Writer
	starts map[*pegboard.Call]time.Time
	spans  []span
}

func newScreen(out io.Writer, dir string, colours bool) *screen {
	return &screen{out: out, dir: dir, colours: colours, waits: make(chan struct{}), starts: map[*pegboard.Call]time.Time{}}
}

func (s *screen) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = fmt.Fprintf(s.out, format+"\n", args...)
}

// event handles the executor's events.
func (s *screen) event(e pegboard.Event) {
	switch e.Kind {
	case pegboard.EventWaiting:
		s.say("  …  %s  waits: %s", s.short(e.Call.View().Before), e.Text)
		s.once.Do(func() { close(s.waits) })
	case pegboard.EventStarted:
		s.record(e)
	case pegboard.EventFinished:
		s.record(e)
		sign, v := "✓", e.Outcome.View()
		if v.Failed {
			sign = "✗"
		}
		s.say("  %s  %s: %s", s.paint(v.Failed, sign), s.short(v.Before), s.short(v.After))
	}
}

func (s *screen) short(text string) string {
	return strings.ReplaceAll(text, s.dir+string(filepath.Separator), "")
}

// agree answers with yes, when the call that waits for the first question is seen to wait: a
// person needs longer than that, too.
func (s *screen) agree(ctx context.Context, q *pegboard.Question) (policy.Decision, error) {
	select {
	case <-s.waits:
	case <-ctx.Done():
		return policy.Decision{}, context.Cause(ctx)
	}
	s.say("  ?  %s: yes, because of -once", s.short(q.Call.View().Before))
	return policy.Decision{Behavior: policy.Allow, Reason: "allowed by -once"}, nil
}

// askIn returns an Asker that asks in the terminal. If the question is answered elsewhere, it
// says so.
func (s *screen) askIn(in io.Reader) pegboard.Asker {
	typed := make(chan string)
	go func() { // a read cannot be cancelled, but waiting for a line can
		defer close(typed)
		lines := bufio.NewScanner(in)
		for lines.Scan() {
			typed <- strings.ToLower(strings.TrimSpace(lines.Text()))
		}
	}()
	return func(ctx context.Context, q *pegboard.Question) (policy.Decision, error) {
		s.show(q)
		for {
			select {
			case <-ctx.Done():
				s.say("  (answered on the page, or not needed any more)")
				return policy.Decision{}, context.Cause(ctx)
			case answer, ok := <-typed:
				switch {
				case !ok: // the input has ended
					return pegboard.AskLater(ctx, q)
				case answer == "y":
					return policy.Decision{Behavior: policy.Allow, Reason: "allowed once, at the terminal"}, nil
				case answer == "n":
					return policy.Decision{Behavior: policy.Deny, Reason: "the user declined"}, nil
				}
				s.say("  y allows it once, n denies it.")
			}
		}
	}
}

// show shows a question with all that it is about.
func (s *screen) show(q *pegboard.Question) {
	var b strings.Builder
	fmt.Fprintf(&b, "\n  ?  %s\n     %s", s.short(q.Call.View().Before), visible(q.Reason))
	for _, t := range q.Targets {
		fmt.Fprintf(&b, "\n       %s", visible(s.short(t.String())))
	}
	s.say("%s\n     y allows it once, n denies it; the page says more.", b.String())
}

// visible escapes the characters that move a terminal's cursor or change the direction of
// writing.
func visible(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
	}
	return b.String()
}
