package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/filelock"
)

// rotated is a file that lines are appended to, and that makes room for a new one
// when it is full. Others may do the same to it: they agree by the lock of the file
// that stands at path. Only path, max and keep need to be set.
//
// It is the package's own because the library that most programs use for it,
// lumberjack, takes for granted that one process writes the file.
type rotated struct {
	path string
	max  int64 // bytes of a file; negative: no limit
	keep int   // files besides the current one

	file    *os.File // nil: none is open
	late    bool     // the lock's holder was waited for in vain
	trouble error    // of a file that was left; to be told with the next line
}

const (
	// maxTurn is how long a holder of the lock is waited for. It needs the time of
	// a few system calls, unless it was stopped.
	maxTurn = time.Second
	// maxMoves is how often a file may be moved away while it is opened.
	maxMoves = 1000
)

// open makes sure that there is a file.
func (r *rotated) open() error {
	if _, err := r.take(); err != nil {
		return err
	}
	_ = filelock.Unlock(r.file)
	info, err := r.file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", r.path)
	}
	if err != nil {
		return errors.Join(err, r.file.Close())
	}
	return nil
}

// write appends a line, which ends in a newline, and reports whether all of it was
// written. There may be an error all the same, as when the rotation failed.
func (r *rotated) write(line []byte) (written bool, err error) {
	r.trouble = nil
	for stuck := false; ; {
		held, err := r.take()
		if err != nil {
			return false, errors.Join(r.trouble, err)
		}
		full, torn, err := false, false, error(nil)
		if held {
			full, torn, err = r.look(len(line))
		}
		switch {
		case err != nil:
		case full && !stuck:
			stuck = !r.rotate()
			continue // with what stands there now, which others may have filled
		case torn:
			_, err = r.file.Write(append([]byte("\n"), line...))
		default:
			_, err = r.file.Write(line)
		}
		if held {
			_ = filelock.Unlock(r.file)
		}
		return err == nil, errors.Join(r.trouble, err)
	}
}

// take opens the file at path and locks it. It is not held if somebody keeps it too
// long; then it may be appended to, and nothing else.
func (r *rotated) take() (held bool, err error) {
	for range maxMoves {
		if r.file == nil {
			if r.file, err = os.OpenFile(r.path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600); err != nil {
				return false, err
			}
		}
		held = r.lock()
		if r.stands() {
			return held, nil
		}
		r.leave()
	}
	return false, fmt.Errorf("%s: other programs keep moving it", r.path)
}

// lock waits for the lock of the open file and reports whether it has it. Where
// files cannot be locked nobody waits.
func (r *rotated) lock() bool {
	timeout := maxTurn
	if r.late {
		timeout = 0
	}
	r.late = errors.Is(filelock.Lock(context.Background(), r.file, timeout), filelock.ErrHeld)
	return !r.late
}

// stands reports whether the open file is the one at path.
func (r *rotated) stands() bool {
	own, err := r.file.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(r.path)
	return err == nil && os.SameFile(own, now)
}

// look reports whether there is no room for a line of n bytes, and whether the last
// line has no end. The lock is held.
func (r *rotated) look(n int) (full, torn bool, err error) {
	info, err := r.file.Stat()
	if err != nil || info.Size() == 0 {
		return false, false, err
	}
	var last [1]byte
	if _, err := r.file.ReadAt(last[:], info.Size()-1); err != nil {
		return false, false, err
	}
	size := info.Size() + int64(n)
	if torn = last[0] != '\n'; torn {
		size++
	}
	return r.max >= 0 && size > r.max, torn, nil
}

// rotate moves the file away and reports whether it did; if not, trouble says why.
// The lock is held.
func (r *rotated) rotate() (moved bool) {
	if runtime.GOOS == "windows" { // an open file cannot be renamed
		r.leave()
	}
	err := r.makeRoom()
	if err == nil {
		err = os.Rename(r.path, r.old(1))
	}
	if err != nil {
		r.trouble = errors.Join(r.trouble, err)
		return false
	}
	if r.file != nil {
		_ = filelock.Unlock(r.file) // before the sync, which may take its time
		r.leave()
	}
	return true
}

// makeRoom moves the older files up as far as the first gap, the last first, so that
// nothing is lost if it ends half way.
func (r *rotated) makeRoom() error {
	gap := 1
	for gap < r.keep && exists(r.old(gap)) {
		gap++
	}
	for i := gap; i > 1; i-- {
		if err := os.Rename(r.old(i-1), r.old(i)); err != nil {
			return err
		}
	}
	return nil
}

// old returns the name of the i-th last file.
func (r *rotated) old(i int) string { return fmt.Sprintf("%s.%d", r.path, i) }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// leave closes the file, which is not the one at path any more.
func (r *rotated) leave() { r.trouble = errors.Join(r.trouble, r.close()) }

// close syncs and closes the file, which gives its lock back.
func (r *rotated) close() error {
	if r.file == nil {
		return nil
	}
	file := r.file
	r.file = nil
	return errors.Join(file.Sync(), file.Close())
}
