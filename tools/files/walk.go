package files

import (
	"context"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// A walk finds the files below a directory whose paths match a pattern. It
// cannot leave the directory, whatever happens to it meanwhile.
type walk struct {
	root    *os.Root
	pattern string
	depth   int  // how many names a match has at most; -1: any number
	git     bool // the pattern speaks of .git

	found      []match
	unreadable int // directories
}

// A match is a file that was found.
type match struct {
	name    string // from the root, with slashes
	changed time.Time
}

func newWalk(root *os.Root, pattern string) *walk {
	w := &walk{root: root, pattern: pattern, depth: -1, git: slices.Contains(names(pattern), ".git")}
	if !strings.Contains(pattern, "**") {
		w.depth = strings.Count(pattern, "/") + 1 // braces can only make it less
	}
	return w
}

// run walks until all is seen or ctx ends. What was found by then stays.
func (w *walk) run(ctx context.Context) error {
	todo := []string{"."}
	for len(todo) > 0 {
		dir := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		entries, err := w.list(dir)
		if err != nil && dir == "." {
			return err
		}
		if err != nil {
			w.unreadable++ // what was read of it counts
		}
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			switch {
			case e.IsDir() && w.enters(e.Name(), name):
				todo = append(todo, name)
			case e.Type().IsRegular() && doublestar.MatchUnvalidated(w.pattern, name):
				w.add(name, e)
			}
		}
	}
	return nil
}

func (w *walk) list(dir string) ([]fs.DirEntry, error) {
	f, err := w.root.OpenFile(dir, os.O_RDONLY|realpath.Nonblock, 0) // it may have become a pipe
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return f.ReadDir(-1)
}

// enters reports whether there can be matches below the directory at name.
func (w *walk) enters(last, name string) bool {
	if last == ".git" && !w.git {
		return false
	}
	return w.depth < 0 || strings.Count(name, "/")+1 < w.depth
}

func (w *walk) add(name string, e fs.DirEntry) {
	fi, err := e.Info()
	if err != nil {
		return // it is gone already
	}
	w.found = append(w.found, match{name: name, changed: fi.ModTime()})
}
