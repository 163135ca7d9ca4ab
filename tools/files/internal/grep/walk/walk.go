// Package walk finds the regular files below one directory, several workers at
// once, and leaves out what ripgrep leaves out by default: hidden names and what
// ignore files name. It holds no policy of its own.
//
// A walk never leaves its directory. Symbolic links are neither followed nor
// listed, every directory and file is opened from the one it is in, and what
// became a link or a pipe meanwhile is not read.
package walk

import (
	"context"
	"os"
)

// Run calls visit for every file found, in no order. Calls with different
// numbers of worker, from 0 to o.NumWorkers()-1, come concurrently; those with
// the same do not.
//
// dir is the absolute path of root, without links, by which the ignore files
// above it are found. The walk ends early with the error that visit returns, with
// what it panics with as a *goroutine.PanicError, or with the cause of ctx. A
// *GlobError or a *TypeError says that it did not begin. The Report holds what
// was counted until the end.
func Run(ctx context.Context, root *os.Root, dir string, o Options, visit func(worker int, e *Entry) error) (Report, error) {
	s, err := o.newSelection(dir)
	if err != nil {
		return Report{}, err
	}
	top, err := openTop(root)
	if err != nil {
		return Report{}, err
	}
	r := &walker{options: o, selection: s, visit: visit}
	r.queue.init()
	unhook := context.AfterFunc(ctx, r.queue.stop)
	r.queue.push(workItem{base: r.share(top), fullPath: s.prefix, scope: s.outerScope})
	err = r.runWorkers(o.NumWorkers())
	if !unhook() {
		err = context.Cause(ctx)
	}
	return Report{Filtered: int(r.filtered.Load()), Unreadable: int(r.unreadable.Load())}, err
}
