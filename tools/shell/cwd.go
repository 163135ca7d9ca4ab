package shell

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	lines "github.com/seed49eaa51d/pegboard/policy/shell"
)

// A formerDir is the directory from which a command has gone to another one. The zero value knows
// of none.
type formerDir struct{ from, to string }

// formerDirs holds the last formerDir of each session.
var formerDirs = pegboard.NewClonedKey("former directory of the shell", func(*formerDir) *formerDir { return &formerDir{} })

// oldPwd returns the directory to which cd - leads, if it is still inside the working directories,
// and otherwise "".
func oldPwd(c *pegboard.Call) string {
	last, ok := formerDirs.Get(c.Session())
	if !ok || last.to != c.Cwd() {
		return ""
	}
	if real := realpath.Resolve(last.from); isDir(real) {
		if _, ok := nameInWorkDirs(c, real); ok {
			return last.from
		}
	}
	return ""
}

// checkCwd returns an error if the working directory does not exist any more or is no longer inside
// the working directories, for instance because a link has replaced it. The session is then back
// in its own directory, and the model decides whether the command is right there.
func checkCwd(c *pegboard.Call) error {
	s := c.Session()
	if s == nil || c.Cwd() == c.Dir() {
		return nil
	}
	if real := realpath.Resolve(c.Cwd()); isDir(real) {
		if _, ok := nameInWorkDirs(c, real); ok {
			return nil
		}
	}
	if err := s.Chdir(s.Dir()); err != nil {
		return fmt.Errorf("the working directory %s is gone, and so is that of the session: %w. Tell the user", c.Cwd(), err)
	}
	return fmt.Errorf("the working directory %s is gone or leads outside by now. The working directory is %s again; repeat the command if it is right there", c.Cwd(), s.Cwd())
}

// changeDir makes dir, in which a command of c has ended, the working directory if it is inside
// the working directories. It returns a note for the model. The command came to dir from last.
func changeDir(c *pegboard.Call, dir, last string) (note string) {
	s := c.Session()
	if s.Cwd() != c.Cwd() {
		return "" // somebody else has moved it meanwhile
	}
	at, inside := nameInWorkDirs(c, dir)
	if inside && at == c.Cwd() {
		return ""
	}
	if !inside || s.Chdir(at) != nil {
		note = fmt.Sprintf("The command ended in %s, which is outside the working directories. ", dir)
		at, last = s.Dir(), ""
		if err := s.Chdir(at); err != nil {
			return note + fmt.Sprintf("The working directory stays %s.", s.Cwd())
		}
	}
	if last, inside = nameInWorkDirs(c, realpath.Resolve(last)); inside {
		formerDirs.Set(s, &formerDir{from: last, to: at})
	}
	return note + fmt.Sprintf("The working directory is %s now.", at)
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
