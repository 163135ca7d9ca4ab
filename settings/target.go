package settings

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/policy"
)

// Permissions of new files and directories.
const (
	ownFile    fs.FileMode = 0o600
	sharedFile fs.FileMode = 0o644
	ownDir     fs.FileMode = 0o755
)

// maxAttempts is how often an edit is retried because another program changed the file.
const maxAttempts = 100

// A target is a file that an editor changes.
type target struct {
	*editor
	real   string // resolved path of the file
	linked bool   // whether the file or its directory is a link
	store  atomicfile.Store
}

func newTarget(e *editor) (*target, error) {
	real, err := resolve(e.path)
	if err != nil {
		return nil, err
	}
	return &target{editor: e, real: real, linked: isLinked(e.path, real)}, nil
}

// load returns the content of the file, or nil if it is missing.
func (t *target) load(ctx context.Context) ([]byte, error) {
	snap, err := t.snapshot(ctx)
	if snap == nil {
		return nil, err
	}
	return snap.Data, nil
}

// snapshot reads the file. It returns nil if it is missing.
func (t *target) snapshot(ctx context.Context) (*atomicfile.Snapshot, error) {
	snap, err := t.store.Load(ctx, t.real, maxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return snap, nil
}

// update applies the updates while it holds the lock of the directory.
func (t *target) update(ctx context.Context) (*SetAsideError, error) {
	dir := filepath.Dir(t.real)
	if err := os.MkdirAll(dir, ownDir); err != nil {
		return nil, err
	}
	unlock, err := lockDir(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	for attempt := 1; ; attempt++ {
		aside, err := t.tryUpdate(ctx)
		faster := errors.Is(err, atomicfile.ErrChanged) || errors.Is(err, fs.ErrExist)
		if !faster || attempt == maxAttempts {
			return aside, err
		}
	}
}

// tryUpdate tries to apply the updates to the file as it is now.
func (t *target) tryUpdate(ctx context.Context) (*SetAsideError, error) {
	snap, err := t.store.Load(ctx, t.real, maxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, t.create(ctx)
	}
	if err != nil {
		return nil, err
	}
	data, err := t.edit(snap.Data)
	var corrupt *CorruptError
	if errors.As(err, &corrupt) && !t.linked {
		return t.setAside(ctx, snap, corrupt)
	}
	if err != nil || bytes.Equal(data, snap.Data) {
		return nil, err
	}
	next, err := snap.Replace(ctx, data)
	t.saved(snap, next)
	return nil, err
}

// saved remembers a save. Before is nil if the file was made, and after if it was not saved.
func (t *target) saved(before, after *atomicfile.Snapshot) {
	if after == nil {
		return
	}
	var info fs.FileInfo
	if before != nil {
		info = before.Info
	}
	t.saves.add(t.path, info, after.Info)
}

func (t *target) create(ctx context.Context) error {
	data, err := t.edit(nil)
	if err != nil || len(data) == 0 {
		return err
	}
	perm := ownFile
	if t.source == policy.SourceProject {
		perm = sharedFile
	}
	made, err := t.store.Create(ctx, t.real, data, perm)
	t.saved(nil, made)
	return err
}

// setAside copies a corrupt file and replaces it by a new one. If the process is killed in
// between, the file is unchanged, and there is a copy of it.
func (t *target) setAside(ctx context.Context, snap *atomicfile.Snapshot, why *CorruptError) (*SetAsideError, error) {
	fresh, err := t.edit(nil)
	if err != nil {
		return nil, err
	}
	aside := &SetAsideError{Path: t.path, Copy: copyName(t.real, time.Now()), Err: why.Err}
	if _, err := t.store.Create(ctx, aside.Copy, snap.Data, snap.Info.Mode().Perm()|ownFile); err != nil {
		return nil, err
	}
	next, err := snap.Replace(ctx, fresh)
	t.saved(snap, next)
	var damaged *atomicfile.BackupError
	if next == nil && !errors.As(err, &damaged) {
		_ = os.Remove(aside.Copy) // the file itself is unchanged
		return nil, err
	}
	return aside, err
}

// copyName returns the name of the copy of a corrupt file.
func copyName(path string, now time.Time) string {
	const random = 8
	return path + ".corrupt-" + now.UTC().Format("20060102T150405Z") + "-" + rand.Text()[:random]
}
