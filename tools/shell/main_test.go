package shell_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"
)

// mark is a variable that all processes of these tests inherit.
const mark = "PEGBOARD_SHELL_TEST"

// atOnce is how many tests run at the same time: nearly all of them wait for other
// processes nearly all of their time. -parallel says otherwise.
const atOnce = 6

// TestMain fails if a process is left when all tests have ended.
func TestMain(m *testing.M) {
	if err := os.Setenv(mark, strconv.Itoa(os.Getpid())); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		if err := f.Value.Set(strconv.Itoa(max(atOnce, runtime.GOMAXPROCS(0)))); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	code := m.Run()
	patience := time.After(time.Minute)
	for left := marked(); len(left) > 0; left = marked() {
		select {
		case <-patience:
			fmt.Fprintln(os.Stderr, "processes are left:", left)
			os.Exit(1)
		case <-time.After(10 * time.Millisecond): // what was killed is about to go
		}
	}
	os.Exit(code)
}

// marked returns the command lines of the processes that live and have the mark of
// this one. Where there is no /proc it finds none.
func marked() (left []string) {
	want := []byte(mark + "=" + strconv.Itoa(os.Getpid()))
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		env, err := os.ReadFile(file) // of another user, or gone
		if err != nil || !bytes.Contains(env, want) || file == fmt.Sprintf("/proc/%d/environ", os.Getpid()) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
		left = append(left, string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
	}
	return left
}
