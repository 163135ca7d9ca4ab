package shell

import (
	"os"
	"sync"

	"github.com/seed49eaa51d/pegboard/tools/background"
)

// A monitorLog is the output file of a monitor. This package writes stdout to it; the
// command writes stderr to it directly.
type monitorLog struct {
	path string

	mu   sync.Mutex
	file *os.File
	err  error // the first error of a write
}

func newMonitorLog(tasks *background.Tasks) (*monitorLog, error) {
	path, err := tasks.NewFile("monitor")
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &monitorLog{path: path, file: f}, nil
}

// write appends p. After the first error it does nothing.
func (l *monitorLog) write(p []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		_, l.err = l.file.Write(p)
	}
}

// size returns the present size of the file in bytes.
func (l *monitorLog) size() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	fi, err := l.file.Stat()
	if err != nil {
		return 0
	}
	return fi.Size()
}

// close closes the file. It returns the first error if the file is incomplete.
func (l *monitorLog) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = os.Remove(l.prelude()) // usually there is none
	if err := l.file.Close(); l.err == nil {
		l.err = err
	}
	return l.err
}

// prelude returns the name of a file that the shell may read before its line. It is removed
// when the log is closed.
func (l *monitorLog) prelude() string { return l.path + preludeSuffix }

// discard closes and removes the file.
func (l *monitorLog) discard() {
	_ = l.close()
	_ = os.Remove(l.path)
}
