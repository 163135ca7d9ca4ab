package background

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"sync"

	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
)

// A record is a task on the disk. It is there while the task runs, and until its
// end was told.
type record struct {
	path string

	mu      sync.Mutex           // one write at a time
	last    *atomicfile.Snapshot // nil if there is no file
	removed bool                 // it was removed for good
}

// recordContent is what a record holds.
type recordContent struct {
	Version int  `json:"version"`
	Task    Task `json:"task"`
	Host    host `json:"host"` // zero once the conversation was closed
}

const (
	recordVersion = 1
	recordSuffix  = ".task.json"
)

// write writes what is true once nobody else writes.
func (r *record) write(store *atomicfile.Store, now func() recordContent) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.removed {
		return nil
	}
	data, err := json.MarshalIndent(now(), "", "  ")
	if err != nil {
		return err
	}
	data = append(data, '\n')
	var next *atomicfile.Snapshot
	switch {
	case r.last == nil:
		next, err = store.Create(context.Background(), r.path, data, 0o600)
	case bytes.Equal(r.last.Data, data):
		return nil // somebody may have the file by now
	default:
		next, err = r.last.Replace(context.Background(), data)
	}
	if next != nil {
		r.last = next
	}
	if errors.Is(err, atomicfile.ErrNotSynced) {
		return nil // it is written, and there is nothing to do about the disk
	}
	return err
}

func (r *record) remove() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.removed = true
	if err := os.Remove(r.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
