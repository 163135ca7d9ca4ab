package audit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/seed49eaa51d/pegboard"
)

// The defaults of Options. A line has about 300 bytes, so a file holds some 35,000
// decisions, and all files together some 200,000 in at most 60 MiB: months of one user's
// work.
const (
	DefaultMaxBytes = 10 << 20
	DefaultKeep     = 5
)

// Options configure a log. The zero value keeps at most 60 MiB and writes no inputs.
type Options struct {
	// MaxBytes is the maximum size of a file. 0 means [DefaultMaxBytes]; a negative number
	// means that another program rotates it.
	MaxBytes int64
	// Keep is the maximum number of old files. 0 means [DefaultKeep].
	Keep int
	// Inputs adds to each line the input of the call, its targets and the reason of the
	// decision. The log may then contain anything that the model has seen, including
	// secrets.
	Inputs bool
	// OnError is called by Record if a decision was not written, or if a rotation failed
	// although the line was written. It must not block for long. It may be nil; Close
	// returns the first error in any case.
	OnError func(error)
}

// A Log writes decisions to a file. [Open] makes one. All methods may be called
// concurrently; several executors may use the same Log.
type Log struct {
	inputs  bool
	onError func(error)

	mu       sync.Mutex
	file     rotatingFile
	lost     int
	firstErr error // first error of any write
	closed   bool
}

// Open opens the log at path, and creates it with mode 0600 if it does not exist. path must
// be a regular file in an existing directory. New lines are appended to the existing ones.
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
	abs, err := filepath.Abs(path) // the process may change its working directory later
	if err != nil {
		return nil, fmt.Errorf("audit log %s: %w", path, err)
	}
	l := &Log{inputs: o.Inputs, onError: o.OnError, file: rotatingFile{path: abs, max: o.MaxBytes, keepOld: o.Keep}}
	if err := l.file.open(); err != nil {
		return nil, fmt.Errorf("audit log: %w", err)
	}
	return l, nil
}

// Record writes a line if e is a decision, or the end of a call that was neither denied nor
// run, and ignores every other event. It is made for [pegboard.Executor].OnEvent. When it
// returns, the line was written to the file, or OnError was called.
func (l *Log) Record(e pegboard.Event) {
	entry, ok := newLine(e, l.inputs)
	if !ok {
		return
	}
	line, err := encode(entry)
	if err = l.write(line, err); err != nil && l.onError != nil {
		l.onError(err) // without the lock, since it may call Lost
	}
}

// write writes a line and counts lost ones.
func (l *Log) write(line []byte, err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	written := false
	switch {
	case err != nil:
	case l.closed:
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
	if l.firstErr == nil {
		l.firstErr = err
	}
	return err
}

// Lost returns the number of decisions that have no line, or only a part of one.
func (l *Log) Lost() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}

// Close syncs and closes the file. It returns the errors of that and the first earlier
// error, with the number of lost decisions. Later decisions are lost. Close may be called
// more than once; later calls only return the error again.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.closed = true
		if err := l.file.close(); err != nil {
			l.firstErr = errors.Join(l.firstErr, fmt.Errorf("audit log: %w", err))
		}
	}
	if l.lost > 0 {
		return fmt.Errorf("%d decisions have no line: %w", l.lost, l.firstErr)
	}
	return l.firstErr
}
