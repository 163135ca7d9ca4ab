package shell_test

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// A container stands for a sandbox of the host's own. It prints the command that would run.
type container struct{}

// Wrap returns a program that prints the command.
func (container) Wrap(c shell.SandboxCommand) ([]string, error) {
	network := "none"
	if c.Network {
		network = "host"
	}
	return []string{"echo", "docker run --network", network, "image", c.Args[0], c.Args[1], c.Line}, nil
}

// Refusal knows of nothing that is refused.
func (container) Refusal(shell.SandboxCommand, shell.SandboxExit) string { return "" }

// What runs in a sandbox needs no permission, unless it reaches a host or files outside.
func ExampleSandbox() {
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	var registry pegboard.Registry
	if err := registry.Add(shell.Bash(shell.Options{Sandbox: container{}})); err != nil {
		fmt.Println(err)
		return
	}
	var executor pegboard.Executor
	pool := registry.AssemblePool(s, pegboard.PoolConfig{})
	for _, line := range []string{"make test", "curl https://example.com"} {
		call := pegboard.Call{ID: line, Name: "Bash", Input: fmt.Appendf(nil, `{"command":%q}`, line)}
		out := executor.Run(context.Background(), pool, call)[0]
		fmt.Println(out.Decision.Behavior, "-", out.Decision.Reason)
		if out.Err == nil {
			fmt.Println(out.Result.Text())
		}
	}
	// Output:
	// allow - it runs in a sandbox, inside the working directories
	// docker run --network none image bash -c make test
	// deny - no rule allows it: Bash wants to run curl https://example.com, beyond this machine, and nobody can be asked; the allow rule Bash(curl https://example.com) would permit it
}
