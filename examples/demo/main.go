// Command demo is a scripted agent at work in the current directory, with a page that shows
// it. It reads files, prints much, starts another agent and a task in the background, and
// asks before it writes; a timeline at the end shows which calls ran together. Each question is answered in the browser or in this terminal,
// whichever is first.
//
// It needs nothing beside it: no key, no network, no checkout. It writes only into a folder
// of its own, which is gone at the end. With -once it answers its questions itself and ends.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	once := flag.Bool("once", false, "answer the questions with yes and end with the script")
	listen := flag.String("listen", "127.0.0.1:0", "the address of the page; port 0 means any")
	flag.Parse()

	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	s := newScreen(os.Stdout, dir, isTerminal(os.Stdout))
	ask := s.askIn(os.Stdin)
	if *once {
		ask = s.agree
	}
	h, err := newHost(dir, *listen, ask, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.close(context.WithoutCancel(ctx))) }()
	if *once {
		s.say("The page is at http://%s/ until the script ends.", h.address)
		defer s.timeline()
		return h.converse(ctx)
	}
	if err := showAddress(s, h.address, h.token); err != nil {
		return err
	}
	if err := h.converse(ctx); err != nil {
		return err
	}
	s.timeline()
	s.say("\nThe script has ended. The page stays until you press Ctrl-C.")
	<-ctx.Done()
	return nil
}

// showAddress shows the page's address to the person at the terminal. The token is written
// nowhere else: a file, a log or a pipe can be read by others, and by the agent itself.
func showAddress(s *screen, address, token string) error {
	terminal, err := openTerminal()
	if err != nil {
		return fmt.Errorf("the token of the page is shown in a terminal only: %w (or use -once)", err)
	}
	defer terminal.Close()
	if _, err := fmt.Fprintf(terminal, "Look at http://%s/?token=%s\n", address, token); err != nil {
		return err
	}
	s.say("The questions can be answered there, or here.")
	return nil
}

// openTerminal opens the terminal of the person who has started the program.
func openTerminal() (*os.File, error) {
	for _, name := range []string{"/dev/tty", "CONOUT$"} { // Unix, Windows
		if f, err := os.OpenFile(name, os.O_RDWR, 0); err == nil {
			return f, nil
		}
	}
	return nil, errors.New("there is no terminal")
}
