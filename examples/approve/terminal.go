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
)

// terminal asks a person. The library shows it one question at a time.
type terminal struct {
	out  io.Writer
	keys chan string // lines as they are typed; closed at the end of input
}

// newTerminal returns a terminal that reads in on and on: a read cannot be cancelled,
// waiting for what was read can.
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

// ask is the Asker. It answers by way of the card, which says what is wrong with an
// answer while the person can still mend it.
func (t *terminal) ask(ctx context.Context, q *pegboard.Question) (pegboard.Decision, error) {
	t.forget()
	c := newCard(ctx, q)
	t.say("\n%v", c)
	if q.Others > 0 {
		t.say("└ %d more waiting\n", q.Others)
	}
	for {
		a, err := t.choose(ctx, c)
		switch {
		case errors.Is(err, io.EOF):
			t.say("\n(nobody is there)\n")
			return pegboard.Decision{}, nil
		case ctx.Err() != nil:
			t.say("\n(no answer is needed any more: %v)\n", context.Cause(ctx))
			return pegboard.Decision{}, context.Cause(ctx)
		case err == nil:
			err = c.put(a)
		}
		if err == nil {
			return pegboard.AskLater(ctx, q) // which ends at once, since it is answered
		}
		t.say("%s", block("! ", err.Error()))
		if errors.Is(err, pegboard.ErrNotSaved) {
			return pegboard.AskLater(ctx, q)
		}
	}
}

// choose reads one answer: a letter, and behind it what belongs to it, which is
// asked for if it is not there.
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
			return a, nil // which is refused
		}
		for i, text := range c.Always {
			t.say("%s", block(fmt.Sprintf("  %d ", i+1), text))
		}
		a.N, _ = strconv.Atoi(more("which number? ")) // 0 is no suggestion
	case "e":
		t.say("%s\n", harmless(string(c.Input)))
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

// details shows what the card had no room for.
func (t *terminal) details(c *card) {
	for _, text := range []string{string(c.Input), c.Diff} {
		for line := range strings.Lines(text) {
			t.say("  %s\n", harmless(strings.TrimSuffix(line, "\n")))
		}
	}
}

// read prompts for a line. The error is io.EOF or the cause of ctx.
func (t *terminal) read(ctx context.Context, prompt string) (string, error) {
	t.say("%s", prompt)
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

// forget drops what was typed before a question was shown: it was meant for another.
func (t *terminal) forget() {
	for len(t.keys) > 0 {
		<-t.keys
	}
}

func (t *terminal) say(format string, args ...any) { _, _ = fmt.Fprintf(t.out, format, args...) }
