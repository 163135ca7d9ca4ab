package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// maxProblems is how many problems an error lists.
const maxProblems = 10

// A Problem is one thing wrong with an input.
type Problem struct {
	Path    string // of the value, such as items[2].name; "" for the root
	Message string // what is wrong and what is wanted, for a model
}

// String returns the path and the message.
func (p Problem) String() string {
	if p.Path == "" {
		return p.Message
	}
	return p.Path + ": " + p.Message
}

// Invalid says what is wrong with an input, ordered by path and message. The
// same input gives the same problems every time.
type Invalid struct { //nolint:errname // reads as a verdict: nil or *Invalid
	Problems []Problem // one to ten
	More     int       // how many were left out
}

// Error returns one line for each problem.
func (e *Invalid) Error() string {
	var text strings.Builder
	for i, p := range e.Problems {
		if i > 0 {
			text.WriteByte('\n')
		}
		text.WriteString(p.String())
	}
	if e.More > 0 {
		fmt.Fprintf(&text, "\nand %d more; mend these first", e.More)
	}
	return text.String()
}

func newInvalid(problems []Problem) *Invalid {
	slices.SortFunc(problems, func(a, b Problem) int {
		return cmp.Or(comparePaths(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	problems = slices.Compact(problems)
	shown := min(len(problems), maxProblems)
	return &Invalid{Problems: slices.Clone(problems[:shown]), More: len(problems) - shown}
}

// comparePaths puts items[2] before items[10].
func comparePaths(a, b string) int {
	for a != "" && b != "" {
		n, m := digits(a), digits(b)
		if n > 0 && m > 0 && n != m {
			return cmp.Compare(n, m)
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// digits returns how many digits s begins with.
func digits(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}
