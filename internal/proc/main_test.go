package proc_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/proc"
)

const (
	roleName = "PROC_TEST_ROLE" // what the test binary does instead of testing
	markName = "PROC_TEST_MARK" // which test a process belongs to
	soon     = time.Minute      // far more than anything here takes, even on a busy machine
	never    = 10 * time.Minute // longer than any test may take
	poll     = 5 * time.Millisecond
)

func TestMain(m *testing.M) {
	if role, ok := os.LookupEnv(roleName); ok {
		os.Exit(play(role))
	}
	code := m.Run()
	if err := unreaped(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// play makes this binary a command that every system has.
func play(role string) int {
	switch role {
	case "three":
		return 3
	case "print":
		fmt.Print("out")
		fmt.Fprint(os.Stderr, "err")
	case "read":
		n, err := io.Copy(io.Discard, os.Stdin)
		fmt.Print(n, err)
	case "echo":
		if _, err := io.Copy(os.Stdout, os.Stdin); err != nil {
			return 1
		}
	case "bytes":
		fmt.Print("a\xff\x00b€c")
	case "shut": // its input, and go on
		_ = os.Stdin.Close()
		fmt.Println("shut")
		<-time.After(never)
	case "wait":
		fmt.Println("ready")
		<-time.After(never)
	case "parent": // of one that holds the output
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), roleName+"=wait")
		child.Stdout = os.Stdout
		if err := child.Run(); err != nil {
			fmt.Println(err)
		}
	case "host": // of a command that prints its number
		var table proc.Table
		dir, _ := os.Getwd()
		_, err := table.Run(context.Background(), proc.Command{
			Args:   []string{"sh", "-c", "echo $$; exec sleep 1000"},
			Dir:    dir,
			Output: func(p []byte) { fmt.Printf("%s", p) },
		})
		fmt.Println(err)
	}
	return 0
}

// own returns a command that plays a role.
func own(t *testing.T, role string) proc.Command {
	t.Helper()
	path, err := os.Executable()
	require.NoError(t, err)
	return marked(t, proc.Command{Args: []string{path}, Env: append(os.Environ(), roleName+"="+role)})
}

// marked completes a command, whose processes must be gone at the end of the test.
func marked(t *testing.T, c proc.Command) proc.Command {
	t.Helper()
	c.Dir = t.TempDir()
	mark := markName + "=" + t.Name() + c.Dir
	if c.Env == nil {
		c.Env = os.Environ()
	}
	c.Env = append(c.Env, mark)
	t.Cleanup(func() {
		require.Eventually(t, func() bool { return len(withMark(t, mark)) == 0 }, soon, poll,
			"processes are left")
	})
	return c
}

// run runs a command that must start, on a table of its own.
func run(ctx context.Context, t *testing.T, c proc.Command) proc.Exit {
	t.Helper()
	var table proc.Table
	begin := time.Now()
	exit, err := table.Run(ctx, c)
	require.NoError(t, err)
	require.Less(t, time.Since(begin), soon)
	require.Zero(t, table.Live())
	return exit
}
