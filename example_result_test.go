package pegboard_test

import (
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

func ExampleTextResult() {
	fmt.Println(pegboard.TextResult("three files").Text())
	// Output: three files
}
