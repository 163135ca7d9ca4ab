package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// maxProblems is the maximum number of problems that an error lists.
const maxProblems = 10

// Invalid lists the problems of an input, ordered by path and message. The same input always
// has the same problems.
type Invalid struct { //nolint:errname // the result of Validate is nil or *Invalid
	Problems []Problem // one to ten
	More     int       // number of other problems
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

// NewInvalid returns the error of one problem.
func NewInvalid(path, message string) *Invalid {
	return newInvalid([]Problem{{Path: path, Message: message}})
}

func newInvalid(problems []Problem) *Invalid {
	slices.SortFunc(problems, func(a, b Problem) int {
		return cmp.Or(comparePaths(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	problems = slices.Compact(problems)
	shown := min(len(problems), maxProblems)
	return &Invalid{Problems: slices.Clone(problems[:shown]), More: len(problems) - shown}
}
