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

// A ledger is a file that says how many bytes there are of something, so that
// nobody has to look at all files to know. It changes under the lock of the root.
// After the death of a process it may say too much, never too little: room is
// counted before it is used, and files are gone before they are no longer counted.
type ledger struct {
	file *os.File
}

// ledgerSize is more than the digits of any count.
const ledgerSize = 20

func openLedger(dir *os.Root, name string) (ledger, error) {
	f, err := dir.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		f, err = openRegular(dir, name, os.O_RDWR)
	}
	return ledger{file: f}, err
}

// read returns the count, or false if it has to be found out.
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

// add changes the count, if it is known.
func (l ledger) add(by int64) {
	if count, known := l.read(); known && l.write(count+by) != nil {
		l.invalidate()
	}
}

// invalidate makes the count one that has to be found out.
func (l ledger) invalidate() { _ = l.file.Truncate(0) }

// errNotRegular is of links, folders, pipes and whatever else is no file.
var errNotRegular = errors.New("not a regular file")

// openRegular opens a file of dir, and nothing else of that name.
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
	// Something else may have taken the name meanwhile.
	if opened, err := f.Stat(); err != nil || !os.SameFile(info, opened) {
		_ = f.Close()
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.Join(errNotRegular, err)}
	}
	return f, nil
}
