package shell_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// A host offers a shell that runs unasked only if the sandbox works. Credentials are hidden
// by default; the cache of the compiler may be written.
func ExampleBubblewrap() {
	sandbox := shell.Bubblewrap{
		Write: []string{"~/.cache/go-build"},
		Hide:  append(shell.DefaultHidden(), "~/private"),
	}
	options := shell.Options{SandboxExcluded: []string{"docker *"}}
	if err := sandbox.Check(context.Background()); err == nil {
		options.Sandbox = sandbox
	}
	fmt.Println(shell.Bash(options).Info().Name, slices.Contains(sandbox.Hide, "~/.ssh"))
	// Output: Bash true
}
