package shell

import (
	"os"
	"sync"

	"github.com/seed49eaa51d/pegboard/tools/background"
)

// A monitorLog is the output file of a monitor, with stdout and stderr.
type monitorLog struct {
	path string
	full chan struct{} // closed when more was to be written than there is room for

	mu   sync.Mutex
	file *os.File
	room int64 // bytes
	err  error // the first error of a write
}

// newMonitorLog returns a log that keeps so many bytes from the beginning.
func newMonitorLog(tasks *background.Tasks, limit int64) (*monitorLog, error) {
	path, err := tasks.NewFile("monitor")
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &monitorLog{path: path, file: f, full: make(chan struct{}), room: limit}, nil
}

// write appends p, as far as there is room. After the first error it does nothing.
func (l *monitorLog) write(p []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil || l.room < 0 {
		return
	}
	fits := min(int64(len(p)), l.room)
	_, l.err = l.file.Write(p[:fits])
	if l.room -= int64(len(p)); l.room < 0 {
		close(l.full)
	}
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
