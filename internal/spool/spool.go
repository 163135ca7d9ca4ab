// Package spool keeps streams of bytes in the files of a directory: results of
// tools that are too long to be shown at once. What is kept stays within quotas,
// the oldest entries go first, and any number of processes may share a directory.
//
// A root holds one folder per session, and a folder one file per entry, named after
// the call that the stream came from. An entry has its name only when it is
// complete: whoever kills the process leaves the whole file or none of that name.
// Nothing is synced to the disk, so a loss of power may leave an entry shorter than
// its Entry says, or filled with zeros. Whoever reads one compares its size with
// Entry.Size before he shows what should be there.
//
// The package writes these names and touches no others:
//
//	root/.spool-total                 bytes under the root; its lock guards all changes
//	root/.spool-swept                 its time is that of the last sweep
//	root/<session>/.spool-size        bytes of the session; locked while it is open
//	root/<session>/.spool-<26>.tmp    an entry that is being written, locked all the while
//	root/<session>/<id>-x<hash>.<ext> an entry
//
// A folder without .spool-size is somebody else's. Folders are made with permissions
// 0700 and files with 0600, less what the mask of the process takes.
//
// Locks are advisory and end with their process. Where a file system has none,
// several processes may exceed the quotas, leftovers of dead processes stay until
// they are older than Options.Retention, and empty folders stay for ever.
package spool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/filelock"
)

// Options are the limits of a Dir. Sizes are bytes. Each process holds to its own
// options, whatever others have that share the directory.
type Options struct {
	// MaxFile is how much of one stream is kept, not counting the note that ends a
	// cut one. 0 means 64 MiB, negative means no cut.
	MaxFile int64
	// MaxSession bounds the entries of one session. 0 means 1 GiB, negative means no
	// bound.
	MaxSession int64
	// MaxTotal bounds the entries of all sessions under the root. 0 means 4 GiB,
	// negative means no bound.
	MaxTotal int64
	// Retention is the age beyond which a sweep removes an entry. 0 means 30 days,
	// negative means that no entry is too old.
	Retention time.Duration
	// SweepEvery is the least time between two sweeps that Open and Put begin by
	// themselves, of all processes together. 0 means an hour, negative means that
	// only Sweep sweeps.
	SweepEvery time.Duration
}

func (o Options) withDefaults() Options {
	o.MaxFile = orDefault(o.MaxFile, 64<<20)
	o.MaxSession = orDefault(o.MaxSession, 1<<30)
	o.MaxTotal = orDefault(o.MaxTotal, 4<<30)
	o.Retention = orDefault(o.Retention, 30*24*time.Hour)
	o.SweepEvery = orDefault(o.SweepEvery, time.Hour)
	return o
}

func orDefault[T int64 | time.Duration](value, standard T) T {
	if value == 0 {
		return standard
	}
	return value
}

// A Dir is the folder of one session. It is safe for concurrent use, and so are
// several of the same folder, in one process or in many.
type Dir struct {
	options   Options
	path      string // of the folder, absolute and real
	name      string // of the folder in the root
	temporary bool

	root  *os.Root
	dir   *os.Root
	total ledger // of the root
	own   ledger // of the folder

	rootLock       chan struct{} // full while this Dir holds the lock of the root
	ownOldest      evictionQueue // guarded by turn
	allOldest      evictionQueue // guarded by turn
	nextSweepCheck atomic.Int64  // when to look whether a sweep is due, in Unix nanoseconds
	writeFault     func(off int64) error
}

// Open opens the folder of a session under root and makes what is missing of both.
// The session may be called anything: the folder has the same name if that is safe
// everywhere and one with a hash if not. A sweep that is due happens before Open
// returns, over a bounded number of entries. The folder is not removed by sweeps
// until Close or the end of the process.
func Open(root, session string, o Options) (*Dir, error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, err
	}
	real, err := realPath(root)
	if err != nil {
		return nil, err
	}
	name := folderName(session)
	d := &Dir{
		options: o.withDefaults(), path: filepath.Join(real, name), name: name,
		rootLock: make(chan struct{}, 1),
	}
	ctx := context.Background()
	if err := d.open(ctx, real); err != nil {
		_ = d.Close()
		return nil, err
	}
	d.sweepIfDue(ctx)
	return d, nil
}

// OpenTemp opens a new folder in a new root under parent, for one process. Close
// removes both. "" means the system's directory for temporary files. A process that
// is killed leaves them there.
func OpenTemp(parent string, o Options) (*Dir, error) {
	root, err := os.MkdirTemp(parent, "results-")
	if err != nil {
		return nil, err
	}
	d, err := Open(root, "session", o)
	if err != nil {
		_ = os.RemoveAll(root)
		return nil, err
	}
	d.temporary = true
	return d, nil
}

func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// open fills in what needs the file system. Close gives back the part that
// succeeded.
func (d *Dir) open(ctx context.Context, real string) error {
	var err error
	if d.root, err = os.OpenRoot(real); err != nil {
		return err
	}
	if d.total, err = openLedger(d.root, totalName); err != nil {
		return err
	}
	unlock, err := d.lock(ctx) // a sweep could remove the folder that we open
	if err != nil {
		return err
	}
	defer unlock()
	made := d.root.Mkdir(d.name, 0o700)
	if made != nil && !errors.Is(made, fs.ErrExist) {
		return made
	}
	info, err := d.root.Lstat(d.name)
	if err != nil {
		return err
	}
	if d.dir, err = d.root.OpenRoot(d.name); err != nil {
		return err
	}
	if opened, err := d.dir.Stat("."); err != nil || !os.SameFile(info, opened) {
		return fmt.Errorf("the folder %s is a link", d.path)
	}
	if d.own, err = openLedger(d.dir, sizeName); err != nil {
		return err
	}
	_, _ = filelock.TryRLock(d.own.file) // nobody has it alone while we have the root's
	if made == nil {
		return d.own.write(0)
	}
	return nil
}

// Path returns the folder of the session, absolute and without links.
func (d *Dir) Path() string { return d.path }

// Contains reports whether path, which is absolute and without links, is the folder
// or a file in it that has the name of an entry. It need not exist. A spelling that
// only a file system without case takes for the same is not contained.
func (d *Dir) Contains(path string) bool {
	return path == d.path || filepath.Dir(path) == d.path && isEntryName(filepath.Base(path))
}

// Close lets go of the folder. What is under way may fail, and what is called later
// does. What OpenTemp made is removed. A second Close is no harm.
func (d *Dir) Close() error {
	for _, f := range []*os.File{d.own.file, d.total.file} {
		if f != nil {
			_ = f.Close() // nothing is buffered
		}
	}
	for _, r := range []*os.Root{d.dir, d.root} {
		if r != nil {
			_ = r.Close()
		}
	}
	if d.temporary {
		return removeAll(filepath.Dir(d.path))
	}
	return nil
}

// removeAll removes a folder in which whoever was about to makes a file meanwhile.
func removeAll(path string) error {
	err := os.RemoveAll(path)
	for tries := 1; err != nil && tries < maxRemovals; tries++ {
		err = os.RemoveAll(path)
	}
	return err
}

// maxRemovals is more often than files can come: nobody begins to make one after Close.
const maxRemovals = 100
