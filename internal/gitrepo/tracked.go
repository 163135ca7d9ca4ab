package gitrepo

import (
	"bufio"
	"errors"
	"io"
	"path/filepath"
)

// ErrNoRepository says that there is no repository with a working tree around a directory.
var ErrNoRepository = errors.New("there is no repository")

// Tracked calls visit with the resolved path of every file that the index of the
// repository around dir names, until visit returns false. It returns an error if there is
// no repository or no index, or if the index cannot be understood.
func Tracked(dir string, visit func(path string) bool) error {
	root := Tree(dir)
	if root == "" {
		return ErrNoRepository
	}
	folder, err := folderOf(root)
	if err != nil {
		return err
	}
	if folder == "" {
		return ErrNoRepository
	}
	shared, err := sharedFolder(folder)
	if err != nil {
		return err
	}
	entries, err := configuration(shared, folder)
	if err != nil {
		return err
	}
	return visitIndex(filepath.Join(folder, "index"), hashSize(entries), func(name string) bool {
		return visit(filepath.Join(root, filepath.FromSlash(name)))
	})
}

// visitIndex calls visit with the paths in an index, with slashes.
func visitIndex(name string, hash int, visit func(name string) bool) error {
	f, err := open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	r := indexReader{from: bufio.NewReaderSize(io.LimitReader(f, maxIndex), 64<<10), hash: hash}
	n, err := r.header()
	if err != nil {
		return err
	}
	for range n {
		mode, err := r.entry()
		if err != nil {
			return err
		}
		if len(r.path) == 0 || mode&modeMask == modeSparse {
			return errIndex // more names are elsewhere
		}
		if !visit(string(r.path)) {
			return nil
		}
	}
	if base, err := r.extensions(); err != nil || base != "" {
		return errIndex
	}
	return nil
}
