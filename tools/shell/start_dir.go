package shell

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/policy"
	lines "github.com/seed49eaa51d/pegboard/policy/shell"
)

// A startDir is the directory in which the next command of a session starts. Its zero
// value is the session's directory. Only main sessions ever have another one.
//
// A call runs in the directory for which it was decided. It carries that directory
// among its targets, so that later changes do not affect it, such as a cd of another
// batch while the user is asked. If the directory has changed before the call is
// decided, for instance by a cd in the same message, the call is inspected again, so
// that it runs in the directory in which it would run if it came alone. Hooks then
// see the call twice, the second time with one space more or less at the end of its
// input.
//
// It belongs to one directory of the session: after [pegboard.Session.SetDir], commands start
// in the new one, whatever the last of them did before.
type startDir struct {
	mu    sync.Mutex
	of    string // the session's directory to which dir and last belong
	dir   string // absolute; empty means the session's directory
	last  string // the directory before it, to which cd - leads; may be empty
	lost  string // a directory that could not be used, until it was reported
	moved bool   // it was another directory than the session's at some time
}

// startDirs holds the startDir of each session. A fork starts in its own directory.
var startDirs = pegboard.NewClonedKey("directory of the shell", func(*startDir) *startDir { return &startDir{} })

func startDirOf(s *pegboard.Session) *startDir {
	return startDirs.GetOrInit(s, func() *startDir {
		d := &startDir{}
		s.OnSetDir("directory of the shell", func(string, string) { d.reset() })
		return d
	})
}

// reset forgets where commands have led.
func (d *startDir) reset() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.of, d.dir, d.last, d.lost = "", "", "", ""
}

// current returns the directory in which c starts if it is the next command.
func (d *startDir) current(c *pegboard.Call) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now(c)
}

// now is current. The caller holds mu.
func (d *startDir) now(c *pegboard.Call) string {
	if d.dir == "" || d.of != c.Dir() {
		return c.Dir()
	}
	return d.dir
}

// previous returns the directory that the shell was in before current, if it is still
// inside the working directories, and otherwise "".
func (d *startDir) previous(c *pegboard.Call) string {
	d.mu.Lock()
	last := d.last
	if d.of != c.Dir() {
		last = ""
	}
	d.mu.Unlock()
	if last == "" {
		return ""
	}
	if real := realpath.Resolve(last); isDir(real) {
		if _, ok := nameInWorkDirs(c, real); ok {
			return last
		}
	}
	return ""
}

// set changes the directory from old to dir, in which the shell came from last. It does
// nothing if another call has changed it meanwhile.
func (d *startDir) set(c *pegboard.Call, old, dir, last string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.now(c) != old || c.Session().Dir() != c.Dir() {
		return
	}
	d.of, d.moved, d.last = c.Dir(), true, last
	if d.dir = dir; dir == c.Dir() {
		d.dir = ""
	}
}

// hasMoved reports whether a call may have been inspected for another directory than
// the session's.
func (d *startDir) hasMoved() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.moved
}

// verify is like current, but resets the directory to the session's if it does not
// exist any more or is no longer inside the working directories, for instance because
// a link has replaced it.
func (d *startDir) verify(c *pegboard.Call) string {
	dir := d.current(c)
	if dir == c.Dir() {
		return dir
	}
	if real := realpath.Resolve(dir); isDir(real) {
		if _, ok := nameInWorkDirs(c, real); ok {
			return dir
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dir == dir {
		d.dir, d.lost = "", dir
	}
	return c.Dir()
}

// takeLostNote returns a note if verify has reset the directory since the last call.
func (d *startDir) takeLostNote() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lost == "" {
		return ""
	}
	note := fmt.Sprintf("The directory %s of the last command is gone or outside the working directories by now; this one ran in the session's directory.", d.lost)
	d.lost = ""
	return note
}

// startDirTarget returns the target that carries the directory in which a call
// starts, if that is not the session's. It is marked as a guess, so that only deny
// and ask rules consider it. A command line has no other target of this kind.
func startDirTarget(dir string) policy.Target {
	return policy.Target{Kind: policy.Resource, Access: policy.Read, Value: dir, Shell: policy.ShellFacts{Guess: true}}
}

// inspectedDir returns the directory for which c was inspected.
func inspectedDir(c *pegboard.Call) string {
	if !startDirOf(c.Session()).hasMoved() {
		return c.Dir()
	}
	for _, t := range c.Targets() {
		if t.Kind == policy.Resource {
			return t.Value
		}
	}
	return c.Dir()
}

// respelled returns the same JSON in other bytes, which makes the executor inspect
// the call again.
func respelled(input json.RawMessage) json.RawMessage {
	if short, ok := bytes.CutSuffix(input, []byte{' '}); ok {
		return short
	}
	return append(bytes.Clone(input), ' ')
}

// mayChangeDir reports whether a line may end in another directory than it starts in.
func mayChangeDir(command string, line *lines.Line) bool {
	return line.Unknown != "" || strings.Contains(command, "cd") || strings.Contains(command, "pushd") || strings.Contains(command, "popd")
}

func isDir(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// nameInWorkDirs returns the name under which the session of a call knows a real directory, if
// the directory is inside the working directories.
func nameInWorkDirs(c *pegboard.Call, real string) (string, bool) {
	for _, root := range c.Dirs() {
		if rel, err := filepath.Rel(realpath.Resolve(root), real); err == nil && filepath.IsLocal(rel) {
			return filepath.Join(root, rel), true
		}
	}
	return "", false
}
