// Package template makes a tree for each of many tests from one that was made once: a repository
// takes git twenty processes, and a copy of it none. The package is for tests alone; no shipped
// code imports it.
package template

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"
)

// A Tree is a tree of directories and files, kept in memory. The zero value is not made yet. Copy
// may be called concurrently.
type Tree struct {
	once  sync.Once
	files fstest.MapFS
}

// Copy puts the tree into the directory to, which it makes. The first call has build make the
// tree in another directory, empty and without symbolic links in its name. Times are not
// copied: git sees files that it has to look at again.
func (tree *Tree) Copy(tb testing.TB, to string, build func(dir string)) {
	tb.Helper()
	tree.once.Do(func() {
		dir, err := filepath.EvalSymlinks(tb.TempDir())
		if err != nil {
			tb.Fatal(err)
		}
		build(dir)
		tree.files, err = read(dir)
		if err != nil {
			tb.Fatal(err)
		}
	})
	if tree.files == nil {
		tb.Fatal("the tree could not be made, see the test that failed first")
	}
	if err := os.CopyFS(to, tree.files); err != nil {
		tb.Fatal(err)
	}
}

func read(dir string) (fstest.MapFS, error) {
	files := fstest.MapFS{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		file := &fstest.MapFile{Mode: info.Mode()}
		if !d.IsDir() {
			if file.Data, err = os.ReadFile(path); err != nil { //nolint:gosec // the test made it
				return err
			}
		}
		files[filepath.ToSlash(name)] = file
		return nil
	})
	return files, err
}
