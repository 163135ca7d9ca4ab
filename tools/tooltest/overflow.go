package tooltest

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// Overflow returns the tool OverflowTest, whose results have that many bytes of text, in
// numbered lines of 32 bytes: for tests of the handling of results that are too long. It
// only reads, so its calls need no permission. Overflow panics if bytes is negative.
func Overflow(bytes int) pegboard.Tool {
	if bytes < 0 {
		panic(fmt.Sprintf("tooltest: Overflow(%d): the number of bytes is negative", bytes))
	}
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "OverflowTest", Title: "Overflow"},
		Description: fmt.Sprintf("For tests: returns %d bytes of text.", bytes),
		Traits:      pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared, Kind: pegboard.KindRead},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) {
			return overflowText(bytes), nil
		},
	})
}

// overflowText returns a text of that many bytes.
func overflowText(bytes int) string {
	var b strings.Builder
	b.Grow(bytes + 32)
	for n := 1; b.Len() < bytes; n++ {
		fmt.Fprintf(&b, "line %010d of the long text\n", n)
	}
	return b.String()[:bytes]
}
