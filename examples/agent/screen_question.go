package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// ask asks the person at the terminal. If the call ends before there is an answer, the
// line is read and dropped.
func (s *screen) ask(ctx context.Context, q *pegboard.Question) (policy.Decision, error) {
	s.beginQuestion(q)
	answered := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(os.Stdin).ReadString('\n') // without a line the answer is no
		answered <- strings.TrimSpace(line)
	}()
	select {
	case <-ctx.Done():
		s.endQuestion("\n")
		return policy.Decision{}, context.Cause(ctx)
	case line := <-answered:
		s.endQuestion("")
		if strings.EqualFold(line, "y") {
			return policy.Decision{Behavior: policy.Allow, Reason: "allowed once, at the terminal"}, nil
		}
		return policy.Decision{Behavior: policy.Deny, Reason: "the user declined"}, nil
	}
}

// beginQuestion shows a question. Until it ends nothing else is shown: the cursor stands
// where the person types.
func (s *screen) beginQuestion(q *pegboard.Question) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closeFold()
	lines := []string{s.paint(yellow, "  "+q.Call.View().Before), "  " + visible(q.Reason)} // the first is a headline and may be cut, the second is whole
	for _, t := range q.Known() {
		lines = append(lines, s.paint(grey, "    "+visible(s.short(t.String()))))
	}
	s.print("\n" + strings.Join(lines, "\n") + "\n")
	if s.region > 0 {
		_, _ = fmt.Fprintf(s.out, "\x1b[%dA\r\x1b[J", s.region)
		s.region = 0
	}
	_, _ = io.WriteString(s.out, s.paint(bold, "  Allow it once? [y/N] "))
	s.asking = true
}

// endQuestion shows the text, and the lines that were held back while the person was asked.
func (s *screen) endQuestion(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text += s.later.String()
	s.later.Reset()
	s.asking = false
	s.print(text)
}

// visible escapes the characters that move a terminal's cursor or change the direction
// of writing.
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
