package mcp_test

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

const (
	soon = time.Minute // far more than anything here takes, even on a busy machine
	poll = 5 * time.Millisecond
)

// TestMain makes this binary a server if a test started it as one. After the tests nothing
// of the servers may be left: no goroutine and no temporary file.
func TestMain(m *testing.M) {
	if mode, ok := os.LookupEnv(modeName); ok {
		if mode == notesMode {
			os.Exit(playNotes())
		}
		os.Exit(playServer(mode))
	}
	os.Exit(runTests(m))
}

func runTests(m *testing.M) (code int) {
	folder, err := os.MkdirTemp("", "pegboard-mcp")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(folder) }()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		if err := os.Setenv(name, folder); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	code = m.Run()
	if left := leftGoroutines(); left != "" {
		fmt.Fprintln(os.Stderr, "goroutines are left:\n"+left)
		code = 1
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		fmt.Fprintln(os.Stderr, "files are left:", left, err)
		code = 1
	}
	return code
}

// leftGoroutines returns the stacks of goroutines of the bridge and its connections that do
// not end.
func leftGoroutines() (left string) {
	for begin := time.Now(); time.Since(begin) < soon; time.Sleep(poll) {
		if left = strings.Join(bridgeGoroutines(), "\n\n"); left == "" {
			return ""
		}
	}
	return left
}

func bridgeGoroutines() (stacks []string) {
	all := make([]byte, 1<<20)
	for {
		n := runtime.Stack(all, true)
		if n < len(all) {
			all = all[:n]
			break
		}
		all = make([]byte, 2*len(all))
	}
	for stack := range bytes.SplitSeq(all, []byte("\n\n")) {
		for _, own := range []string{"/go-sdk/", "pegboard/tools/mcp", "pegboard/internal/proc", "net/http"} {
			if bytes.Contains(stack, []byte(own)) && !bytes.Contains(stack, []byte("mcp_test.bridgeGoroutines")) {
				stacks = append(stacks, string(stack))
				break
			}
		}
	}
	return stacks
}
