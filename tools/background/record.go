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

// A record is the file that describes a task. It exists while the task runs and until
// the end of the task was reported.
type record struct {
	path string

	mu      sync.Mutex           // held during a write
	last    *atomicfile.Snapshot // nil if there is no file
	removed bool                 // it must not be written again
}

// recordContent is the content of a record.
type recordContent struct {
	Version int      `json:"version"`
	Task    Task     `json:"task"`
	Names   []string `json:"names,omitempty"`
	Host    host     `json:"host"` // zero once the conversation was closed
}

const (
	recordVersion = 1
	recordSuffix  = ".task.json"
)

// write writes the content that now returns. It calls now with the lock of the record
// held, so that concurrent writers do not overwrite a newer state by an older one.
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
		return nil // the file is up to date; another process may have adopted it meanwhile
	default:
		next, err = r.last.Replace(context.Background(), data)
	}
	if next != nil {
		r.last = next
	}
	if errors.Is(err, atomicfile.ErrNotSynced) {
		return nil // the content was written; only its durability is uncertain
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
