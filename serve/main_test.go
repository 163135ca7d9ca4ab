package serve_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/seed49eaa51d/pegboard/serve"
)

// programVariable makes the test binary one of the programs that the tests start.
const programVariable = "PEGBOARD_SERVE_PROGRAM"

// TestMain runs a program instead of the tests if the environment says so.
func TestMain(m *testing.M) {
	programs := map[string]func() error{"": nil, "stdio": serveStdio, "http": serveHTTP, "offline": runOffline}
	program, known := programs[os.Getenv(programVariable)]
	if program == nil {
		if !known {
			panic(programVariable + ": unknown program")
		}
		os.Exit(m.Run())
	}
	if err := program(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serveStdio serves the pool of the conformance suite on standard input and output.
func serveStdio() error {
	s, err := suiteServer()
	if err != nil {
		return err
	}
	return s.Stdio(context.Background())
}

// serveHTTP serves the pool over HTTP until standard input ends. It prints the address.
func serveHTTP() error {
	address, stop, err := listen()
	if err != nil {
		return err
	}
	defer stop()
	fmt.Println(address)
	_, err = os.Stdin.Read(make([]byte, 1))
	_ = err // the end of the input is what ends the program
	return nil
}

// runOffline serves the pool over HTTP and runs the command of the arguments with its
// address in place of URL. The process is in a network of its own, which has nothing but the
// loopback interface.
func runOffline() error {
	if out, err := exec.Command("ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
		return fmt.Errorf("ip: %w: %s", err, out)
	}
	address, stop, err := listen()
	if err != nil {
		return err
	}
	defer stop()
	args := append([]string(nil), os.Args[1:]...)
	for i := range args {
		if args[i] == "URL" {
			args[i] = address
		}
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), programVariable+"=")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// listen serves the pool of the conformance suite on a free port of this machine.
func listen() (address string, stop func(), err error) {
	s, err := suiteServer()
	if err != nil {
		return "", nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	web := &http.Server{Handler: handlerOf(s), ReadHeaderTimeout: time.Minute}
	go func() { _ = web.Serve(l) }()
	return "http://" + l.Addr().String() + "/mcp", func() { _ = web.Close(); _ = s.Close(context.Background()) }, nil
}

func handlerOf(s *serve.Server) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/mcp", s.Handler())
	return mux
}
