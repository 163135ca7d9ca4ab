package stdio_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

const (
	roleName = "STDIO_TEST_ROLE" // what the test binary does instead of testing
	soon     = time.Minute
	begun    = `{"jsonrpc":"2.0","method":"begun","params":{}}`
	never    = 10 * time.Minute
)

func TestMain(m *testing.M) {
	if role, ok := os.LookupEnv(roleName); ok {
		os.Exit(play(role))
	}
	os.Exit(m.Run())
}

// play makes this binary a process on whose other end a connection is.
func play(role string) int {
	switch role {
	case "print": // what the arguments say, then stay
		fmt.Print(strings.Join(os.Args[1:], ""))
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "repeat", "late": // each line
		lines := bufio.NewReader(os.Stdin)
		if role == "late" { // go on after the beginning when a file is there
			_, _ = lines.Peek(1)
			fmt.Println(begun)
			for _, err := os.Stat(os.Args[1]); err != nil; _, err = os.Stat(os.Args[1]) {
				time.Sleep(time.Millisecond)
			}
		}
		for line, err := lines.ReadString('\n'); err == nil; line, err = lines.ReadString('\n') {
			fmt.Print(strings.Replace(line, `"method":"ask","params":`, `"result":`, 1))
		}
	case "errors": // much on stderr
		for i := range 3000 {
			fmt.Fprintf(os.Stderr, "line %d é\n", i)
		}
		fmt.Fprint(os.Stderr, "the end\xff")
		return 7
	case "deaf": // reads one byte and no more
		_, _ = os.Stdin.Read(make([]byte, 1))
		fmt.Println(`{"jsonrpc":"2.0","method":"notifications/ready"}`)
		<-time.After(never)
	case "stubborn": // does not end with its input
		fmt.Fprintln(os.Stderr, "not yet")
		fmt.Println(`{"jsonrpc":"2.0","method":"notifications/ready"}`)
		_, _ = io.Copy(io.Discard, os.Stdin)
		<-time.After(never)
	case "shut":
		_ = os.Stdout.Close()
		<-time.After(never)
	}
	return 0
}
