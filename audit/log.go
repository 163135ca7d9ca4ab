package audit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/seed49eaa51d/pegboard"
)

// What Options mean by 0. A line has about 300 bytes, so that a file holds some
// 35,000 decisions and all of them together some 200,000: months of a person's
// work, in 60 MiB at the most.
const (
	DefaultMaxBytes = 10 << 20
	DefaultKeep     = 5
)

// Options say how a log is kept. The zero value keeps 60 MiB and no input.
type Options struct {
	// MaxBytes is how large a file may become. 0 means [DefaultMaxBytes]; a
	// negative number means that another program rotates.
	MaxBytes int64
	// Keep is how many files there may be besides the current one. 0 means
	// [DefaultKeep].
	Keep int
	// Inputs adds to each line what the call wanted: its input, its targets and
	// the reason of the decision. The log may then hold whatever the model read
	// or was told, secrets included.
	Inputs bool
	// OnError is told what went wrong, by Record: a decision that has no line, or
	// a rotation that failed while the line was written. It must not block for
	// long. Nil ignores; Close reports in any case.
	OnError func(error)
}

// A Log writes decisions to a file. [Open] makes one. All methods may be called
// concurrently, and Record by several executors.
type Log struct {
	inputs  bool
	onError func(error)

	mu    sync.Mutex
	file  rotated
	lost  int
	first error // that went wrong
	done  bool
}

// Open opens the log at path, which is a regular file and is created, with mode
// 0600, if there is none. Its directory must exist. Lines are added to those that
// are there already.
func Open(path string, o Options) (*Log, error) {
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.Keep == 0 {
		o.Keep = DefaultKeep
	}
	if o.Keep < 0 {
		return nil, fmt.Errorf("audit log %s: Keep is %d; use 1 or more", path, o.Keep)
	}
	abs, err := filepath.Abs(path) // the program may change its directory
	if err != nil {
		return nil, fmt.Errorf("audit log %s: %w", path, err)
	}
	l := &Log{inputs: o.Inputs, onError: o.OnError, file: rotated{path: abs, max: o.MaxBytes, keep: o.Keep}}
	if err := l.file.open(); err != nil {
		return nil, fmt.Errorf("audit log: %w", err)
	}
	return l, nil
}

// Record writes a line if e is a decision, and ignores every other event. It is
// made for [pegboard.Executor].OnEvent. When it returns the line was handed to the
// system, or OnError was told.
func (l *Log) Record(e pegboard.Event) {
	if e.Kind != pegboard.EventDecided || e.Decision == nil || e.Call == nil {
		return
	}
	line, err := encode(lineOf(e, l.inputs))
	if err = l.note(line, err); err != nil && l.onError != nil {
		l.onError(err) // without the lock: it may ask what was lost
	}
}

// note writes a line and counts what goes wrong.
func (l *Log) note(line []byte, err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	written := false
	switch {
	case err != nil:
	case l.done:
		err = os.ErrClosed
	default:
		written, err = l.file.write(line)
	}
	if !written {
		l.lost++
	}
	if err == nil {
		return nil
	}
	err = fmt.Errorf("audit log: %w", err)
	if l.first == nil {
		l.first = err
	}
	return err
}

// Lost returns how many decisions have no line, or not a whole one.
func (l *Log) Lost() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}

// Close syncs and closes the file. It returns what goes wrong with that and the
// first thing that went wrong before, with how many decisions were lost in all.
// Decisions that come later are lost. Close may be called more than once, and does
// nothing but report the second time.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.done {
		l.done = true
		if err := l.file.close(); err != nil {
			l.first = errors.Join(l.first, fmt.Errorf("audit log: %w", err))
		}
	}
	if l.lost > 0 {
		return fmt.Errorf("%d decisions have no line: %w", l.lost, l.first)
	}
	return l.first
}
