// Package files holds the tools that read files and find them: [Read] and
// [Glob].
//
// Both declare one path as their target and open exactly the object that was
// decided: what a name leads to is settled once, before permission is asked. A
// path that leads elsewhere by the time it is opened is refused, as are pipes,
// sockets and devices.
package files

import (
	"errors"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// Tools returns all tools of this package with their defaults.
func Tools() []pegboard.Tool {
	return []pegboard.Tool{Read(ReadOptions{}), Glob(GlobOptions{})}
}

// errNotAdmitted is the answer to a call that nothing was decided about.
var errNotAdmitted = errors.New("the call was not admitted by an executor, so no path was decided; run it through an Executor")

// decided returns the path that c may touch.
func decided(c *pegboard.Call) (pegboard.Target, error) {
	for _, t := range c.Targets() {
		if t.Kind == pegboard.Path {
			return t, nil
		}
	}
	return pegboard.Target{}, errNotAdmitted
}

// noNUL refuses what no file can be called.
func noNUL(field, value string) error {
	if strings.ContainsRune(value, 0) {
		return errors.New(field + " holds a NUL character, which no path can; send it without")
	}
	return nil
}

// orDefault returns n, or def if n is not positive.
func orDefault[T ~int | ~int64](n, def T) T {
	if n <= 0 {
		return def
	}
	return n
}
