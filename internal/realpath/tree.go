package realpath

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Below calls visit with the path of all that lies below dir, a directory before
// what is in it, until visit returns false. It follows no links but those on the way
// to dir itself. It reports whether that was all: not if visit returned false, if
// there are more than limit files and directories, or if a directory cannot be read.
// Nothing lies below what does not exist or is no directory.
func Below(dir string, limit int, visit func(path string, mode fs.FileMode) bool) bool {
	t := tree{left: limit, visit: visit}
	return t.walk(dir)
}

// Led returns where the symbolic links below dir lead that leave it, each place
// once, with no link left in it. Links below such a place count as well: the way
// through one link may go on through another. It reports false if there is more to
// look at than limit files and directories.
func Led(dir string, limit int) (places []string, ok bool) {
	t := tree{left: limit}
	seen := []string{dir}
	t.visit = func(path string, mode fs.FileMode) bool {
		if mode&fs.ModeSymlink == 0 {
			return true
		}
		place := Resolve(path)
		if !slices.ContainsFunc(seen, func(s string) bool { return Contains(s, place) }) {
			seen = append(seen, place)
		}
		return true
	}
	for i := 0; i < len(seen); i++ { // it grows
		if !t.walk(seen[i]) {
			return seen[1:], false
		}
	}
	return seen[1:], true
}

// A tree is walked with a limit.
type tree struct {
	left  int // files and directories still to be looked at
	visit func(path string, mode fs.FileMode) bool
}

func (t *tree) walk(dir string) bool {
	dirs := []string{dir}
	for len(dirs) > 0 {
		at := dirs[len(dirs)-1]
		dirs = dirs[:len(dirs)-1]
		more, ok := t.list(at)
		if !ok {
			return false
		}
		dirs = append(dirs, more...)
	}
	return true
}

// list visits what is in a directory, and returns the directories among it.
func (t *tree) list(dir string) (dirs []string, ok bool) {
	dir = strings.TrimSuffix(dir, string(filepath.Separator)) + string(filepath.Separator)
	f, err := os.Open(dir) // with the separator, which keeps the system from opening a pipe
	if err != nil {
		return nil, unreachable(err)
	}
	defer func() { _ = f.Close() }()
	for {
		entries, err := f.ReadDir(256)
		if t.left -= len(entries); t.left < 0 {
			return nil, false
		}
		for _, e := range entries {
			if !t.visit(dir+e.Name(), e.Type()) {
				return nil, false
			}
			if e.IsDir() {
				dirs = append(dirs, dir+e.Name())
			}
		}
		if err != nil {
			return dirs, errors.Is(err, io.EOF)
		}
	}
}
