package pegboard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/media"
	"github.com/seed49eaa51d/pegboard/internal/resulttrim"
	"github.com/seed49eaa51d/pegboard/internal/spool"
)

// A ResultStore keeps results that are too long to be shown. Its methods may be called
// concurrently. [DirStore] is the one that a session has by default.
type ResultStore interface {
	// Put reads r to its end and keeps it. callID says which call it came from, mimeType
	// what it is, such as "text/plain". The same bytes of the same call give the same
	// Stored, in every process, and what was put once never changes.
	Put(ctx context.Context, callID, mimeType string, r io.Reader) (StoredResult, error)
	// Open returns what Put kept under ref. The error wraps [fs.ErrNotExist] if there is
	// nothing, which may be because it was old and in the way.
	Open(ctx context.Context, ref string) (io.ReadCloser, error)
}

// StoredResult is where a [ResultStore] keeps a result.
type StoredResult struct {
	Ref  string // for Open
	Path string // of the file that holds it, absolute; empty if there is none
	Size int64  // bytes that are kept, from the beginning
}

// DirOptions are the limits of a [DirStore], in bytes. Each process holds to its own.
type DirOptions struct {
	MaxFile    int64         // of one result; 0 means 64 MiB, a negative number no limit
	MaxSession int64         // of all results of the session; 0 means 1 GiB, negative no limit
	MaxTotal   int64         // of all sessions in the directory; 0 means 4 GiB, negative no limit
	Retention  time.Duration // how long a result is kept; 0 means 30 days, negative for ever
	SweepEvery time.Duration // how often the old ones are removed; 0 means an hour, negative never
}

// A DirStore keeps results in the files of a directory, each named after its call.
// Any number of processes may share the directory. A file has its name only when it is
// complete. When a limit is reached the oldest go, of the session or of all; a result
// over MaxFile is cut, and says so at its end. Only this user can read the files.
//
// Nothing is forced to the disk: after a power cut a file may be short or empty.
type DirStore struct{ dir *spool.Dir }

// NewDirStore returns a store in the folder dir/session, which it makes. The session
// may have any id. Close it when the conversation ends; what it keeps stays for
// Retention, so that the conversation can be resumed.
func NewDirStore(dir, session string, o DirOptions) (*DirStore, error) {
	d, err := spool.Open(dir, session, spool.Options(o))
	if err != nil {
		return nil, fmt.Errorf("directory for results: %w", err)
	}
	return &DirStore{d}, nil
}

// Put implements [ResultStore]. If nothing can be kept, r is read to its end all the same.
func (s *DirStore) Put(ctx context.Context, callID, mimeType string, r io.Reader) (StoredResult, error) {
	e, err := s.dir.Put(ctx, callID, media.Extension(mimeType), r)
	return StoredResult{Ref: e.Ref, Path: e.Path, Size: e.Size}, err
}

// Open implements [ResultStore].
func (s *DirStore) Open(_ context.Context, ref string) (io.ReadCloser, error) { return s.dir.Open(ref) }

// Dir returns the folder, absolute. Tools may read what is in it without asking.
func (s *DirStore) Dir() string { return s.dir.Path() }

// Sweep removes what is older than Retention, in all sessions of the directory, and
// what processes left behind that were killed. It happens by itself, too.
func (s *DirStore) Sweep(ctx context.Context) error { return s.dir.Sweep(ctx) }

// Close lets the folder go.
func (s *DirStore) Close() error { return s.dir.Close() }

// ResultStore returns where results of s are kept: as its SessionConfig says, or in a
// temporary directory that ends with the main session.
func (s *Session) ResultStore() ResultStore {
	if s.cfg.Results != nil {
		return s.cfg.Results
	}
	return temporaryStores.GetOrInitRoot(s, s.main().openTemporary)
}

// temporaryStores holds the store of each conversation that was not given one.
var temporaryStores = NewKey[ResultStore]("temporary result store")

func (s *Session) openTemporary() ResultStore {
	dir, err := spool.OpenTemp("", spool.Options{})
	if err != nil {
		return noStore{fmt.Errorf("directory for results: %w", err)}
	}
	s.AllowReads(dir.Path())
	return &DirStore{dir}
}

// noStore stands for one that could not be made.
type noStore struct{ err error }

func (n noStore) Put(context.Context, string, string, io.Reader) (StoredResult, error) {
	return StoredResult{}, n.err
}
func (n noStore) Open(context.Context, string) (io.ReadCloser, error) { return nil, n.err }

// keepResults sets what s makes of results. A main session has no parent.
func (s *Session) keepResults(parent *Session) error {
	s.trimmed = new(resulttrim.State)
	if parent != nil {
		if s.cfg.Results != nil {
			return errors.New("a fork stores where its parent does; leave Results empty")
		}
		if s.cfg.Results = parent.cfg.Results; reflect.ValueOf(s.cfg.Limits).IsZero() {
			s.cfg.Limits = parent.cfg.Limits
		}
		parent.trimming.Lock()
		s.trimmed = parent.trimmed.Clone()
		parent.trimming.Unlock()
	}
	s.cfg.Limits = s.cfg.Limits.orDefaults()
	if len(s.cfg.TrimState) > 0 {
		if err := json.Unmarshal(s.cfg.TrimState, s.trimmed); err != nil {
			return fmt.Errorf("TrimState: %w", err)
		}
	}
	if d, ok := s.cfg.Results.(interface{ Dir() string }); ok && parent == nil {
		s.AllowReads(d.Dir())
	} else if parent == nil { // the first to be owned ends last
		s.OnClose("stored results", s.closeTemporary)
	}
	return nil
}

func (s *Session) closeTemporary(context.Context) error {
	store, _ := temporaryStores.Get(s)
	if d, ok := store.(*DirStore); ok {
		return d.Close()
	}
	return nil
}

func (p *Part) isPreview() bool { return p.Ref != "" && len(p.Text) <= maxPreview }

func (p *Part) isImage() bool { return len(p.Data) > 0 && media.IsImage(p.MIME) }
