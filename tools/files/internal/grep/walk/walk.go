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
	"errors"
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// Options say which files a walk finds. The zero value is ripgrep's default.
type Options struct {
	// NoIgnore leaves ignore files unread: .gitignore and .git/info/exclude in a
	// repository, .ignore and .rgignore anywhere, those of the directories above
	// included.
	NoIgnore bool
	// Hidden also finds names that begin with a dot.
	Hidden bool
	// Globs choose files like ripgrep's -g, the last that matches wins. One that
	// begins with "!" leaves out what it matches. If one does not, a file that
	// matches none is left out. What they choose is found even if it is hidden
	// or ignored, but not below a directory that is.
	Globs []string
	// Types choose files by the names of their types, as TypeNames lists them.
	// "all" stands for every type.
	Types []string
	// User is the absolute path of the user's own ignore file, which counts in
	// repositories, after theirs. Empty: none.
	User string
	// MaxDepth is how many names a path has at most; 0 means any number.
	MaxDepth int
	// Enter says whether to look into the directory at rel. Nil looks into all.
	// What lies in the others is not counted anywhere. It is called
	// concurrently.
	Enter func(rel string) bool
	// Keep says whether to go on with a file or directory that was chosen. Nil
	// keeps all. What it refuses is counted. It is called concurrently.
	Keep func(rel string, dir bool) bool
	// Workers is how many goroutines walk; 0 means GOMAXPROCS.
	Workers int
}

// NumWorkers returns how many workers a walk with these options has.
func (o Options) NumWorkers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// An Entry is a regular file that was found. It is usable until visit returns.
type Entry struct {
	// Rel is the path from the directory of the walk, divided by slashes. It may
	// hold any byte but NUL. It stays valid.
	Rel  string
	name string
	in   *folder
}

// Info looks the file up. It does not open it.
func (e *Entry) Info() (Info, error) { return e.in.info(e.name) }

// Open opens the file for reading. It fails if the name no longer stands for a
// regular file.
func (e *Entry) Open() (File, error) { return e.in.open(e.name) }

// Info is what is known of a file without reading it.
type Info struct {
	Size    int64 // bytes
	ModTime time.Time
}

// A Report counts what a walk did not find.
type Report struct {
	LeftOut    int // files and directories that Keep refused
	Unreadable int // directories that could not be read, or not to their end
}

// errNotRegular is why a file is not opened that was one when it was listed.
var errNotRegular = errors.New("no longer a regular file")

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
	s, err := o.selection(dir)
	if err != nil {
		return Report{}, err
	}
	top, err := openTop(root)
	if err != nil {
		return Report{}, err
	}
	r := &run{options: o, selection: s, visit: visit}
	r.queue.init()
	unhook := context.AfterFunc(ctx, r.queue.stop)
	r.queue.push(item{from: r.hold(top), full: s.above, frame: s.outer})
	err = r.work(o.NumWorkers())
	if !unhook() {
		err = context.Cause(ctx)
	}
	return Report{LeftOut: int(r.leftOut.Load()), Unreadable: int(r.unreadable.Load())}, err
}

// A run is one walk that goes on.
type run struct {
	options   Options
	selection *selection
	visit     func(worker int, e *Entry) error
	queue     queue

	open       atomic.Int32 // folders
	leftOut    atomic.Int64
	unreadable atomic.Int64
}

// work runs the workers and returns the first error in their order.
func (r *run) work(workers int) error {
	errs := make([]error, workers)
	var ends []<-chan error
	for i := 1; i < workers; i++ {
		ends = append(ends, goroutine.Go(func() { errs[i] = r.worker(i) }))
	}
	errs[0] = goroutine.Try(func() error { return r.worker(0) })
	for i, end := range ends {
		if err := <-end; err != nil {
			errs[i+1] = err
		}
	}
	for _, it := range r.queue.rest() {
		it.from.release()
	}
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return errs[i]
	}
	return nil
}

// worker takes items until none will come any more.
func (r *run) worker(number int) error {
	defer r.queue.stop() // ends the others too if visit panics; no harm at the end
	w := worker{run: r, number: number}
	for {
		it, ok := r.queue.next()
		if !ok {
			return nil
		}
		if err := w.do(it); err != nil {
			return err
		}
		r.queue.done()
	}
}
