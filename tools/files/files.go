// Package files holds the tools that work on files: [Read], [Write], [Edit] and
// [NotebookEdit], [Glob] to find them by name and [Grep] by content.
//
// Each declares one path as its target and opens exactly the object that was
// decided: what a name leads to is settled once, before permission is asked. A
// path that leads elsewhere by the time it is opened is refused, as are pipes,
// sockets and devices.
//
// What a session has read, it may edit. It goes by content: a file that changed
// since is edited all the same if the place to change is still there exactly
// once. See [Forget] for conversations that lose their beginning.
// [Preview] shows the person who is asked what an edit would change.
//
// # Concurrency
//
//  1. Calls of a conversation that write one file take turns, whichever agents
//     make them and under whatever name they know the file.
//  2. So do those of other conversations and processes that use this package,
//     where the system has advisory locks: nobody's edit is lost.
//  3. Another program that changes a file while it is edited is noticed up to the
//     last moment before the new file takes its place; a change in this moment
//     is lost.
package files

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
)

// Tools returns all tools of this package with their defaults.
func Tools() []pegboard.Tool {
	return []pegboard.Tool{
		Read(ReadOptions{}), Write(WriteOptions{}), Edit(WriteOptions{}), NotebookEdit(WriteOptions{}),
		Glob(GlobOptions{}), Grep(GrepOptions{}),
	}
}

// Forget drops what s remembers of files that were read. Call it when the
// beginning of the conversation is cut off or summed up: the model then has to
// read files again before it edits them, and Read shows what it showed before.
func Forget(s *pegboard.Session) { reads.Of(s).Forget() }

// errUndecided is the answer to a call that nothing was decided about.
var errUndecided = errors.New("the call was not admitted by an executor, so no path was decided; run it through an Executor")

// decidedTarget returns the path that c may touch.
func decidedTarget(c *pegboard.Call) (pegboard.Target, error) {
	for _, t := range c.Targets() {
		if t.Kind == pegboard.TargetPath {
			return t, nil
		}
	}
	return pegboard.Target{}, errUndecided
}

// checkNoNUL refuses what no file can be called.
func checkNoNUL(field, value string) error {
	if strings.ContainsRune(value, 0) {
		return errors.New(field + " holds a NUL character, which no path can; send it without")
	}
	return nil
}

// checkNotDirectory refuses a path that can only be a directory's.
func checkNotDirectory(field, path string) error {
	if last := strings.TrimSuffix(filepath.ToSlash(path), "."); strings.HasSuffix(last, "/") || last == "" {
		return fmt.Errorf("%s %q names a directory; send the path of a file", field, path)
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

// plural counts things in words.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
