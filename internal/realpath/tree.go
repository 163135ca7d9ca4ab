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

// Walk calls visit with the path of everything below dir, a directory before its
// content, until visit returns false. It follows no links except in dir itself. It
// returns false if visit returned false, if there are more than limit files and
// directories, or if a directory cannot be read. A missing dir and a dir that is no
// directory have nothing below them.
func Walk(dir string, limit int, visit func(path string, mode fs.FileMode) bool) bool {
	t := tree{budget: limit, visit: visit}
	return t.walk(dir)
}

// LinkTargets returns the resolved targets of the symbolic links below dirs that are
// outside them, each once. Links below such a target count as well, since a path may pass
// through several links. It returns false if there are more than limit files and
// directories to look at.
func LinkTargets(dirs []string, limit int) (places []string, ok bool) {
	t := tree{budget: limit}
	var seen []string
	for _, dir := range dirs {
		if !slices.ContainsFunc(seen, func(s string) bool { return Contains(s, dir) }) {
			seen = append(seen, dir)
		}
	}
	given := len(seen)
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
			return seen[given:], false
		}
	}
	return seen[given:], true
}

// A tree walks directories with a limit.
type tree struct {
	budget int // files and directories that may still be visited
	visit  func(path string, mode fs.FileMode) bool
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

// list visits the entries of a directory and returns the directories among them.
func (t *tree) list(dir string) (dirs []string, ok bool) {
	dir = strings.TrimSuffix(dir, string(filepath.Separator)) + string(filepath.Separator)
	f, err := os.Open(dir) // the separator keeps the system from opening a pipe
	if err != nil {
		return nil, unreachable(err)
	}
	defer func() { _ = f.Close() }()
	for {
		entries, err := f.ReadDir(256)
		if t.budget -= len(entries); t.budget < 0 {
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
