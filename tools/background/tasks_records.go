package background

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

func (t *Tasks) recordPath(id string) string { return filepath.Join(t.opts.Dir, id+recordSuffix) }

// saveRecord writes the record of a task in its present state.
func (t *Tasks) saveRecord(e *entry) {
	if e.record == nil {
		return
	}
	if err := e.record.write(&t.files.store, func() recordContent {
		t.mu.Lock()
		defer t.mu.Unlock()
		r := recordContent{Version: recordVersion, Task: e.task.copied(), Names: e.names, Host: t.files.host}
		if t.closed && e.task.State != Running {
			r.Host = host{}
		}
		return r
	}); err != nil {
		t.addErr(fmt.Errorf("the record of task %s: %w", e.task.ID, err))
	}
}

// removeRecord removes the record of a task whose end was reported.
func (t *Tasks) removeRecord(e *entry) {
	if e.record == nil {
		return
	}
	if err := e.record.remove(); err != nil {
		t.addErr(fmt.Errorf("the record of task %s: %w", e.task.ID, err))
	}
}

func (t *Tasks) addErr(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.errs) < maxMessages {
		t.errs = append(t.errs, err)
	}
}

// savePending writes the records of the ended tasks whose end was not reported, so
// that the next program that opens the conversation reports it.
func (t *Tasks) savePending() {
	t.mu.Lock()
	var unreported []*entry
	for _, n := range t.pending {
		if n.end {
			unreported = append(unreported, n.entry)
		}
	}
	t.mu.Unlock()
	for _, e := range unreported {
		t.saveRecord(e)
	}
}

// adoptRecords adds the tasks of an earlier run that have a record in the directory.
// The caller holds the lock during this I/O: the table is not in use yet.
func (t *Tasks) adoptRecords() error {
	t.files.host = thisHost()
	names, err := os.ReadDir(t.opts.Dir)
	if err != nil {
		return fmt.Errorf("the directory of the background tasks: %w", err)
	}
	var aside []string
	var errs []error
	for _, name := range names {
		id, ok := strings.CutSuffix(name.Name(), recordSuffix)
		if !ok {
			continue
		}
		err := t.adoptRecord(id)
		t.ids[id] = slices.ContainsFunc(t.entries, func(e *entry) bool { return e.task.ID == id })
		if errors.Is(err, ErrCorrupt) {
			var moved string
			moved, err = setAside(t.recordPath(id))
			aside = append(aside, moved)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("the record of task %s: %w", id, err))
		}
	}
	slices.SortStableFunc(t.entries, func(a, b *entry) int { return a.task.Started.Compare(b.task.Started) })
	slices.SortStableFunc(t.pending, func(a, b notice) int { return a.entry.task.Ended.Compare(b.entry.task.Ended) })
	t.prune()
	if len(aside) > 0 {
		errs = append(errs, fmt.Errorf("%w, set aside as %s", ErrCorrupt, strings.Join(aside, ", ")))
	}
	return errors.Join(errs...)
}

// adoptRecord adds one task of an earlier run and rewrites its record with this
// process as the host. If several processes try, one of them succeeds.
func (t *Tasks) adoptRecord(id string) error {
	snap, r, err := t.readRecord(id)
	if err != nil || r.Host.alive() {
		return err
	}
	e := &entry{task: r.Task, names: r.Names, done: make(chan struct{}), record: &record{path: snap.Path(), last: snap}}
	close(e.done)
	if e.task.State == Running {
		e.task.State, e.task.Ended = Lost, time.Now()
	}
	// Another program that can write the record may have put any path into it. A path
	// outside the directory is shown, but not read.
	if filepath.Dir(e.task.OutputFile) == t.opts.Dir {
		e.work.OutputFile = e.task.OutputFile
	}
	err = e.record.write(&t.files.store, func() recordContent {
		return recordContent{Version: recordVersion, Task: e.task, Names: e.names, Host: t.files.host}
	})
	if errors.Is(err, atomicfile.ErrChanged) {
		return nil
	}
	t.entries = append(t.entries, e)
	t.pending = append(t.pending, notice{entry: e, end: true})
	return err
}

// readRecord reads one record. The error wraps ErrCorrupt if the file is not a
// record.
func (t *Tasks) readRecord(id string) (*atomicfile.Snapshot, recordContent, error) {
	snap, err := t.files.store.Load(context.Background(), t.recordPath(id), maxRecord)
	if size := (*atomicfile.SizeError)(nil); errors.As(err, &size) || errors.Is(err, realpath.ErrNotRegular) || errors.Is(err, realpath.ErrMoved) {
		return nil, recordContent{}, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if err != nil {
		return nil, recordContent{}, err
	}
	var r recordContent
	if err := json.Unmarshal(snap.Data, &r); err != nil {
		return nil, recordContent{}, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if r.Version != recordVersion || r.Task.ID != id || r.Task.State == "" {
		return nil, recordContent{}, ErrCorrupt
	}
	return snap, r, nil
}

// setAside renames a record that cannot be read to an unused name.
func setAside(path string) (moved string, err error) {
	moved = path + "." + strings.ToLower(rand.Text()[:8]) + ".corrupt"
	if err := os.Rename(path, moved); err != nil {
		return path, fmt.Errorf("set it aside: %w", err)
	}
	return moved, nil
}
