// Package durable keeps a value in a file that several programs may change.
//
// The file has the old or the new content, whenever a program is killed. A file beside it, with
// ".lock" behind its name, excludes other programs during a change; on a file system without locks,
// a change by another one is noticed, and the change is made again.
package durable

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/filelock"
	"github.com/seed49eaa51d/pegboard/internal/lock"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// The errors. Those of the file system are wrapped.
var (
	// ErrBusy: changes of others have kept this one from being made.
	ErrBusy = errors.New("it is in use")
	// ErrCorrupt: the content is none that the program writes. Decode of a [Format] returns it.
	ErrCorrupt = errors.New("the file is damaged")
)

// CorruptSuffix ends the name of a file that [SetAside] has renamed.
const CorruptSuffix = ".corrupt"

const (
	lockSuffix = ".lock"
	// maxWait is how long a change waits for others. A change takes milliseconds.
	maxWait = 10 * time.Second
	// maxTries is how often a change is made again because a program without the lock has
	// changed the file meanwhile.
	maxTries = 100
	// tempAge is how old a temporary file must be before it is removed: a younger one may be that
	// of a change.
	tempAge = time.Hour
)

// A Format says how a value is written.
type Format[T any] struct {
	MaxBytes int64                        // of the file
	Decode   func(data []byte) (T, error) // data is nil if there is no file
	Encode   func(value T) ([]byte, error)
	// Aside, if it is set, is told that a file whose Decode error wraps ErrCorrupt was renamed;
	// there is none then. Without it, the error is that of the call, and the file stays.
	Aside func(path string, reason error)
}

// A File keeps a value of type T. Its methods may be called concurrently. Nobody may write to a
// value that it has returned.
type File[T any] struct {
	path   string // absolute, and resolved; empty for a value in memory
	format Format[T]
	store  atomicfile.Store

	mu    lock.Mutex // guards the fields below
	sum   [sha256.Size]byte
	last  T    // the value of the content with that sum, or the value in memory
	known bool // last is set
	count int  // the changes in memory
}

// New returns the file at an absolute path without links, which need not be there. An empty path
// keeps the value in memory.
func New[T any](path string, format Format[T]) *File[T] { return &File[T]{path: path, format: format} }

// Load returns the value. It needs no lock, since the file is replaced as a whole. If it cannot be
// read, that is tried again under the lock: it may be replaced at this moment, and is set aside
// only there.
func (f *File[T]) Load(ctx context.Context) (T, error) {
	if f.path == "" {
		value, _, err := f.inMemory()
		return value, errors.Join(err, context.Cause(ctx))
	}
	_, value, err := f.load(ctx)
	if !errors.Is(err, ErrCorrupt) && !errors.Is(err, realpath.ErrMoved) || f.format.Aside == nil {
		return value, err
	}
	unlock, lockErr := f.lock(ctx)
	if lockErr != nil {
		return value, err
	}
	defer unlock()
	_, value, err = f.loadOrSetAside(ctx)
	return value, err
}

// Change replaces the value by what do makes of it, and returns that. Do may be called several
// times, as others change the value meanwhile; the file is locked while it runs. If do fails, or
// returns what there was, nothing is written.
func (f *File[T]) Change(ctx context.Context, do func(T) (T, error)) (value T, err error) {
	if f.path == "" {
		return f.changeInMemory(ctx, do)
	}
	unlock, err := f.lock(ctx)
	if err != nil {
		return value, err
	}
	defer unlock()
	for range maxTries {
		before, old, err := f.loadOrSetAside(ctx)
		if err != nil {
			return value, err
		}
		next, err := do(old)
		if err != nil {
			return value, err
		}
		saved, err := f.save(ctx, before, old, next)
		if err != nil || saved {
			return next, err
		}
	}
	return value, fmt.Errorf("%w: %s is changed by another program again and again; nothing was changed", ErrBusy, f.path)
}

// Remove removes the file, if it is there.
func (f *File[T]) Remove(ctx context.Context) error {
	unlock, err := f.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Clean removes the new files of processes that were killed before they took the name.
func (f *File[T]) Clean() {
	dir, prefix := filepath.Dir(f.path), "."+filepath.Base(f.path)+".pegboard-" // of internal/atomicfile
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) || !strings.HasSuffix(e.Name(), ".tmp") {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > tempAge {
			_ = os.Remove(filepath.Join(dir, e.Name())) // the next program tries again
		}
	}
}

// inMemory returns the value in memory, and how often it was changed.
func (f *File[T]) inMemory() (value T, count int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.known {
		if f.last, err = f.format.Decode(nil); err != nil {
			return value, 0, err
		}
		f.known = true
	}
	return f.last, f.count, nil
}

// changeInMemory tries again if another change was faster, so that do runs without a lock.
func (f *File[T]) changeInMemory(ctx context.Context, do func(T) (T, error)) (value T, err error) {
	for {
		if err := context.Cause(ctx); err != nil {
			return value, err
		}
		old, count, err := f.inMemory()
		if err != nil {
			return value, err
		}
		next, err := do(old)
		if err != nil {
			return value, err
		}
		if _, err := f.format.Encode(next); err != nil { // it may have too many bytes
			return value, err
		}
		f.mu.Lock()
		kept := f.count == count
		if kept {
			f.last, f.count = next, count+1
		}
		f.mu.Unlock()
		if kept {
			return next, nil
		}
	}
}

// lock excludes the changes of others, in this process and in others. On a file system without
// locks only those of this File are excluded; save notices all others that it can.
func (f *File[T]) lock(ctx context.Context) (unlock func(), err error) {
	waiting, cancel := context.WithTimeoutCause(ctx, maxWait, ErrBusy)
	defer cancel()
	release, err := f.store.Lock(waiting, f.path)
	if err != nil {
		return nil, f.notLocked(ctx)
	}
	gate, err := f.openLock()
	if err != nil {
		release()
		return nil, fmt.Errorf("%s cannot be changed: %w", f.path, err)
	}
	unlock = func() {
		_ = filelock.Unlock(gate) // a process that is being started has a copy of the file for a moment
		_ = gate.Close()
		release()
	}
	err = filelock.Lock(waiting, gate, maxWait)
	if ctx.Err() != nil || waiting.Err() != nil || errors.Is(err, filelock.ErrHeld) {
		unlock()
		return nil, f.notLocked(ctx)
	}
	return unlock, nil
}

// notLocked returns why there is no lock.
func (f *File[T]) notLocked(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return fmt.Errorf("%w: %s was locked for %v; nothing was changed, try again later", ErrBusy, f.path, maxWait)
}

// openLock opens the file that is locked, and makes it and its directory if they are missing.
func (f *File[T]) openLock() (*os.File, error) {
	dir, name := filepath.Dir(f.path), filepath.Base(f.path)+lockSuffix
	root, err := realpath.OpenDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(dir, 0o700); err == nil {
			root, err = realpath.OpenDir(dir)
		}
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	return root.OpenFile(name, os.O_RDWR|os.O_CREATE|realpath.Nonblock, 0o600)
}

// load reads the file. A missing one has no snapshot.
func (f *File[T]) load(ctx context.Context) (*atomicfile.Snapshot, T, error) {
	var none T
	snap, err := f.store.Load(ctx, f.path, f.format.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		value, err := f.format.Decode(nil)
		return nil, value, err
	}
	if err != nil {
		return nil, none, fmt.Errorf("%s cannot be read: %w", f.path, err)
	}
	f.mu.Lock()
	value, known := f.last, f.known && f.sum == snap.Sum
	f.mu.Unlock()
	if !known {
		if value, err = f.format.Decode(snap.Data); err != nil {
			return nil, none, err
		}
		f.remember(snap.Sum, value)
	}
	return snap, value, nil
}

func (f *File[T]) remember(sum [sha256.Size]byte, value T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sum, f.last, f.known = sum, value, true
}

// loadOrSetAside is load. It renames a damaged file if the format wants that. The caller holds the
// lock.
func (f *File[T]) loadOrSetAside(ctx context.Context) (*atomicfile.Snapshot, T, error) {
	snap, value, err := f.load(ctx)
	if !errors.Is(err, ErrCorrupt) || f.format.Aside == nil {
		return snap, value, err
	}
	aside, moveErr := SetAside(f.path)
	if moveErr != nil {
		return nil, value, fmt.Errorf("%s cannot be read: %w, nor set aside: %w", f.path, err, moveErr)
	}
	f.format.Aside(aside, err)
	value, err = f.format.Decode(nil)
	return nil, value, err
}

// save replaces the file, which must be as it was before. It returns false if it is not. The
// caller holds the lock.
func (f *File[T]) save(ctx context.Context, before *atomicfile.Snapshot, old, next T) (saved bool, err error) {
	data, err := f.format.Encode(next)
	if err != nil {
		return false, err
	}
	var was []byte
	if before != nil {
		was = before.Data
	} else if was, err = f.format.Encode(old); err != nil {
		return false, err
	}
	if bytes.Equal(was, data) {
		return true, nil
	}
	var after *atomicfile.Snapshot
	if before == nil {
		after, err = f.store.Create(ctx, f.path, data, 0o600)
	} else {
		after, err = before.Replace(ctx, data)
	}
	switch {
	case err == nil, errors.Is(err, atomicfile.ErrNotSynced): // it is there; only a loss of power could take it away
		f.remember(after.Sum, next)
		return true, nil
	case errors.Is(err, atomicfile.ErrChanged), before == nil && errors.Is(err, fs.ErrExist):
		return false, nil
	}
	return false, fmt.Errorf("%s could not be written, and nothing was changed: %w", f.path, err)
}

// SetAside renames a file that cannot be read to an unused name, and returns that.
func SetAside(path string) (aside string, err error) {
	aside = path + "." + strings.ToLower(rand.Text()[:8]) + CorruptSuffix
	return aside, os.Rename(path, aside)
}
