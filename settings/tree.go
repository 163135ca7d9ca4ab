package settings

import (
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// A tree describes the files and folders below a directory at the time when they were read.
type tree struct {
	root  string
	keep  func(name string) bool // which files count
	parts map[string]part        // by path
}

// A part is one file or folder of a tree.
type part struct {
	info  fs.FileInfo
	young bool              // info may stay the same although the file changes
	sum   [sha256.Size]byte // of a young file
}

// maxParts is how many files and folders of a tree are looked at.
const maxParts = 10_000

// newTree returns the tree of a directory, which may be missing. Call it before its files are
// read, since they may change in between.
func newTree(root string, keep func(name string) bool) *tree {
	t := &tree{root: root, keep: keep, parts: map[string]part{}}
	now := time.Now()
	t.walk(func(path string, info fs.FileInfo) bool {
		p := part{info: info, young: info.Mode().IsRegular() && now.Sub(info.ModTime()) < youngAge}
		if p.young {
			p.sum = sumOf(path)
		}
		t.parts[path] = p
		return true
	})
	return t
}

// walk calls visit with each part until it returns false. Links to files are followed, those to
// folders are not.
func (t *tree) walk(visit func(path string, info fs.FileInfo) bool) {
	parts := 0
	_ = filepath.WalkDir(t.root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // the reader of the files reports it
		}
		if parts++; parts > maxParts {
			return fs.SkipAll
		}
		isDir := entry.IsDir() || path == t.root
		if !isDir && !t.keep(entry.Name()) {
			return nil
		}
		info, err := os.Stat(path)
		if err == nil && !visit(path, info) {
			return fs.SkipAll
		}
		return nil
	})
}

// hasFiles reports whether there is a file that counts.
func (t *tree) hasFiles() bool {
	for _, p := range t.parts {
		if !p.info.IsDir() {
			return true
		}
	}
	return false
}

// changed reports whether a file of the tree was written, replaced, removed or made.
func (t *tree) changed() bool {
	found, differs := 0, false
	t.walk(func(path string, info fs.FileInfo) bool {
		found++
		before, known := t.parts[path]
		switch {
		case !known:
			differs = true
		case info.IsDir():
			differs = !before.info.IsDir()
		case !sameInfo(before.info, info), before.young && sumOf(path) != before.sum:
			differs = true
		}
		return !differs
	})
	return differs || found != len(t.parts)
}

// sumOf returns the sum of a file, of at most 1 MiB and a byte. That of a file that
// cannot be read is zero.
func sumOf(path string) (sum [sha256.Size]byte) {
	file, err := os.Open(path)
	if err != nil {
		return sum
	}
	defer file.Close() //nolint:errcheck // it was only read
	h := sha256.New()
	if _, err := io.CopyN(h, file, 1<<20+1); err != nil && !errors.Is(err, io.EOF) {
		return sum
	}
	h.Sum(sum[:0])
	return sum
}
