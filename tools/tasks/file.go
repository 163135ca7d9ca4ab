package tasks

import (
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

const (
	lockSuffix    = ".lock"
	corruptSuffix = ".corrupt"
	// maxWait is how long a change waits for others. A change takes milliseconds.
	maxWait = 10 * time.Second
	// maxTries is how often a change is made again because a program without the lock has
	// changed the file meanwhile.
	maxTries = 100
)

// A file keeps a graph in a file.
type file struct {
	path    string // as it was given to Open
	real    string // resolved
	store   atomicfile.Store
	onAside func(*FileError) // is told of a file that was set aside

	mu   lock.Mutex // guards the fields below
	sum  [sha256.Size]byte
	last *graph // the graph of the content with that sum; nil before the first
}

// newFile returns the storage at an absolute path. The error is that the path is a link that
// leads out of its directory.
func newFile(path string, onAside func(*FileError)) (*file, error) {
	path = filepath.Clean(path)
	f := &file{path: path, onAside: onAside, real: realpath.Resolve(path)}
	if !realpath.Contains(realpath.Resolve(filepath.Dir(path)), f.real) {
		return f, fmt.Errorf("%w, to %s", ErrOutside, f.real)
	}
	return f, nil
}

// read needs no lock, since the file is replaced as a whole. If it cannot be read, that is tried
// again under the lock: it may be replaced at this moment, and is set aside only there.
func (f *file) read(ctx context.Context) (*graph, error) {
	_, g, err := f.load(ctx)
	if !errors.Is(err, ErrCorrupt) && !errors.Is(err, realpath.ErrMoved) {
		return g, err
	}
	unlock, lockErr := f.lock(ctx)
	if lockErr != nil {
		return nil, err
	}
	defer unlock()
	_, g, err = f.loadOrSetAside(ctx)
	return g, err
}

func (f *file) change(ctx context.Context, do func(g *graph) (keep bool, err error)) error {
	unlock, err := f.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	for range maxTries {
		before, old, err := f.loadOrSetAside(ctx)
		if err != nil {
			return err
		}
		next := old.clone()
		keep, err := do(next)
		if err != nil || !keep {
			return err
		}
		kept, err := f.save(ctx, before, next)
		if err != nil || kept {
			return err
		}
	}
	return fmt.Errorf("%w: %s is changed by another program again and again; nothing was changed", ErrBusy, f.path)
}

// lock excludes the changes of others, in this process and in others. On a file system without
// locks only those of this list are excluded; save notices all others that it can.
func (f *file) lock(ctx context.Context) (unlock func(), err error) {
	waiting, cancel := context.WithTimeoutCause(ctx, maxWait, ErrBusy)
	defer cancel()
	release, err := f.store.Lock(waiting, f.real)
	if err != nil {
		return nil, f.notLocked(ctx)
	}
	gate, err := f.openLock()
	if err != nil {
		release()
		return nil, fmt.Errorf("the file of the tasks cannot be changed: %w", err)
	}
	unlock = func() { _ = gate.Close(); release() }
	err = filelock.Lock(waiting, gate, maxWait)
	if ctx.Err() != nil || waiting.Err() != nil || errors.Is(err, filelock.ErrHeld) {
		unlock()
		return nil, f.notLocked(ctx)
	}
	return unlock, nil
}

// notLocked returns why there is no lock.
func (f *file) notLocked(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return fmt.Errorf("%w: %s was locked for %v; nothing was changed, try again later", ErrBusy, f.path, maxWait)
}

// openLock opens the file that is locked, and makes it and its directory if they are missing.
func (f *file) openLock() (*os.File, error) {
	dir, name := filepath.Dir(f.real), filepath.Base(f.real)+lockSuffix
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

// load reads the file. A missing one is an empty list without a snapshot.
func (f *file) load(ctx context.Context) (*atomicfile.Snapshot, *graph, error) {
	snap, err := f.store.Load(ctx, f.real, MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, newGraph(), nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("the file of the tasks cannot be read: %w", err)
	}
	f.mu.Lock()
	g := f.last
	if f.sum != snap.Sum {
		g = nil
	}
	f.mu.Unlock()
	if g == nil {
		if g, err = decodeGraph(snap.Data); err != nil {
			return nil, nil, err
		}
		f.remember(snap.Sum, g)
	}
	return snap, g, nil
}

func (f *file) remember(sum [sha256.Size]byte, g *graph) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sum, f.last = sum, g
}

// loadOrSetAside is load. It renames a damaged file, and returns an empty list. The caller holds
// the lock.
func (f *file) loadOrSetAside(ctx context.Context) (*atomicfile.Snapshot, *graph, error) {
	snap, g, err := f.load(ctx)
	if !errors.Is(err, ErrCorrupt) {
		return snap, g, err
	}
	aside := f.real + "." + strings.ToLower(rand.Text()[:8]) + corruptSuffix
	if moveErr := os.Rename(f.real, aside); moveErr != nil {
		return nil, nil, fmt.Errorf("the file of the tasks cannot be read: %w, nor set aside: %w", err, moveErr)
	}
	f.onAside(&FileError{Path: f.path, Aside: aside, Err: err})
	return nil, newGraph(), nil
}

// save replaces the file, which must be as it was before. It returns false if it is not. The
// caller holds the lock.
func (f *file) save(ctx context.Context, before *atomicfile.Snapshot, g *graph) (kept bool, err error) {
	data, err := g.encode()
	if err != nil {
		return false, err
	}
	var after *atomicfile.Snapshot
	if before == nil {
		after, err = f.store.Create(ctx, f.real, data, 0o600)
	} else {
		after, err = before.Replace(ctx, data)
	}
	switch {
	case err == nil, errors.Is(err, atomicfile.ErrNotSynced): // it is there; only a loss of power could take it away
		f.remember(after.Sum, g)
		return true, nil
	case errors.Is(err, atomicfile.ErrChanged), before == nil && errors.Is(err, fs.ErrExist):
		return false, nil
	}
	return false, fmt.Errorf("the tasks could not be written, and nothing was changed: %w", err)
}
