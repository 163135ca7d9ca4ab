package gitrepo

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// Tree returns the working tree that contains the resolved directory at, or "".
func Tree(at string) string {
	for {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		up := filepath.Dir(at)
		if up == at {
			return ""
		}
		at = up
	}
}

// MainTree returns the main working tree of the repository whose working tree is root. It
// is root itself, except for linked working trees. The repository has to name the linked
// one, since otherwise the author of that directory could choose any repository.
func MainTree(root string) string {
	folder, err := folderOf(root)
	if err != nil || folder == "" {
		return root
	}
	shared, err := sharedFolder(folder)
	if err != nil || shared == folder {
		return root
	}
	back, err := read(filepath.Join(folder, "gitdir"), maxSmall)
	if err != nil || !sameEntry(realpath.Resolve(join(folder, strings.TrimRight(back, "\r\n"))), filepath.Join(root, ".git")) ||
		filepath.Dir(folder) != filepath.Join(shared, "worktrees") || filepath.Base(shared) != ".git" {
		return root
	}
	return filepath.Dir(shared)
}

// sameEntry reports whether two names are of one file, without following links.
func sameEntry(a, b string) bool {
	x, errX := os.Lstat(a)
	y, errY := os.Lstat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// MayTrack reports whether git may track the file at real, so that it may have come with
// the project instead of from the user. It returns true if this is unknown, as for an
// index whose format abbreviates names or has them in several files.
func MayTrack(real string) bool {
	root := Tree(filepath.Dir(real))
	if root == "" {
		return false
	}
	folder, err := folderOf(root)
	if err != nil || folder == "" {
		return true
	}
	name, err := filepath.Rel(root, real)
	if err != nil {
		return true
	}
	f, err := open(filepath.Join(folder, "index"))
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer func() { _ = f.Close() }()
	return indexMayName(f, filepath.ToSlash(name))
}

// indexMayName searches an index, as gitformat-index(5) describes it, for a name. Versions
// 2 and 3 have each name in full, with a zero at its end.
func indexMayName(index io.Reader, name string) bool {
	const (
		chunk = 64 << 10
		limit = 256 << 20
	)
	r := bufio.NewReaderSize(io.LimitReader(index, limit), chunk)
	head, err := r.Peek(12)
	if err != nil || !bytes.HasPrefix(head, []byte("DIRC\x00\x00\x00")) || head[7] != 2 && head[7] != 3 {
		return true
	}
	wanted := [][]byte{bytes.ToLower([]byte(name + "\x00")), []byte("\x00link\x00")} // the second marks a split index
	buf := make([]byte, 0, 2*chunk)
	for read := 0; ; {
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf, read = buf[:len(buf)+n], read+n
		for _, w := range wanted {
			if bytes.Contains(bytes.ToLower(buf), w) { // the file system may ignore case
				return true
			}
		}
		if err != nil {
			return !errors.Is(err, io.EOF) || read >= limit
		}
		if keep := max(len(name), 8); len(buf) > keep {
			buf = append(buf[:0], buf[len(buf)-keep:]...)
		}
	}
}
