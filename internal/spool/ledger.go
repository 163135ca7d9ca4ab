package spool

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// A ledger is a file with a number of bytes, so that not all files have to be surveyed to
// know it. It changes under the lock of the root. After the death of a process it may be
// too large, never too small: bytes are added before they are written, and subtracted
// after the file was removed.
type ledger struct {
	file *os.File
}

// ledgerSize is the size of the file, more than the digits of any count.
const ledgerSize = 20

func openLedger(dir *os.Root, name string) (ledger, error) {
	f, err := dir.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		f, err = openRegular(dir, name, os.O_RDWR)
	}
	return ledger{file: f}, err
}

// read returns the count, or false if it is invalid.
func (l ledger) read() (count int64, known bool) {
	var buf [ledgerSize + 1]byte
	n, err := l.file.ReadAt(buf[:], 0)
	if n != ledgerSize || !errors.Is(err, io.EOF) {
		return 0, false
	}
	count, err = strconv.ParseInt(strings.TrimSpace(string(buf[:n])), 10, 64)
	return count, err == nil && count >= 0
}

func (l ledger) write(count int64) error {
	text := fmt.Sprintf("%*d\n", ledgerSize-1, max(count, 0))
	_, err := l.file.WriteAt([]byte(text), 0)
	return err
}

// add adds to the count if it is valid.
func (l ledger) add(by int64) {
	if count, known := l.read(); known && l.write(count+by) != nil {
		l.invalidate()
	}
}

// invalidate makes read return false until the next write.
func (l ledger) invalidate() { _ = l.file.Truncate(0) }

// errNotRegular is the error for links, folders, pipes and other files that are not
// regular.
var errNotRegular = errors.New("not a regular file")

// openRegular opens a regular file of dir.
func openRegular(dir *os.Root, name string, flag int) (*os.File, error) {
	info, err := dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errNotRegular}
	}
	f, err := dir.OpenFile(name, flag|realpath.Nonblock, 0)
	if err != nil {
		return nil, err
	}
	// Another file may have taken the name since Lstat.
	if opened, err := f.Stat(); err != nil || !os.SameFile(info, opened) {
		_ = f.Close()
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.Join(errNotRegular, err)}
	}
	return f, nil
}
