package reference

import (
	"bytes"
	"context"
	_ "embed"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/proc"
)

// Address stands for the address in the arguments of a server that is written in Go, as in
// -http=ADDRESS.
const Address = "ADDRESS"

// startTime is how long a server may take to listen, and to end.
const startTime = time.Minute

//go:embed loopback.mjs
var loopback string

// Serve starts a server that listens on a port of this machine, such as [Everything] with the
// argument streamableHttp or sse, and returns its address: 127.0.0.1:PORT. It ends with the
// test.
func Serve(t testing.TB, p Program, args ...string) (address string) {
	t.Helper()
	if _, isScript := locate(t, p); isScript {
		return serveScript(t, Args(t, p, args...))
	}
	address = freeAddress(t)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], Address, address)
	}
	s := start(t, proc.Command{Args: Args(t, p, args...)})
	for {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		if err == nil {
			_ = conn.Close()
			return address
		}
		select {
		case <-s.process.Done():
			t.Fatalf("%s ended before it listened: %s", p, s.text())
		case <-t.Context().Done():
			t.Fatalf("%s does not listen: %v", p, err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// OnLoopback returns a command line of [Args] with which a script listens on 127.0.0.1 alone,
// whatever it asks for. It prints the port.
func OnLoopback(t testing.TB, args []string) []string {
	t.Helper()
	preload := filepath.Join(t.TempDir(), "loopback.mjs")
	if err := os.WriteFile(preload, []byte(loopback), 0o600); err != nil {
		t.Fatal(err)
	}
	return append([]string{args[0], "--import", "file://" + filepath.ToSlash(preload)}, args[1:]...)
}

// serveScript starts a script that prints its port.
func serveScript(t testing.TB, args []string) (address string) {
	t.Helper()
	s := start(t, proc.Command{Args: OnLoopback(t, args), Env: append(proc.Quiet(os.Environ()), "PORT=0")})
	select {
	case address = <-s.listens:
	case <-s.process.Done():
		t.Fatalf("%v ended before it listened: %s", args, s.text())
	case <-time.After(startTime):
		t.Fatalf("%v does not listen: %s", args, s.text())
	}
	return address
}

// freeAddress returns an address of this machine that nothing listens on.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// A service is a running program.
type service struct {
	process *proc.Process
	listens chan string // the address, once

	mu      sync.Mutex
	printed bytes.Buffer
}

// start starts a program that ends with the test.
func start(t testing.TB, c proc.Command) *service {
	t.Helper()
	s := &service{listens: make(chan string, 1)}
	table := &proc.Table{}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), startTime)
		defer cancel()
		if err := table.Close(ctx); err != nil {
			t.Errorf("a program of %s still runs: %v", t.Name(), err)
		}
	})
	c.Dir, c.Output = t.TempDir(), s.print
	process, err := table.Start(context.WithoutCancel(t.Context()), c)
	if err != nil {
		t.Fatal(err)
	}
	s.process = process
	return s
}

func (s *service) print(piece []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.printed.Write(piece)
	_, after, found := strings.Cut(s.printed.String(), "\nlistening on ")
	if address, _, whole := strings.Cut(after, ".\n"); found && whole {
		select {
		case s.listens <- address:
		default:
		}
	}
}

func (s *service) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.printed.String()
}

// output returns the output of a program, "" if it cannot be started.
func output(t testing.TB, args ...string) string {
	t.Helper()
	var table proc.Table
	var printed strings.Builder
	p, err := table.Start(t.Context(), proc.Command{Args: args, Dir: t.TempDir(), Output: func(b []byte) { _, _ = printed.Write(b) }})
	if err != nil {
		return ""
	}
	<-p.Done()
	return strings.TrimSpace(printed.String())
}
