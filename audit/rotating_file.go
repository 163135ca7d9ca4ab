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

// rotatingFile is a file that lines are appended to, and that is renamed when it is full. Any
// number of processes may share it: the lock of the file at path guards appending and
// renaming. Only path, max and keepOld need to be set.
//
// The most used library for rotation, lumberjack, assumes that one process writes the file.
type rotatingFile struct {
	path    string
	max     int64 // maximum bytes of a file; negative means no limit
	keepOld int   // maximum number of old files

	file         *os.File // nil if no file is open
	lockTimedOut bool     // whether the last wait for the lock timed out
	closeErr     error    // errors of closing old files and of rotation, returned with the next line
}

const (
	// maxLockWait is how long a write waits for the lock. A holder needs it for a few system
	// calls, unless its process was stopped.
	maxLockWait = time.Second
	// maxMoves is how often opening is retried because the file was renamed meanwhile.
	maxMoves = 1000
)

// open opens the file, and creates it if it does not exist.
func (r *rotatingFile) open() error {
	if _, err := r.acquire(); err != nil {
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

// write appends a line, which must end in a newline, and reports whether all of it was
// written. It may be written although there is an error, for example of the rotation.
func (r *rotatingFile) write(line []byte) (written bool, err error) {
	r.closeErr = nil
	for stuck := false; ; {
		held, err := r.acquire()
		if err != nil {
			return false, errors.Join(r.closeErr, err)
		}
		full, torn, err := false, false, error(nil)
		if held {
			full, torn, err = r.inspect(len(line))
		}
		switch {
		case err != nil:
		case full && !stuck:
			stuck = !r.rotate()
			continue // with the file at path now, which other processes may have filled
		case torn:
			_, err = r.file.Write(append([]byte("\n"), line...))
		default:
			_, err = r.file.Write(line)
		}
		if held {
			_ = filelock.Unlock(r.file)
		}
		return err == nil, errors.Join(r.closeErr, err)
	}
}

// acquire opens the file at path and locks it. If another process holds the lock for too
// long, it returns held false: then the caller may append, but not rotate.
func (r *rotatingFile) acquire() (held bool, err error) {
	for range maxMoves {
		if r.file == nil {
			if r.file, err = os.OpenFile(r.path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600); err != nil {
				return false, err
			}
		}
		held = r.lock()
		if r.isCurrent() {
			return held, nil
		}
		r.closeOld()
	}
	return false, fmt.Errorf("%s: other programs keep moving it", r.path)
}

// lock waits for the lock of the open file and reports whether it has it. Where files cannot
// be locked it returns true at once.
func (r *rotatingFile) lock() bool {
	timeout := maxLockWait
	if r.lockTimedOut {
		timeout = 0
	}
	r.lockTimedOut = errors.Is(filelock.Lock(context.Background(), r.file, timeout), filelock.ErrHeld)
	return !r.lockTimedOut
}

// isCurrent reports whether the open file is the one at path.
func (r *rotatingFile) isCurrent() bool {
	own, err := r.file.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(r.path)
	return err == nil && os.SameFile(own, now)
}

// inspect reports whether a line of n bytes does not fit, and whether the last line has no
// end. The caller holds the lock.
func (r *rotatingFile) inspect(n int) (full, torn bool, err error) {
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

// rotate renames the file and reports whether it did; otherwise closeErr has the reason. The
// caller holds the lock.
func (r *rotatingFile) rotate() (moved bool) {
	if runtime.GOOS == "windows" { // an open file cannot be renamed
		r.closeOld()
	}
	err := r.shiftOld()
	if err == nil {
		err = os.Rename(r.path, r.oldPath(1))
	}
	if err != nil {
		r.closeErr = errors.Join(r.closeErr, err)
		return false
	}
	if r.file != nil {
		_ = filelock.Unlock(r.file) // before the sync, which may take long
		r.closeOld()
	}
	return true
}

// shiftOld renames the old files up to the first gap, the last one first, so that no file is
// lost if it is interrupted.
func (r *rotatingFile) shiftOld() error {
	gap := 1
	for gap < r.keepOld && exists(r.oldPath(gap)) {
		gap++
	}
	for i := gap; i > 1; i-- {
		if err := os.Rename(r.oldPath(i-1), r.oldPath(i)); err != nil {
			return err
		}
	}
	return nil
}

// oldPath returns the path of the i-th last file.
func (r *rotatingFile) oldPath(i int) string { return fmt.Sprintf("%s.%d", r.path, i) }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// closeOld closes the file, which is not at path any more.
func (r *rotatingFile) closeOld() { r.closeErr = errors.Join(r.closeErr, r.close()) }

// close syncs and closes the file, which releases its lock.
func (r *rotatingFile) close() error {
	if r.file == nil {
		return nil
	}
	file := r.file
	r.file = nil
	return errors.Join(file.Sync(), file.Close())
}
