package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A terminal asks a user. The library shows it one question at a time.
type terminal struct {
	out  io.Writer
	keys chan string // typed lines; closed at the end of the input
}

// newTerminal returns a terminal that reads in without a pause: a read cannot be
// cancelled, but waiting for a line can.
func newTerminal(in io.Reader, out io.Writer) *terminal {
	t := &terminal{out: out, keys: make(chan string, 256)}
	go func() {
		defer close(t.keys)
		s := bufio.NewScanner(in)
		s.Buffer(nil, 1<<20)
		for s.Scan() {
			t.keys <- s.Text()
		}
	}()
	return t
}

// ask is the Asker. It submits the answer through the card, so that the user can
// correct an answer that is refused.
func (t *terminal) ask(ctx context.Context, q *pegboard.Question) (policy.Decision, error) {
	t.discardInput()
	c := newCard(ctx, q)
	t.print("\n%v", c)
	if q.Others > 0 {
		t.print("└ %d more waiting\n", q.Others)
	}
	for {
		a, err := t.choose(ctx, c)
		switch {
		case errors.Is(err, io.EOF):
			t.print("\n(nobody is there)\n")
			return policy.Decision{}, nil
		case ctx.Err() != nil:
			t.print("\n(no answer is needed any more: %v)\n", context.Cause(ctx))
			return policy.Decision{}, context.Cause(ctx)
		case err == nil:
			err = c.submit(a)
		}
		if err == nil {
			return pegboard.AskLater(ctx, q) // it returns at once, because the question is answered
		}
		t.print("%s", quoteLines("! ", err.Error()))
		if errors.Is(err, pegboard.ErrNotSaved) {
			return pegboard.AskLater(ctx, q)
		}
	}
}

// choose reads one answer: a letter and its argument. It asks for the argument if it
// is missing.
func (t *terminal) choose(ctx context.Context, c *card) (a answer, err error) {
	line, err := t.read(ctx, "[y] once  [a] always  [e] edit  [n] deny  [s] deny and stop  [d] details > ")
	if err != nil {
		return a, err
	}
	letter, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	more := func(prompt string) string {
		if rest == "" {
			rest, err = t.read(ctx, prompt)
		}
		return rest
	}
	switch letter {
	case "y":
		if a.Answer = once; rest != "" {
			err = errors.New("y takes nothing behind it")
		}
	case "a":
		if a.Answer = always; len(c.Always) == 0 {
			return a, nil // submit refuses it
		}
		for i, text := range c.Always {
			t.print("%s", quoteLines(fmt.Sprintf("  %d ", i+1), text))
		}
		a.N, _ = strconv.Atoi(more("which number? ")) // 0 names no suggestion
	case "e":
		t.print("%s\n", escape(string(c.Input)))
		a.Answer, a.Input = edit, json.RawMessage(more("the new input, on one line: "))
	case "n":
		a.Answer, a.Reason = deny, more("why? the model will read it: ")
	case "s":
		a.Answer, a.Reason = stop, more("why? the model will read it: ")
	case "d":
		t.details(c)
		return t.choose(ctx, c)
	default:
		return a, errors.New("answer with one of the letters")
	}
	return a, err
}

// details prints the full input and the full diff.
func (t *terminal) details(c *card) {
	for _, text := range []string{string(c.Input), c.Diff} {
		for line := range strings.Lines(text) {
			t.print("  %s\n", escape(strings.TrimSuffix(line, "\n")))
		}
	}
}

// read prompts for a line. The error is io.EOF or the cause of ctx.
func (t *terminal) read(ctx context.Context, prompt string) (string, error) {
	t.print("%s", prompt)
	select {
	case line, ok := <-t.keys:
		if !ok {
			return "", io.EOF
		}
		return line, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// discardInput drops lines that were typed before the question was shown.
func (t *terminal) discardInput() {
	for len(t.keys) > 0 {
		<-t.keys
	}
}

func (t *terminal) print(format string, args ...any) { _, _ = fmt.Fprintf(t.out, format, args...) }
