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

// Tasks is the task table of one conversation: the main session and all its forks.
// Its methods may be called concurrently.
type Tasks struct {
	watchers watchers

	mu           sync.Mutex // guards the fields below and the fields of entries that say so
	opts         Options
	optionsFixed bool     // Configure can no longer change opts
	entries      []*entry // oldest first
	running      int
	ids          map[string]bool // every id that was given out or is on file; false if the table never had the task
	pending      []notice        // notices that no session has fetched, oldest first
	files        files
	allowReads   func(dir string)  // adds a directory that the conversation may read; nil before a session has joined
	session      *pegboard.Session // the main session, or the first that has joined; nil before
	errs         []error           // of writing records and removing files, for close
	mainJoined   bool
	main         *member // of the main session; nil before it has joined
	liveForks    int     // forks that have joined and were not closed
	closed       bool    // the conversation has ended
}

func newTasks() *Tasks { return &Tasks{ids: map[string]bool{}} }

// tables holds the table of each conversation.
var tables = pegboard.NewKey[*Tasks]("background tasks")

func tableOf(s *pegboard.Session) *Tasks { return tables.GetOrInitRoot(s, newTasks) }

// Of returns the task table of the conversation of s. All sessions of a conversation
// get the same table.
func Of(s *pegboard.Session) *Tasks {
	t := tableOf(s)
	t.join(s)
	return t
}

// Add adds running work to the table on behalf of s. It fails with ErrTooMany, with
// pegboard.ErrClosed if s was closed, and if w has no Stop; the caller then still
// owns the work. Otherwise [Handle.Done] must be called when the work ends.
func (t *Tasks) Add(s *pegboard.Session, w Work) (*Handle, error) {
	if w.Stop == nil {
		return nil, errors.New("work without Stop cannot go on in the background")
	}
	if tableOf(s) != t {
		return nil, errors.New("the session belongs to another conversation than the tasks")
	}
	m := t.join(s)
	e := &entry{work: w, names: slices.Clone(w.Names), done: make(chan struct{}), task: Task{
		Kind: cmp.Or(w.Kind, "task"), State: Running, Description: w.Description, Command: w.Command, AgentID: m.agentID,
		AgentType: m.agentType, Started: w.Started, OutputFile: w.OutputFile,
	}}
	if e.task.Started.IsZero() {
		e.task.Started = time.Now()
	}
	if !m.isMain {
		e.owner = m
	}
	id, err := t.insert(e, m)
	if err != nil {
		return nil, err
	}
	t.saveRecord(e)
	t.watchers.deliver()
	return &Handle{id: id, tasks: t, entry: e}, nil
}

func (t *Tasks) insert(e *entry, m *member) (id string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.isOver() || m.ended {
		return "", fmt.Errorf("%w: nothing more can be started in the background", pegboard.ErrClosed)
	}
	if limit := t.opts.maxTasks(); t.running >= limit {
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

// prune removes the tasks that ended first from the table, to bound its size. The
// caller holds the lock.
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

// finish implements Handle.Done.
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
		t.announce(t.readerOf(e))
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
	if !silent {
		t.notifyPerson(t.snapshot(e))
	}
}

// List returns the running tasks and the latest ones that ended, in the order in
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

// find returns the task with the id, or the newest with the name. The caller holds the
// lock.
func (t *Tasks) find(id string) (newest *entry) {
	for _, e := range t.entries {
		if e.task.ID == id {
			return e
		}
		if slices.Contains(e.names, id) {
			newest = e
		}
	}
	return newest
}

// lookup is like find, with an error for the model.
func (t *Tasks) lookup(id string) (*entry, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.find(id); e != nil {
		return e, nil
	}
	var ids, names []string
	for _, e := range t.entries {
		ids, names = append(ids, e.task.ID), append(names, e.names...)
	}
	switch near := nearest.Names(id, slices.Concat(ids, names), maxNearNames); {
	case t.ids[id]:
		return nil, fmt.Errorf("%w %q any more: it ended long ago and was forgotten; if it had an output file, Read that", ErrUnknownTask, id)
	case len(near) > 0:
		return nil, fmt.Errorf("%w %q; did you mean %s?", ErrUnknownTask, id, strings.Join(near, " or "))
	case len(ids) > 0:
		return nil, fmt.Errorf("%w %q; the latest ids are %s", ErrUnknownTask, id, strings.Join(ids[max(0, len(ids)-keptEnded):], ", "))
	}
	return nil, fmt.Errorf("%w %q; nothing was started in the background", ErrUnknownTask, id)
}

// Wait waits until a task has ended and returns it. If ctx ends first, Wait returns
// the task as it is at that time and the cause of ctx.
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
