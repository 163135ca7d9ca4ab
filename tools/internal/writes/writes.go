// Package writes lets the calls of all agents of a conversation take turns at a file. The
// executor orders the calls of one agent; those of another one run beside them.
package writes

import (
	"context"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/policy"
)

// Of returns the store that all agents of the conversation of s share.
func Of(s *pegboard.Session) *atomicfile.Store {
	return storeKey.GetOrInitRoot(s, func() *atomicfile.Store { return &atomicfile.Store{} })
}

var storeKey = pegboard.NewKey[*atomicfile.Store]("file writes")

// Lock locks the files that the targets of c say it writes, until unlock is called. The only error
// is that of ctx. Lock locks nothing for a target that stands for a whole tree, since it is not
// known which of its files the call writes.
func Lock(ctx context.Context, c *pegboard.Call) (unlock func(), err error) {
	var files []string
	for _, t := range c.Targets() {
		if t.Kind == policy.Path && t.Access == policy.Write && !t.Tree && t.Real() != "" {
			files = append(files, t.Real())
		}
	}
	if len(files) == 0 {
		return func() {}, nil
	}
	return Of(c.Session()).LockAll(ctx, files)
}
