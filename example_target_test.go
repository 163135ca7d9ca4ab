package pegboard_test

import (
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// A log that must not contain inputs writes the classes of targets.
func ExampleTarget_Class() {
	fmt.Println(pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: "notes/diary.md"}.Class())
	fmt.Println(pegboard.Target{Kind: pegboard.TargetPath, Value: "out", Shell: pegboard.ShellFacts{Guess: true}}.Class())
	// Output:
	// path:read
	// path:write?
}
