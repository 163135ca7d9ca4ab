// Command approvelater shows how an agent's questions are answered on another day: no process
// waits for the user. It starts itself three times, and removes its files.
//
//	go run ./examples/approvelater
//
// The first process runs the calls of a message of the model. Two of them need an answer: it
// saves their value and ends. The second process has the answer to one of them, the third that to
// the other one; it sends the results to the model, which ends the turn.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
)

func main() {
	dir := flag.String("state", "", "the folder that the processes share; set by the program itself")
	day := flag.String("day", "", "what to do: ask, publish or announce; set by the program itself")
	flag.Parse()
	run := func() error { return allDays(os.Stdout) }
	if *day != "" {
		run = func() error { return oneDay(context.Background(), *day, *dir, os.Stdout) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "approvelater:", err)
		os.Exit(1)
	}
}

// allDays starts a process for each day.
func allDays(out io.Writer) (err error) {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "approvelater")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for _, day := range []string{"ask", "publish", "announce"} {
		process := exec.Command(program, "-day", day, "-state", dir)
		process.Stdout, process.Stderr = out, os.Stderr
		if err := process.Run(); err != nil {
			return fmt.Errorf("the process %s: %w", day, err)
		}
	}
	return nil
}

// oneDay is the work of one of the processes.
func oneDay(ctx context.Context, day, dir string, out io.Writer) (err error) {
	h, err := newHost(dir, out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.session.Close(ctx)) }()
	switch day {
	case "ask":
		return h.ask(ctx)
	case "publish":
		return h.answer(ctx, "Publish", true)
	case "announce":
		return h.answer(ctx, "Announce", false)
	}
	return fmt.Errorf("no such day: %q", day)
}
