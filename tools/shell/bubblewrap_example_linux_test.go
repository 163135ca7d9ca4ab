package shell_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// limited is a Bubblewrap whose commands also have a limit of memory.
type limited struct{ shell.Bubblewrap }

// Wrap starts the sandbox under the limit.
func (l limited) Wrap(c shell.SandboxCommand) ([]string, error) {
	args, err := l.Bubblewrap.Wrap(c)
	return append([]string{"prlimit", "--as=4000000000"}, args...), err
}

// Refusal knows of the limit, too.
func (l limited) Refusal(c shell.SandboxCommand, exit shell.SandboxExit) string {
	if strings.Contains(exit.Output, "out of memory") {
		return "more than 4 GB of memory"
	}
	return l.Bubblewrap.Refusal(c, exit)
}

// A sandbox of a host's own adds a limit to what Bubblewrap does. Nothing is run here.
func ExampleBubblewrap_Wrap() {
	sandbox := limited{}
	command := shell.SandboxCommand{Args: []string{"bash", "-c", "make"}, Dir: "/"}
	args, err := sandbox.Wrap(command)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(args[:3], slices.Contains(args, "--unshare-net"))
	command.Network = true
	args, err = sandbox.Wrap(command)
	fmt.Println(args[len(args)-3:], slices.Contains(args, "--unshare-net"), err)
	for _, output := range []string{"virtual memory exhausted: out of memory", "touch: /etc/x: Read-only file system", "main.c:3: expected ;"} {
		fmt.Printf("%q\n", sandbox.Refusal(command, shell.SandboxExit{Code: 1, Output: output}))
	}
	// Output:
	// [prlimit --as=4000000000 bwrap] true
	// [bash -c make] false <nil>
	// "more than 4 GB of memory"
	// "touch: /etc/x: Read-only file system"
	// ""
}
