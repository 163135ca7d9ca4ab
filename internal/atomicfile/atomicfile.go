// Package atomicfile replaces and creates files so that, whatever happens, a file
// is wholly the old one or wholly the new one. It deals in bytes and knows no
// rules: who may write where is decided before. Where a file has to be written in
// place, see [How], a process that is killed may leave a mixture, and the old
// content in a file beside it.
//
// While it works there may be files beside the target with names of the form
//
//	.NAME.pegboard-RANDOM.tmp    the new content, on its way into its place
//	.NAME.pegboard-RANDOM.bak    the old content, while the file is written in place
//
// where NAME is the target's, cut to 100 bytes, and RANDOM is 26 capital letters
// and digits. They outlive only a process that was killed; a .tmp may then be
// deleted, a .bak holds what the file held before.
package atomicfile

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// Errors beside those of the file system, which are wrapped: ask for them with
// errors.Is(err, fs.ErrPermission) or errors.Is(err, syscall.ENOSPC).
var (
	// ErrChanged: the file is not the one, or has not the content, that was
	// loaded. If it is gone, the error is fs.ErrNotExist as well; if a link took
	// its place or its directory's, realpath.ErrMoved; if something else did,
	// realpath.ErrNotRegular.
	ErrChanged = errors.New("the file changed since it was read")
	// ErrNotSynced: the new content is in its place, but the system could not say
	// that it would survive a loss of power. It comes with a snapshot of the file.
	ErrNotSynced = errors.New("the file was written, but may not be on the disk yet")
)

// A SizeError says that a file is larger than the limit of Load.
type SizeError struct {
	Path  string
	Size  int64 // in bytes, as far as is known: a file may still be growing
	Limit int64
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("%s has %d bytes, more than the limit of %d", e.Path, e.Size, e.Limit)
}

// A BackupError says that writing in place did not succeed and that the old
// content could not be put back. The file holds neither; Backup holds the old.
type BackupError struct {
	Path   string
	Backup string // an absolute path
	Err    error  // why the writing ended, then why the restoring did
}

func (e *BackupError) Error() string {
	return fmt.Sprintf("%s is damaged, its old content is in %s: %v", e.Path, e.Backup, e.Err)
}

// Unwrap returns e.Err.
func (e *BackupError) Unwrap() error { return e.Err }

// A Store is where all agents of a process read and write files. The zero value
// is ready. Its methods, and those of its snapshots, may be called at the same
// time. It must not be copied after its first use.
type Store struct {
	// BackupDir is where the old content is kept while a file is written in place,
	// if that cannot be beside the file; "" means os.TempDir().
	BackupDir string

	edits  locks // of callers, around reading and writing
	writes locks // of Replace, around checking and writing
	disk   disk
}

// How says how the content of a snapshot came into the file.
type How int

// The ways. An in-place write is taken if the file has several names, if no new
// file can take its place (the directory cannot be written, the file is a mount
// point) or if a new file could not have its owner, group or access list.
const (
	Loaded  How = iota // it was there
	Created            // by Create
	Renamed            // by a new file that took the place of the old one
	InPlace            // into the file itself, with a backup meanwhile
)

// String returns the name of the constant, in lower case.
func (h How) String() string {
	if h < Loaded || h > InPlace {
		return fmt.Sprintf("how(%d)", int(h))
	}
	return [...]string{"loaded", "created", "renamed", "in place"}[h]
}

// A Snapshot is a file at one moment. Its fields are for reading.
type Snapshot struct {
	Data []byte            // what the file held
	Info fs.FileInfo       // from before Data was read, or after it was written
	Sum  [sha256.Size]byte // the SHA-256 of Data
	How  How

	store   *Store
	real    string
	size    int64
	settled bool // any later change shows in the times of the file
}

// Path returns the path that was loaded or created.
func (s *Snapshot) Path() string { return s.real }

// settling is how long after its last change the times of a file are no proof that
// it stayed the same: the coarsest clock of a file system has steps of 2 seconds.
const settling = 2 * time.Second

func (s *Store) snapshot(real string, data []byte, info fs.FileInfo, how How) *Snapshot {
	return &Snapshot{
		Data: data, Info: info, Sum: sha256.Sum256(data), How: how,
		store: s, real: real, size: int64(len(data)),
	}
}

// Load reads the regular file at real, which is absolute and resolved: no
// symbolic link is followed, see realpath.Open for the errors. A file of more
// than limit bytes is a *SizeError, and at most limit+1 bytes are read to find out.
func (s *Store) Load(ctx context.Context, real string, limit int64) (*Snapshot, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := open(real)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	now := time.Now()
	if info.Size() > limit {
		return nil, &SizeError{Path: real, Size: info.Size(), Limit: limit}
	}
	data, err := readAll(ctx, f, info.Size(), limit)
	if err != nil {
		return nil, fail("read", real, err)
	}
	if int64(len(data)) > limit {
		return nil, &SizeError{Path: real, Size: int64(len(data)), Limit: limit}
	}
	snap := s.snapshot(real, data, info, Loaded)
	snap.settled = now.Sub(info.ModTime()) > settling
	return snap, nil
}

// open opens the file at real. One that is being replaced looks for a moment as if
// the path led elsewhere.
func open(real string) (f *os.File, err error) {
	for range 10 {
		if f, err = realpath.Open(real); !errors.Is(err, realpath.ErrMoved) {
			break
		}
	}
	return f, err
}

// chunk is how many bytes are read or written between two looks at the context.
const chunk = 1 << 20

// readAll reads to the end of r, or one byte past limit. The size is a guess.
func readAll(ctx context.Context, r io.Reader, size, limit int64) ([]byte, error) {
	data := make([]byte, 0, min(size, limit)+1)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := r.Read(data[len(data):min(cap(data), len(data)+chunk)])
		data = data[:len(data)+n]
		switch {
		case errors.Is(err, io.EOF), int64(len(data)) > limit:
			return data, nil
		case err != nil:
			return nil, err
		}
	}
}

// fail says what went wrong with which file. The paths that errors of the system
// name are those of temporary files, or relative to an open directory.
func fail(op, real string, err error) error {
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		err = pe.Err
	case errors.As(err, &le):
		err = le.Err
	}
	return &fs.PathError{Op: op, Path: real, Err: err}
}
