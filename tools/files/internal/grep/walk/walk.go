// Package walk finds the regular files below one directory with several workers. Like
// ripgrep, it leaves out hidden names and the files that ignore files name, unless the
// options say otherwise. It holds no policy of its own.
//
// A walk never leaves its directory. It does not follow symbolic links. It
// opens every directory and file relative to its parent directory, and it does not read
// a file that was replaced by a link or a pipe in the meantime.
package walk

import (
	"context"
	"os"
)

// Run calls visit for every file that it finds, in no particular order. visit is called
// concurrently with different numbers of worker, from 0 to o.NumWorkers()-1, but not
// concurrently with the same number.
//
// dir is the absolute path of root, without links; Run uses it to find ignore files in
// the directories above root. The walk ends early with the error that visit returns,
// with a *goroutine.PanicError if visit panics, or with the cause of ctx. The error is
// a *GlobError or a *TypeError if the walk did not begin. The Report has the counts up
// to the end of the walk.
func Run(ctx context.Context, root *os.Root, dir string, o Options, visit func(worker int, e *Entry) error) (Report, error) {
	s, err := newSelection(o, dir)
	if err != nil {
		return Report{}, err
	}
	top, err := openTop(root)
	if err != nil {
		return Report{}, err
	}
	w := &walker{options: o, selection: s, visit: visit}
	w.queue.init()
	unhook := context.AfterFunc(ctx, w.queue.stop)
	w.queue.push(workItem{base: w.share(top), fullPath: s.prefix, scope: s.outerScope})
	err = w.runWorkers(o.NumWorkers())
	if !unhook() {
		err = context.Cause(ctx)
	}
	return Report{Filtered: int(w.filtered.Load()), Unreadable: int(w.unreadable.Load())}, err
}

// A Report counts the entries that a walk did not reach.
type Report struct {
	Filtered   int // files and directories that Options.Filter refused
	Unreadable int // directories that could not be read completely
}
