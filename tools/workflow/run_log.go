package workflow

import (
	"fmt"
	"os"
	"sync"
)

const (
	// maxLog is the number of bytes that the output file may have, but for the result.
	maxLog = 8 << 20
	// maxLogText is the number of characters of one line of a script.
	maxLogText = 2_000
)

// A runLog is the output file of a run: its phases, agents and log lines. The zero value
// writes nothing. Its methods may be called concurrently.
type runLog struct {
	mu      sync.Mutex
	file    *os.File
	size    int
	omitted int
	err     error // the first error of a write
}

func newRunLog(path string) (*runLog, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &runLog{file: f}, nil
}

// printf writes a line.
func (l *runLog) printf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := fmt.Sprintf(format, args...) + "\n"
	if l.size+len(line) > maxLog {
		l.omitted++
		return
	}
	l.write(line)
}

// agent writes an event of an agent.
func (l *runLog) agent(a *agentCall, event string) {
	phase := ""
	if a.phase != "" {
		phase = "[" + oneLine(a.phase, maxTitle) + "] "
	}
	l.printf("%s%s %s", phase, a.name(), event)
}

func (l *runLog) write(text string) {
	if l.file == nil || l.err != nil {
		return
	}
	n, err := l.file.WriteString(text)
	l.size += n
	l.err = err
}

// close writes the result, also if the file is full, and closes the file. It returns the
// first error if the file is incomplete.
func (l *runLog) close(result string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	if l.omitted > 0 {
		l.write(fmt.Sprintf("%d more lines were left out\n", l.omitted))
	}
	l.write(result + "\n")
	if err := l.file.Close(); l.err == nil {
		l.err = err
	}
	l.file = nil
	return l.err
}
