package shell_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// A host offers PowerShell where Bash is missing. Its lines are decided as those of Bash are, and
// no mode permits the removal of the system. The example runs no line.
func ExamplePowerShell() {
	permissions, err := policy.New(policy.ModeBypass)
	if err != nil {
		log.Fatal(err)
	}
	careful, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = careful.Close(context.Background()) }()
	bypassing, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: permissions})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = bypassing.Close(context.Background()) }()
	var registry pegboard.Registry
	if err := registry.Add(shell.PowerShell(shell.Options{})); err != nil {
		log.Fatal(err)
	}
	gates := pegboard.Gates{PowerShell: true} // also on systems other than Windows
	for _, s := range []*pegboard.Session{careful, bypassing} {
		pool := registry.AssemblePool(s, pegboard.PoolConfig{Gates: gates})
		for _, line := range []string{"Get-ChildItem", "New-Item notes.txt", `Remove-Item -Recurse -Force C:\Windows`} {
			d := pool.Decide(context.Background(), pegboard.Call{Name: "PowerShell", Input: fmt.Appendf(nil, `{"command":%q}`, line)})
			fmt.Println(line, d.Behavior)
		}
	}
	// Output:
	// Get-ChildItem allow
	// New-Item notes.txt ask
	// Remove-Item -Recurse -Force C:\Windows deny
	// Get-ChildItem allow
	// New-Item notes.txt allow
	// Remove-Item -Recurse -Force C:\Windows deny
}
