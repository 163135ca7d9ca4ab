package background

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// files are the paths and the record store of a table.
type files struct {
	tempDir string // the temporary directory; empty until Dir makes it
	store   atomicfile.Store
	host    host // this process
}

// Dir returns the directory for the output files of this conversation. Every agent of
// the conversation may read it without being asked. If the host has chosen no
// directory, Dir makes a temporary one that only this user can read; it is removed
// when the main session is closed and all tasks have ended.
func (t *Tasks) Dir() (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.isOver():
		return "", fmt.Errorf("%w: nothing more can be started in the background", pegboard.ErrClosed)
	case t.opts.Dir != "":
		return t.opts.Dir, nil
	case t.files.tempDir == "":
		dir, err := os.MkdirTemp("", "pegboard-tasks-") // 0700
		if err != nil {
			return "", fmt.Errorf("a directory for background tasks: %w", err)
		}
		t.optionsFixed, t.files.tempDir = true, realpath.Resolve(dir)
		if t.allowReads != nil {
			t.allowReads(t.files.tempDir)
		}
	}
	return t.files.tempDir, nil
}

// NewFile returns the path of a file in Dir for the output of work of the given kind.
// The file does not exist, and NewFile does not create it.
func (t *Tasks) NewFile(kind string) (string, error) {
	dir, err := t.Dir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, slug(kind)+"-"+strings.ToLower(rand.Text()[:13])+".log"), nil
}

// removeTempDir removes the temporary directory if no session and no task can use it
// any more.
func (t *Tasks) removeTempDir() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.isOver() || t.running > 0 || t.files.tempDir == "" {
		return
	}
	dir := t.files.tempDir
	if closed := dir + "-closed"; os.Rename(dir, closed) == nil { // a call that is being stopped finds no place for a file any more
		dir = closed
	}
	err := os.RemoveAll(dir)
	for tries := 1; err != nil && tries < maxRemoveTries; tries++ { // where a folder with open files keeps its name
		err = os.RemoveAll(dir)
	}
	if err != nil {
		t.errs = append(t.errs, fmt.Errorf("remove the files of the background tasks: %w", err))
	}
	t.files.tempDir = ""
}

// Output returns the output of a task so far: the result of Work.Output, or the last
// MaxOutput bytes of the output file. It is valid UTF-8 and may be empty.
func (t *Tasks) Output(id string) (string, error) {
	e, err := t.lookup(id)
	if err != nil {
		return "", err
	}
	text, err := e.output()
	if err != nil {
		return "", fmt.Errorf("the output of task %s: %w", id, err)
	}
	return text, nil
}

// newID returns an id that no task of the conversation has or had, including tasks
// that other programs have recorded. The caller holds the lock.
func (t *Tasks) newID(kind string) string {
	for {
		id := slug(kind) + "_" + strings.ToLower(rand.Text()[:6])
		if _, taken := t.ids[id]; taken {
			continue
		}
		t.ids[id] = true
		return id
	}
}

// slug returns the first lower-case letters and digits of a kind, at most 12.
func slug(kind string) string {
	s := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(kind))
	if s == "" {
		return "task"
	}
	return s[:min(len(s), 12)]
}
