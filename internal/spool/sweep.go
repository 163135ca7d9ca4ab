package spool

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/filelock"
)

// Sweep removes entries older than Options.Retention, temporary files of dead processes,
// and the folders of sessions that are empty and not open, under the whole root. It locks
// the root for one folder at a time.
func (d *Dir) Sweep(ctx context.Context) error {
	return d.sweep(ctx, math.MaxInt)
}

// maxBackgroundFiles is about how many files a sweep visits that Open or Put started.
const maxBackgroundFiles = 20_000

// sweepIfDue sweeps if the last sweep of any process was long enough ago. Its errors do
// not concern the caller and are ignored.
func (d *Dir) sweepIfDue(ctx context.Context) {
	every := d.options.SweepEvery
	now := time.Now()
	look := d.nextSweepCheck.Load()
	if every < 0 || now.UnixNano() < look || !d.nextSweepCheck.CompareAndSwap(look, now.Add(every).UnixNano()) {
		return
	}
	due, err := d.markSweep(ctx, now)
	if err != nil || !due {
		return
	}
	_ = d.sweep(ctx, maxBackgroundFiles)
}

// markSweep reports whether a sweep is due, and records that it happens now.
func (d *Dir) markSweep(ctx context.Context, now time.Time) (due bool, err error) {
	unlock, err := d.lock(ctx)
	if err != nil {
		return false, err
	}
	defer unlock()
	info, err := d.root.Lstat(sweptName)
	if errors.Is(err, fs.ErrNotExist) {
		var f *os.File
		if f, err = d.root.OpenFile(sweptName, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
			return false, err
		}
		return true, errors.Join(f.Close(), d.root.Chtimes(sweptName, now, now))
	}
	if err != nil || !info.Mode().IsRegular() {
		return false, err
	}
	// A time in the future comes from a clock that was wrong.
	if age := now.Sub(info.ModTime()); age >= 0 && age < d.options.SweepEvery {
		d.nextSweepCheck.Store(info.ModTime().Add(d.options.SweepEvery).UnixNano())
		return false, nil
	}
	return true, d.root.Chtimes(sweptName, now, now)
}

// sweep sweeps folders until it has visited the given number of files. The order is
// random, so that each folder is swept at some time.
func (d *Dir) sweep(ctx context.Context, files int) error {
	names, err := d.sessions()
	if err != nil {
		return err
	}
	rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names {
		n, bad := d.sweepSession(ctx, name)
		err = cmp.Or(err, bad) // the others are swept all the same
		if files -= n + 1; files <= 0 || ctx.Err() != nil {
			break
		}
	}
	return err
}

func (d *Dir) sweepSession(ctx context.Context, name string) (files int, err error) {
	unlock, err := d.lock(ctx)
	if err != nil {
		return 0, err
	}
	defer unlock()
	dir, err := d.session(name)
	if err != nil {
		return 0, nil // removed meanwhile, or not a folder of this package
	}
	defer func() { _ = dir.Close() }()
	var oldest time.Time
	if d.options.Retention >= 0 {
		oldest = time.Now().Add(-d.options.Retention)
	}
	found, err := survey(ctx, dir, name, oldest, func(candidate) {})
	if err != nil {
		return 0, err
	}
	own, err := openLedger(dir, sizeName)
	if err != nil {
		return 0, err
	}
	defer func() { _ = own.file.Close() }()
	d.total.add(-found.removed)
	if own.write(found.size) != nil {
		own.invalidate()
	}
	if found.entries+found.others == 0 {
		d.removeSession(name, dir, own)
	}
	return found.files, nil
}

// removeSession removes an empty folder, unless this Dir or another one has it open.
func (d *Dir) removeSession(name string, dir *os.Root, own ledger) {
	if free, err := filelock.TryLock(own.file); !free || err != nil {
		return
	}
	_ = own.file.Close() // an open file cannot be removed everywhere
	if dir.Remove(sizeName) == nil {
		_ = dir.Close()
		_ = d.root.Remove(name)
	}
}
