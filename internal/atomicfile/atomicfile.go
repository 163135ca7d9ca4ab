// Package atomicfile replaces and creates files so that after any failure a file has
// either its old or its new content. It handles bytes and knows no permission rules: the
// caller decides before. A file is written in place if it has hard links, if it cannot be
// replaced by a new file (the directory is not writable, the file is a mount point), or if a
// new file could not get its owner or group. Then a process that is killed may leave a mixture
// in the file, and the old content in a backup beside it.
//
// While it works there may be files beside the target with names of the form
//
//	.NAME.pegboard-RANDOM.tmp    the new content, before it is renamed
//	.NAME.pegboard-RANDOM.bak    the old content, while the file is written in place
//
// where NAME is the target's, cut to 100 bytes, and RANDOM is 26 capital letters and
// digits. They stay only if the process is killed. A .tmp may then be deleted; a .bak
// holds the previous content of the file.
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

// Errors of the package. Those of the file system are wrapped; test for them with
// errors.Is(err, fs.ErrPermission) or errors.Is(err, syscall.ENOSPC).
var (
	// ErrChanged says that the file is another one, or has other content, than when it
	// was loaded. The error also is fs.ErrNotExist if the file is missing,
	// realpath.ErrMoved if it or its directory is a link now, and
	// realpath.ErrNotRegular if it is something else.
	ErrChanged = errors.New("the file changed since it was read")
	// ErrNotSynced says that the file has its new content, but that syncing it failed,
	// so it may not survive a loss of power. It comes with a snapshot of the file.
	ErrNotSynced = errors.New("the file was written, but may not be on the disk yet")
)

// A SizeError says that a file is larger than the limit of Load.
type SizeError struct {
	Path  string
	Size  int64 // in bytes; at least this much if the file is growing
	Limit int64
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("%s has %d bytes, more than the limit of %d", e.Path, e.Size, e.Limit)
}

// A BackupError says that writing in place failed and that the old content could not be
// restored. The file is damaged; Backup holds the old content.
type BackupError struct {
	Path   string
	Backup string // an absolute path
	Err    error  // the error of writing, joined with that of restoring
}

func (e *BackupError) Error() string {
	return fmt.Sprintf("%s is damaged, its old content is in %s: %v", e.Path, e.Backup, e.Err)
}

// Unwrap returns e.Err.
func (e *BackupError) Unwrap() error { return e.Err }

// A Store reads and writes files for all agents of a process. The zero value is ready.
// Its methods, and those of its snapshots, may be called from any goroutine. It must not
// be copied after its first use.
type Store struct {
	edits  locks // held by callers of Lock, from reading to writing
	writes locks // held by Replace, from checking to writing
	disk   disk
}

// A Snapshot is the state of a file at one moment. Its fields are read-only.
type Snapshot struct {
	Data []byte            // content of the file
	Info fs.FileInfo       // read before Data was read, or after it was written
	Sum  [sha256.Size]byte // the SHA-256 of Data

	store         *Store
	real          string
	size          int64
	timesReliable bool // whether any later change shows in the times of the file
}

// Path returns the path that was loaded or created.
func (s *Snapshot) Path() string { return s.real }

// timeGranularity is how long after its last change the times of a file may stay the same
// although it changes again: the coarsest clock of a file system has steps of 2 seconds.
const timeGranularity = 2 * time.Second

func (s *Store) snapshot(real string, data []byte, info fs.FileInfo) *Snapshot {
	return &Snapshot{
		Data: data, Info: info, Sum: sha256.Sum256(data),
		store: s, real: real, size: int64(len(data)),
	}
}

// Load reads the regular file at real, which is absolute and resolved. It follows no
// symbolic link, see realpath.Open for the errors. For a file of more than limit bytes
// it returns a *SizeError after reading at most limit+1 bytes.
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
		return nil, pathError("read", real, err)
	}
	if int64(len(data)) > limit {
		return nil, &SizeError{Path: real, Size: int64(len(data)), Limit: limit}
	}
	snap := s.snapshot(real, data, info)
	snap.timesReliable = now.Sub(info.ModTime()) > timeGranularity
	return snap, nil
}

// open opens the file at real. It retries on ErrMoved, since a file that is being
// replaced at this moment looks as if the path contained a link.
func open(real string) (f *os.File, err error) {
	for range 10 {
		if f, err = realpath.Open(real); !errors.Is(err, realpath.ErrMoved) {
			break
		}
	}
	return f, err
}

// chunk is how many bytes are read or written between two checks of the context.
const chunk = 1 << 20

// readAll reads to the end of r, or one byte past limit. size is the expected size.
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

// pathError wraps err with the path of the user's file, in place of the path in err,
// which is that of a temporary file or relative to an open directory.
func pathError(op, real string, err error) error {
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
