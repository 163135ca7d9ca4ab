package settings

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// mayBeTracked reports whether git may keep the file at real, so that it may have
// come with the project instead of from the user. It is true wherever that cannot
// be told: the index is in a form in which names are cut or spread over files.
func mayBeTracked(real string) bool {
	root := treeOf(filepath.Dir(real))
	if root == "" {
		return false
	}
	git, err := gitFolder(root)
	if err != nil {
		return true
	}
	name, err := filepath.Rel(root, real)
	if err != nil {
		return true
	}
	f, err := realpath.Open(realpath.Resolve(filepath.Join(git, "index")))
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer func() { _ = f.Close() }()
	return indexMayName(f, filepath.ToSlash(name))
}

// indexMayName reads an index of git, as gitformat-index(5) describes it. Versions
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
	wanted := [][]byte{bytes.ToLower([]byte(name + "\x00")), []byte("\x00link\x00")} // the latter: a split index
	buf := make([]byte, 0, 2*chunk)
	for read := 0; ; {
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf, read = buf[:len(buf)+n], read+n
		for _, w := range wanted {
			if bytes.Contains(bytes.ToLower(buf), w) { // disks may not know case
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
