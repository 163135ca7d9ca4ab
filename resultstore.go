package pegboard

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/media"
	"github.com/seed49eaa51d/pegboard/internal/spool"
)

// A ResultStore keeps results that are too long for the model. [DirStore] is the default.
// Its methods may be called concurrently. To check one, use tooltest.CheckStore.
type ResultStore interface {
	// Put reads r to its end and keeps it. CallID names the call that r comes from,
	// mimeType its form, such as "text/plain". The same bytes of the same call give the
	// same StoredResult in every process, and a stored result never changes.
	Put(ctx context.Context, callID, mimeType string, r io.Reader) (StoredResult, error)
	// Open returns the result that Put stored under ref. The error wraps
	// [fs.ErrNotExist] if no result has that ref, for example because it was removed for its age.
	Open(ctx context.Context, ref string) (io.ReadCloser, error)
}

// A StoredResult says where a [ResultStore] keeps a result.
type StoredResult struct {
	Ref  string // for Open
	Path string // absolute path of the file that holds it; empty if no file does
	Size int64  // bytes that are kept, from the beginning
}

// DirOptions are the limits of a [DirStore], in bytes. Every process applies its own.
type DirOptions struct {
	MaxFile    int64         // of one result; 0 means 64 MiB, a negative number no limit
	MaxSession int64         // of all results of the session; 0 means 1 GiB, negative no limit
	MaxTotal   int64         // of all sessions in the directory; 0 means 4 GiB, negative no limit
	Retention  time.Duration // how long a result is kept; 0 means 30 days, negative for ever
	SweepEvery time.Duration // how often old results are removed; 0 means an hour, negative never
}

// A DirStore keeps results in files, each named after its call. Any number of processes
// may share the directory. A file gets its name when it is complete. When a limit is
// reached, the oldest results are removed, of the session or of all sessions. A result
// over MaxFile is cut, and its end says so. Only the current user can read the files.
//
// Files are not synced: after a power cut a file may be short or empty.
type DirStore struct{ dir *spool.Dir }

// NewDirStore returns a store in the folder dir/session, which it makes. Session may be
// any text. Close the store when the conversation ends; its results stay for Retention,
// so that the conversation can be resumed.
func NewDirStore(dir, session string, o DirOptions) (*DirStore, error) {
	d, err := spool.Open(dir, session, spool.Options(o))
	if err != nil {
		return nil, fmt.Errorf("directory for results: %w", err)
	}
	return &DirStore{d}, nil
}

// Put implements [ResultStore]. It reads r to its end even if it cannot keep it.
func (s *DirStore) Put(ctx context.Context, callID, mimeType string, r io.Reader) (StoredResult, error) {
	e, err := s.dir.Put(ctx, callID, media.Extension(mimeType), r)
	return StoredResult{Ref: e.Ref, Path: e.Path, Size: e.Size}, err
}

// Open implements [ResultStore].
func (s *DirStore) Open(_ context.Context, ref string) (io.ReadCloser, error) { return s.dir.Open(ref) }

// Dir returns the folder, absolute. Tools may read its files without asking.
func (s *DirStore) Dir() string { return s.dir.Path() }

// Sweep removes results older than Retention, in all sessions of the directory, and
// partial files of processes that were killed. It also runs by itself.
func (s *DirStore) Sweep(ctx context.Context) error { return s.dir.Sweep(ctx) }

// Close releases the folder.
func (s *DirStore) Close() error { return s.dir.Close() }
