package background

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
)

// Tasks is the table of one conversation: the main session and all its forks.
// Its methods may be called concurrently.
type Tasks struct {
	watchers watchers

	mu           sync.Mutex // guards all below, and what entries say of it
	opts         Options
	optionsFixed bool     // the options are settled
	entries      []*entry // the oldest first
	running      int
	ids          map[string]bool // all that were ever given out; false for those of another program that runs
	pending      []notice        // the oldest first
	files        files
	allowReads   func(dir string) // lets the conversation read there; nil before a session was met
	errs         []error          // of writing records, for close
	mainJoined   bool
	liveForks    int  // that have met the table and have not ended
	closed       bool // the conversation has ended
}

func newTasks() *Tasks { return &Tasks{ids: map[string]bool{}} }

// tables holds the table of each conversation.
var tables = pegboard.NewKey[*Tasks]("background tasks")

func tableOf(s *pegboard.Session) *Tasks { return tables.GetOrInitRoot(s, newTasks) }

// Of returns the table of the conversation that s is part of. It is the same one
// for all its sessions, whoever asks first.
func Of(s *pegboard.Session) *Tasks {
	t := tableOf(s)
	t.join(s)
	return t
}

// Add puts work that runs already into the table, on behalf of s. It fails with
// ErrTooMany, with pegboard.ErrClosed if s has ended, and if the work cannot be
// stopped; the work then belongs to the caller alone. Otherwise it must end in
// [Handle.Done].
func (t *Tasks) Add(s *pegboard.Session, w Work) (*Handle, error) {
	if w.Stop == nil {
		return nil, errors.New("work without Stop cannot go on in the background")
	}
	if tableOf(s) != t {
		return nil, errors.New("the session belongs to another conversation than the tasks")
	}
	st := t.join(s)
	e := &entry{work: w, done: make(chan struct{}), task: Task{
		Kind: cmp.Or(w.Kind, "task"), State: Running, Description: w.Description, Command: w.Command, AgentID: st.agentID,
		AgentType: st.agentType, Started: w.Started, OutputFile: w.OutputFile,
	}}
	if e.task.Started.IsZero() {
		e.task.Started = time.Now()
	}
	if !st.isMain {
		e.owner = st
	}
	id, err := t.insert(e, st)
	if err != nil {
		return nil, err
	}
	t.saveRecord(e)
	t.watchers.deliver()
	return &Handle{id: id, tasks: t, entry: e}, nil
}

func (t *Tasks) insert(e *entry, st *member) (id string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.isOver() || st.ended {
		return "", fmt.Errorf("%w: nothing more can be started in the background", pegboard.ErrClosed)
	}
	if most := t.opts.maxTasks(); t.running >= most {
		return "", fmt.Errorf("%w: %d, which is the most; stop one with TaskStop, or wait until one has ended. Running: %s",
			ErrTooMany, t.running, strings.Join(t.runningIDs(), ", "))
	}
	t.optionsFixed = true
	id = t.newID(e.task.Kind)
	e.task.ID = id
	if t.opts.Dir != "" {
		e.record = &record{path: t.recordPath(id)}
	}
	t.entries = append(t.entries, e)
	t.running++
	t.prune()
	t.queueUpdate()
	return id, nil
}

// prune forgets the tasks that ended first, to make room for those that run.
func (t *Tasks) prune() {
	over := len(t.entries) - t.running - max(keptEnded, t.opts.maxTasks()-t.running)
	if over <= 0 {
		return
	}
	var ended []*entry
	for _, e := range t.entries {
		if e.task.State != Running {
			ended = append(ended, e)
		}
	}
	slices.SortStableFunc(ended, func(a, b *entry) int { return a.task.Ended.Compare(b.task.Ended) })
	for _, e := range ended[:over] {
		e.pruned = true
	}
	t.entries = slices.DeleteFunc(t.entries, func(e *entry) bool { return e.pruned })
}

// finish is Handle.Done.
func (t *Tasks) finish(e *entry, state State, exit *int, err error) {
	t.mu.Lock()
	if e.task.State != Running {
		t.mu.Unlock()
		return
	}
	e.setEnd(state, exit, err)
	t.running--
	if !e.silent {
		t.pending = append(t.pending, notice{entry: e, end: true})
	}
	close(e.done)
	t.prune()
	t.queueUpdate()
	silent := e.silent
	t.mu.Unlock()
	if silent {
		t.removeRecord(e)
	} else {
		t.saveRecord(e)
	}
	t.watchers.deliver()
	t.removeTempDir()
}

// List returns the tasks that run and the latest that ended, in the order in
// which they were added.
func (t *Tasks) List() []Task {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.list()
}

func (t *Tasks) list() []Task {
	all := make([]Task, len(t.entries))
	for i, e := range t.entries {
		all[i] = e.task.copied()
	}
	return all
}

// Get returns one task.
func (t *Tasks) Get(id string) (Task, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.find(id); e != nil {
		return e.task.copied(), true
	}
	return Task{}, false
}

func (t *Tasks) find(id string) *entry {
	for _, e := range t.entries {
		if e.task.ID == id {
			return e
		}
	}
	return nil
}

// lookup is find with an error for the model.
func (t *Tasks) lookup(id string) (*entry, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.find(id); e != nil {
		return e, nil
	}
	var ids []string
	for _, e := range t.entries {
		ids = append(ids, e.task.ID)
	}
	switch near := nearest.Names(id, ids, maxNearNames); {
	case t.ids[id]:
		return nil, fmt.Errorf("%w %q any more: it ended long ago and was forgotten; if it had an output file, Read that", ErrUnknownTask, id)
	case len(near) > 0:
		return nil, fmt.Errorf("%w %q; did you mean %s?", ErrUnknownTask, id, strings.Join(near, " or "))
	case len(ids) > 0:
		return nil, fmt.Errorf("%w %q; the latest ids are %s", ErrUnknownTask, id, strings.Join(ids[max(0, len(ids)-keptEnded):], ", "))
	}
	return nil, fmt.Errorf("%w %q; nothing was started in the background", ErrUnknownTask, id)
}

// Wait waits until a task has ended and returns it. When ctx ends first, it
// returns the task as it is by then, with the cause of ctx.
func (t *Tasks) Wait(ctx context.Context, id string) (Task, error) {
	e, err := t.lookup(id)
	if err != nil {
		return Task{}, err
	}
	select {
	case <-e.done:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	return t.snapshot(e), err
}

func (t *Tasks) snapshot(e *entry) Task {
	t.mu.Lock()
	defer t.mu.Unlock()
	return e.task.copied()
}

func (t *Tasks) runningIDs() (ids []string) {
	for _, e := range t.entries {
		if e.task.State == Running {
			ids = append(ids, e.task.ID)
		}
	}
	return ids
}
