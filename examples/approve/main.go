// Command approve shows how a user, or a program instead of the user, answers an
// agent's questions: allow once, always allow, allow with another input, deny with a
// reason, deny and stop. The agent is a script that works on a small repository,
// which is removed afterwards.
//
//	go run ./examples/approve          a scripted user answers; it ends by itself
//	go run ./examples/approve -tty     you answer, in the terminal
//	go run ./examples/approve -lines   a program answers: JSON lines, see line_protocol.go
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

func main() {
	tty := flag.Bool("tty", false, "you answer, on standard input")
	lines := flag.Bool("lines", false, "a program answers, by lines of JSON on standard input and output")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	defer stop()
	answered := byScript
	switch {
	case *tty:
		answered = byTerminal
	case *lines:
		answered = byLines
	}
	if err := answered(ctx, os.Stdin, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "approve:", err)
		stop()
		os.Exit(1)
	}
}

// byTerminal lets a user answer at the terminal. The Asker shows one question after
// the other.
func byTerminal(ctx context.Context, in io.Reader, out, _ io.Writer) error {
	return work(ctx, newTerminal(in, out).ask, nil, out)
}

// byLines lets a program answer. The program gets each question when it is asked, and
// may answer in any order.
func byLines(ctx context.Context, in io.Reader, out, story io.Writer) error {
	l := newLineProtocol(out)
	go l.serve(in)
	return work(ctx, l.ask, l.event, story)
}

// byScript is byLines with a scripted user as the program. Both write to out.
func byScript(ctx context.Context, _ io.Reader, out, _ io.Writer) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 30*time.Second, errors.New("the person's script does not fit the model's"))
	defer cancel()
	asked, questions := io.Pipe()
	answers, written := io.Pipe()
	userDone := make(chan error, 1)
	go func() { userDone <- playPerson(personScript, asked, written, out) }()
	err := byLines(ctx, answers, questions, out)
	return errors.Join(err, questions.Close(), <-userDone)
}

// work runs the model's script in a new project.
func work(ctx context.Context, ask pegboard.Asker, listen func(pegboard.Event), story io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "approve")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := makeProject(dir); err != nil {
		return err
	}
	h, err := newHost(ctx, dir, ask, listen)
	if err != nil {
		return err
	}
	err = h.playModel(ctx, modelScript, story)
	if err = errors.Join(err, h.close()); err != nil {
		return err
	}
	return h.report(story)
}
