package proc

import (
	"errors"
	"fmt"
	"os"
	"sync"
)

// An input is the end of the child's standard input that is written, if it is a pipe. It
// is closed once the child has ended, so that no writer waits for it.
type input struct {
	pipe  *os.File // nil if the child reads the null device
	close func() error
}

func newInput(pipe *os.File) *input {
	return &input{pipe: pipe, close: sync.OnceValue(pipe.Close)}
}

func (i *input) Write(p []byte) (int, error) {
	if i.pipe == nil {
		return 0, errors.New("the command reads the null device")
	}
	n, err := i.pipe.Write(p)
	if err != nil {
		return n, fmt.Errorf("the command reads no more: %w", err)
	}
	return n, nil
}

func (i *input) Close() error {
	if i.pipe == nil {
		return nil
	}
	return i.close()
}
