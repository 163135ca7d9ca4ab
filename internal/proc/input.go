package proc

import (
	"errors"
	"fmt"
	"os"
	"sync"
)

// An Input is the end of the child's standard input that is written, if it is a pipe. It
// is closed once the child has ended, so that no writer waits for it. Its methods may be
// called concurrently.
type Input struct {
	pipe  *os.File // nil if the child reads the null device
	close func() error
}

func newInput(pipe *os.File) *Input {
	return &Input{pipe: pipe, close: sync.OnceValue(pipe.Close)}
}

// Write blocks while the child does not read. It returns an error when the child has ended
// or no process can read any more, even if it was blocked.
func (i *Input) Write(p []byte) (int, error) {
	if i.pipe == nil {
		return 0, errNoInput
	}
	n, err := i.pipe.Write(p)
	return n, inputError(err)
}

// WriteNow writes as much of p as the pipe has room for, and returns how much that was. It
// never blocks while the child does not read. On Windows it writes nothing.
func (i *Input) WriteNow(p []byte) (int, error) {
	if i.pipe == nil {
		return 0, errNoInput
	}
	n, err := writeNow(i.pipe, p)
	return n, inputError(err)
}

// Close ends the input. It may be called more than once.
func (i *Input) Close() error {
	if i.pipe == nil {
		return nil
	}
	return i.close()
}

var errNoInput = errors.New("the command reads the null device")

func inputError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the command reads no more: %w", err)
}
