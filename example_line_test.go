package pegboard_test

import (
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// A command that the model wrote is shown on one line, with nothing hidden in it.
func ExampleOneLine() {
	fmt.Println(pegboard.OneLine("cd build &&\n\tmake \x1b[8minstall"))
	// Output: cd build && ⏎ make \x1b[8minstall
}
