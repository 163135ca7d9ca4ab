// Package spool stores streams of bytes in the files of a directory: results of tools
// that are too long to be shown at once. The stored bytes stay within quotas, the oldest
// entries are evicted first, and any number of processes may share a directory.
//
// A root holds one folder per session, and a folder one file per entry, named after the
// call that the stream came from. An entry gets its name only when it is complete: if the
// process is killed, there is either the whole file or no file of that name. Nothing is
// synced to the disk, so after a loss of power an entry may be shorter than its Entry
// says, or filled with zeros. A reader compares its size with Entry.Size before it shows
// the content.
//
// The package writes these names and touches no others:
//
//	root/.spool-total                 bytes under the root; its lock guards all changes
//	root/.spool-swept                 its modification time is that of the last sweep
//	root/<session>/.spool-size        bytes of the session; locked while it is open
//	root/<session>/.spool-<26>.tmp    an entry that is being written, locked meanwhile
//	root/<session>/<id>-x<hash>.<ext> an entry
//
// A folder without .spool-size is not a folder of this package. Folders are created with
// permissions 0700 and files with 0600, less the process's umask.
//
// Locks are advisory and end with their process. On a file system without locks, several
// processes may exceed the quotas, temporary files of dead processes stay until they are
// older than Options.Retention, and empty folders stay forever.
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

// Options are the limits of a Dir. Sizes are in bytes. Processes that share a directory
// may have different options; each keeps to its own.
type Options struct {
	// MaxFile limits the stored part of one stream, not counting the note at the end of
	// a cut one. 0 means 64 MiB, negative means no limit.
	MaxFile int64
	// MaxSession limits the entries of one session. 0 means 1 GiB, negative means no
	// limit.
	MaxSession int64
	// MaxTotal limits the entries of all sessions under the root. 0 means 4 GiB,
	// negative means no limit.
	MaxTotal int64
	// Retention is the age after which a sweep removes an entry. 0 means 30 days,
	// negative means that entries do not expire.
	Retention time.Duration
	// SweepEvery is the minimum time between two sweeps that Open and Put start, of all
	// processes together. 0 means an hour, negative means that only Sweep sweeps.
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

// A Dir is the folder of one session. Its methods may be called from any goroutine.
// Several Dirs, in one process or in many, may have the same folder.
type Dir struct {
	options   Options
	path      string // of the folder, absolute and resolved
	name      string // name of the folder in the root
	temporary bool

	root  *os.Root
	dir   *os.Root
	total ledger // of the root
	own   ledger // of the folder

	rootLock       chan struct{} // full while this Dir holds the root's lock
	ownOldest      evictionQueue // guarded by rootLock
	allOldest      evictionQueue // guarded by rootLock
	nextSweepCheck atomic.Int64  // when to check again whether a sweep is due, in Unix nanoseconds
	writeFault     func(off int64) error
}

// Open opens the folder of a session under root, and creates both if they are missing.
// session may be any string: the folder has the same name if that is safe on every
// system, and otherwise one with a hash. A sweep that is due happens before Open returns,
// over a limited number of entries. Sweeps do not remove the folder until Close or the
// end of the process.
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

func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// open opens the files and folders. After an error, Close closes those that were opened.
func (d *Dir) open(ctx context.Context, real string) error {
	var err error
	if d.root, err = os.OpenRoot(real); err != nil {
		return err
	}
	if d.total, err = openLedger(d.root, totalName); err != nil {
		return err
	}
	unlock, err := d.lock(ctx) // so that no sweep removes the folder meanwhile
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
	_, _ = filelock.TryRLock(d.own.file) // only a holder of the root's lock locks it exclusively
	if made == nil {
		return d.own.write(0)
	}
	return nil
}

// Path returns the folder of the session, absolute and without links.
func (d *Dir) Path() string { return d.path }

// Close closes the folder. Calls that run may fail, and later calls do. It removes the
// root that OpenTemp created. Close may be called more than once.
func (d *Dir) Close() error {
	if d.own.file != nil {
		_ = filelock.Unlock(d.own.file) // a program that is being started holds the file a moment longer
	}
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

// removeAll removes a folder. It retries, because a Put that runs may create a file
// meanwhile.
func removeAll(path string) error {
	err := os.RemoveAll(path)
	for tries := 1; err != nil && tries < maxRemovals; tries++ {
		err = os.RemoveAll(path)
	}
	return err
}

// maxRemovals is more than the number of files that can appear: no Put creates a file
// after Close.
const maxRemovals = 100
