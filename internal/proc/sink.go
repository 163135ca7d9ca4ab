package proc

import (
	"os"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/excerpt"
)

const (
	readSize = 64 << 10 // larger pieces take the system longer to put into a file
	widePipe = 1 << 20  // what Linux gives every user
)

// A sink is where the output of one command goes. One goroutine copies to it;
// the other methods may be called at any time.
type sink struct {
	command Command
	file    *os.File // nil if there is none, or none any more

	mu      sync.Mutex
	kept    excerpt.Capture
	last    time.Time
	stored  int64
	fileErr error
}

func newSink(c Command) *sink {
	return &sink{command: c, kept: excerpt.Capture{Keep: c.Keep}}
}

// open makes the file. The time until the first output counts from now.
func (s *sink) open() {
	s.last = time.Now()
	if s.command.File == "" {
		return
	}
	s.file, s.fileErr = os.OpenFile(s.command.File, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
}

// copy reads the output to its end, whatever its size, so that the child never
// waits for a reader. It returns ErrOutputLimit when there is too much, and
// io.EOF or another error of the pipe when there is no more.
func (s *sink) copy(pipe *os.File) error {
	defer s.closeFile()
	buf := make([]byte, readSize)
	wide := false
	for {
		n, err := pipe.Read(buf)
		if n > 0 && s.take(buf[:n]) > s.command.MaxOutput {
			return ErrOutputLimit
		}
		if err != nil {
			return err
		}
		if n == len(buf) && !wide { // it prints faster than this reads
			wide = true
			widen(pipe, widePipe)
		}
	}
}

// take stores a piece and returns how many bytes there were so far.
func (s *sink) take(piece []byte) (total int64) {
	n, err := s.write(piece)
	s.mu.Lock()
	_, _ = s.kept.Write(piece)
	s.last = time.Now()
	s.stored += int64(n)
	if s.fileErr == nil {
		s.fileErr = err
	}
	total = s.kept.Total()
	s.mu.Unlock()
	if s.command.Output != nil {
		s.command.Output(piece)
	}
	return total
}

// write appends to the file what it may still hold. After an error there is no
// file any more.
func (s *sink) write(piece []byte) (int, error) {
	if s.file == nil {
		return 0, nil
	}
	if most := s.command.MaxFile; most > 0 {
		piece = piece[:min(int64(len(piece)), most-s.stored)]
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

// closeFile may be where a file system on another machine says that it is full.
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
	return s.kept.Output()
}

func (s *sink) lastOutput() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

func (s *sink) storedBytes() (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stored, s.fileErr
}
