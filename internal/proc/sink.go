package proc

import (
	"os"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/excerpt"
)

const (
	readSize  = 64 << 10 // larger pieces take the system longer to write to a file
	grownPipe = 1 << 20  // the limit of Linux for unprivileged users
)

// A sink receives the output of one command. One goroutine calls copy, and one
// copyErrors; the other methods
// may be called from any goroutine.
type sink struct {
	command Command
	file    *os.File // nil if there is no file, or after an error

	mu       sync.Mutex
	captured excerpt.Capture
	errors   int64 // bytes of stderr, if it is apart
	last     time.Time
	stored   int64
	fileErr  error
}

func newSink(c Command) *sink {
	return &sink{command: c, captured: excerpt.Capture{Keep: c.Keep}}
}

// open creates the file and sets the time of the last output.
func (s *sink) open() {
	s.last = time.Now()
	if s.command.File == "" {
		return
	}
	s.file, s.fileErr = os.OpenFile(s.command.File, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
}

// copy reads the output to its end, so that the child never waits for a reader. It
// returns ErrOutputLimit if there is too much, and otherwise the error that ended the
// output, usually io.EOF.
func (s *sink) copy(pipe *os.File) error {
	defer s.closeFile()
	return s.read(pipe, s.add)
}

// copyErrors is copy for stderr, if it is apart.
func (s *sink) copyErrors(pipe *os.File) error { return s.read(pipe, s.addError) }

// read reads a pipe to its end. add returns the number of bytes of output so far.
func (s *sink) read(pipe *os.File, add func(piece []byte) int64) error {
	buf := make([]byte, readSize)
	grown := false
	for {
		n, err := pipe.Read(buf)
		if n > 0 && add(buf[:n]) > s.command.MaxOutput {
			return ErrOutputLimit
		}
		if err != nil {
			return err
		}
		if n == len(buf) && !grown { // it prints faster than this reads
			grown = true
			growPipe(pipe, grownPipe)
		}
	}
}

// add stores a piece and returns the number of bytes so far.
func (s *sink) add(piece []byte) (total int64) {
	n, err := s.write(piece)
	s.mu.Lock()
	_, _ = s.captured.Write(piece)
	s.last = time.Now()
	s.stored += int64(n)
	if s.fileErr == nil {
		s.fileErr = err
	}
	total = s.captured.Total() + s.errors
	s.mu.Unlock()
	if s.command.Output != nil {
		s.command.Output(piece)
	}
	return total
}

// addError hands on a piece of stderr and returns the number of bytes so far.
func (s *sink) addError(piece []byte) (total int64) {
	s.mu.Lock()
	s.last = time.Now()
	s.errors += int64(len(piece))
	total = s.captured.Total() + s.errors
	s.mu.Unlock()
	s.command.Errors(piece)
	return total
}

// write appends to the file the part of piece that fits. After an error there is no file
// any more.
func (s *sink) write(piece []byte) (int, error) {
	if s.file == nil {
		return 0, nil
	}
	if limit := s.command.MaxFile; limit > 0 {
		piece = piece[:min(int64(len(piece)), limit-s.stored)]
	}
	if len(piece) == 0 {
		return 0, nil
	}
	n, err := s.file.Write(piece)
	if err != nil {
		_ = s.file.Close()
		s.file = nil
	}
	return n, err
}

// closeFile closes the file. A network file system may report only then that it is full.
func (s *sink) closeFile() {
	if s.file == nil {
		return
	}
	err := s.file.Close()
	s.file = nil
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fileErr == nil {
		s.fileErr = err
	}
}

func (s *sink) output() excerpt.Output {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.captured.Output()
}

func (s *sink) lastOutput() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// total returns the number of bytes that were read.
func (s *sink) total() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.captured.Total() + s.errors
}

func (s *sink) storedBytes() (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stored, s.fileErr
}
