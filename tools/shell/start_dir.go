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
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// A startDir is where the next command of a session starts. Its zero value is the
// session's own directory. Only a main session's is ever anything else.
//
// A call runs where it was decided to run. It carries the directory that it was
// inspected for among its targets, so that nothing which happens meanwhile counts:
// not another batch that changes the place while a person is asked. If the place
// changed before the call was decided, as by a cd in the same message, the call is
// inspected anew, so that it runs where it would have had it come alone; hooks see it
// twice then, the second time with a blank more or less behind its input.
type startDir struct {
	mu    sync.Mutex
	dir   string // absolute, or empty for the session's own
	lost  string // a directory that is no more, until somebody was told
	moved bool   // it was another one at some time
}

// startDirs holds the place of each session. A fork begins in its own directory.
var startDirs = pegboard.NewClonedKey("directory of the shell", func(*startDir) *startDir { return &startDir{} })

func startDirOf(s *pegboard.Session) *startDir {
	return startDirs.GetOrInit(s, func() *startDir { return &startDir{} })
}

// current returns the directory that the next command of s starts in.
func (p *startDir) current(s *pegboard.Session) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dir == "" {
		return s.Dir()
	}
	return p.dir
}

// set changes the place of s, unless another call has changed it from was meanwhile.
func (p *startDir) set(s *pegboard.Session, was, dir string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if old := p.dir; old != was && (old != "" || was != s.Dir()) {
		return
	}
	p.moved = true
	if p.dir = dir; dir == s.Dir() {
		p.dir = ""
	}
}

// hasMoved reports whether any call can have been inspected for another directory
// than the session's.
func (p *startDir) hasMoved() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.moved
}

// verify is now, but goes back to the session's directory if the place is no more,
// or no longer inside the working directories: a link may stand there by now.
func (p *startDir) verify(s *pegboard.Session) string {
	dir := p.current(s)
	if dir == s.Dir() {
		return dir
	}
	if real := realpath.Resolve(dir); isDir(real) {
		if _, ok := nameInWorkDirs(s, real); ok {
			return dir
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dir == dir {
		p.dir, p.lost = "", dir
	}
	return s.Dir()
}

// takeLostNote says, once, that the place went back because it is no more.
func (p *startDir) takeLostNote() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lost == "" {
		return ""
	}
	note := fmt.Sprintf("The directory %s of the last command is gone or outside the working directories by now; this one ran in the session's directory.", p.lost)
	p.lost = ""
	return note
}

// startDirTarget is the target that names where a call starts, if that is not the
// session's directory. It is a guess to all rules but those that refuse; no line has
// a target of its kind.
func startDirTarget(dir string) pegboard.Target {
	return pegboard.Target{Kind: pegboard.TargetResource, Access: pegboard.AccessRead, Value: dir, Shell: pegboard.ShellFacts{Guess: true}}
}

// inspectedDir returns the directory that c was inspected for.
func inspectedDir(c *pegboard.Call) string {
	if !startDirOf(c.Session()).hasMoved() {
		return c.Session().Dir()
	}
	for _, t := range c.Targets() {
		if t.Kind == pegboard.TargetResource {
			return t.Value
		}
	}
	return c.Session().Dir()
}

// respelled returns the same JSON in other bytes, which has a call inspected anew.
func respelled(input json.RawMessage) json.RawMessage {
	if short, ok := bytes.CutSuffix(input, []byte{' '}); ok {
		return short
	}
	return append(bytes.Clone(input), ' ')
}

// mayChangeDir reports whether a line may end in another directory than it began in.
func mayChangeDir(command string, line *shellparse.Line) bool {
	return line.Unknown != "" || strings.Contains(command, "cd") || strings.Contains(command, "pushd") || strings.Contains(command, "popd")
}

func isDir(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// nameInWorkDirs returns a real directory by the name that the session has for it, if it is
// inside the working directories.
func nameInWorkDirs(s *pegboard.Session, real string) (string, bool) {
	for _, root := range s.Dirs() {
		if rel, err := filepath.Rel(realpath.Resolve(root), real); err == nil && filepath.IsLocal(rel) {
			return filepath.Join(root, rel), true
		}
	}
	return "", false
}
