package tasks

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// A List is a list of tasks. Make it with [Open].
type List struct {
	storage  storage
	hooks    Hooks
	creating chan struct{}             // full while a task is created, if there is a hook; so that the hook is told the id that the task gets
	problem  atomic.Pointer[FileError] // the last one
}

// Open returns the list in a file, which is made with its directory when the first task is. The
// path is absolute; any other is an error. An empty path keeps the list in memory. There is
// nothing to close.
//
// Several lists, in this process and in others, may have one file.
//
// If the file cannot be used, Open returns an empty list all the same, which [List.Problem]
// explains. A damaged file is set aside: it gets another name. A file that cannot be read, has
// more than [MaxBytes], is of a later version, is no regular file, or is a link that leads out of
// its directory, is left as it is, and the list is in memory.
func Open(path string, h Hooks) (*List, error) {
	l := &List{hooks: h, creating: make(chan struct{}, 1)}
	if path == "" {
		l.storage = &memory{graph: newGraph()}
		return l, nil
	}
	if !filepath.IsAbs(path) {
		return nil, fmt.Errorf("the path %q of the list of tasks is not absolute", path)
	}
	f, err := newFile(path, func(problem *FileError) { l.problem.Store(problem) })
	if err == nil {
		_, err = f.read(context.Background())
	}
	if err == nil {
		l.storage = f
		return l, nil
	}
	l.problem.Store(&FileError{Path: f.path, Err: err})
	l.storage = &memory{graph: newGraph()}
	return l, nil
}

// Problem returns the last problem with the file, a *[FileError], or nil. The tools tell it to
// the model.
func (l *List) Problem() error {
	p := l.problem.Load()
	if p == nil {
		return nil // and not a nil *FileError
	}
	return p
}

// All returns the tasks in the order in which they were created.
func (l *List) All(ctx context.Context) ([]Task, error) {
	g, err := l.storage.read(ctx)
	if err != nil {
		return nil, err
	}
	return g.views(), nil
}

// Get returns one task. The error wraps [ErrUnknownTask] if no task has the id.
func (l *List) Get(ctx context.Context, id string) (Task, error) {
	g, err := l.storage.read(ctx)
	if err != nil {
		return Task{}, err
	}
	e, err := g.lookup(readID(id))
	if err != nil {
		return Task{}, err
	}
	return g.view(e), nil
}

// Create adds a task and returns it with its id. The status may be empty for [Pending]; Blocks and
// BlockedBy may name tasks of the list.
func (l *List) Create(ctx context.Context, t Task) (made Task, err error) {
	if l.hooks.Created != nil {
		select {
		case l.creating <- struct{}{}:
			defer func() { <-l.creating }()
		case <-ctx.Done():
			return Task{}, context.Cause(ctx)
		}
	}
	t.Blocks, t.BlockedBy = readIDs(t.Blocks), readIDs(t.BlockedBy)
	err = l.change(ctx, func(g *graph) (keep bool, events []pendingEvent, err error) {
		if made, err = g.add(t.clone()); err != nil {
			return false, nil, err
		}
		events = []pendingEvent{{createdName, made}}
		if made.Status == Completed {
			events = append(events, pendingEvent{completedName, made})
		}
		return true, events, nil
	})
	if err != nil {
		return Task{}, err
	}
	return made, nil
}

// Update changes a task and returns it. Change gets a copy, which it may write to but for the ID:
// other tasks get the edges that Blocks and BlockedBy then ask for. [Deleted] as the status
// deletes the task. A change that breaks a rule of lists is an error, and then, or after an error
// or a panic of change, nothing is changed.
//
// Change may be called several times, each time with the task as it is then, and only the last
// counts. The file is locked meanwhile, so it should return at once, and cannot use the list.
func (l *List) Update(ctx context.Context, id string, change func(*Task) error) (Task, error) {
	if change == nil {
		return Task{}, errors.New("a task is updated by a func, which is nil")
	}
	_, after, err := l.update(ctx, id, change)
	return after, err
}

// update is Update, and returns the task as it was, too.
func (l *List) update(ctx context.Context, id string, change func(*Task) error) (before, after Task, err error) {
	id = readID(id)
	err = l.change(ctx, func(g *graph) (keep bool, events []pendingEvent, err error) {
		before, after, err = g.update(id, func(t *Task) error { return goroutine.Try(func() error { return change(t) }) })
		if err != nil || reflect.DeepEqual(before, after) && !g.rewired {
			return false, nil, err
		}
		if after.Status == Completed && before.Status != Completed {
			events = []pendingEvent{{completedName, after}}
		}
		return true, events, nil
	})
	if err != nil {
		return Task{}, Task{}, err
	}
	return before, after, nil
}

// change makes a change of the graph, after hooks were asked about its events. Do may be called
// several times, each time with another graph.
func (l *List) change(ctx context.Context, do func(g *graph) (keep bool, events []pendingEvent, err error)) error {
	var approved []pendingEvent
	for range maxAsked {
		var open []pendingEvent
		err := l.storage.change(ctx, func(g *graph) (keep bool, err error) {
			keep, events, err := do(g)
			if events = l.hooks.wanted(events); err == nil && keep && len(events) > 0 && !reflect.DeepEqual(events, approved) {
				open = events
				return false, nil
			}
			open = nil
			return keep, err
		})
		if err != nil || open == nil {
			return err
		}
		for _, e := range open {
			if err := l.hooks.ask(ctx, e); err != nil {
				return err
			}
		}
		approved = open
	}
	return fmt.Errorf("%w: the task changes again and again while a hook is asked about it; nothing was changed, try again later", ErrBusy)
}

// Tools returns the tools TaskCreate, TaskGet, TaskList and TaskUpdate, which work on the list.
func (l *List) Tools() []pegboard.Tool {
	return []pegboard.Tool{l.createTool(), l.getTool(), l.listTool(), l.updateTool()}
}
