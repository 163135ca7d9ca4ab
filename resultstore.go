package pegboard

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/excerpt"
	"github.com/seed49eaa51d/pegboard/internal/lane"
	"github.com/seed49eaa51d/pegboard/internal/media"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/spool"
	"github.com/seed49eaa51d/pegboard/internal/trim"
)

// A ResultStore keeps results that are too long to be shown. Its methods may be called
// concurrently. [DirStore] is the one that a session has by default.
type ResultStore interface {
	// Put reads r to its end and keeps it. callID says which call it came from, mimeType
	// what it is, such as "text/plain". The same bytes of the same call give the same
	// Stored, in every process, and what was put once never changes.
	Put(ctx context.Context, callID, mimeType string, r io.Reader) (Stored, error)
	// Open returns what Put kept under ref. The error wraps [fs.ErrNotExist] if there is
	// nothing, which may be because it was old and in the way.
	Open(ctx context.Context, ref string) (io.ReadCloser, error)
}

// Stored is where a [ResultStore] keeps a result.
type Stored struct {
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
func (s *DirStore) Put(ctx context.Context, callID, mimeType string, r io.Reader) (Stored, error) {
	e, err := s.dir.Put(ctx, callID, media.Extension(mimeType), r)
	return Stored{Ref: e.Ref, Path: e.Path, Size: e.Size}, err
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
	return temporaryStores.OnceRoot(s, s.main().openTemporary)
}

// temporaryStores holds the store of each conversation that was not given one.
var temporaryStores = NewKey[ResultStore]("temporary result store")

func (s *Session) openTemporary() ResultStore {
	dir, err := spool.OpenTemp("", spool.Options{})
	if err != nil {
		return noStore{fmt.Errorf("directory for results: %w", err)}
	}
	s.Lend(dir.Path())
	return &DirStore{dir}
}

// noStore stands for one that could not be made.
type noStore struct{ err error }

func (n noStore) Put(context.Context, string, string, io.Reader) (Stored, error) {
	return Stored{}, n.err
}
func (n noStore) Open(context.Context, string) (io.ReadCloser, error) { return nil, n.err }

// keepResults sets what s makes of results. A main session has no parent.
func (s *Session) keepResults(parent *Session) error {
	s.trimmed = new(trim.State)
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
		s.Lend(d.Dir())
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

const maxName = 8 << 10 // bytes of what a store calls a result: it is part of a notice

const storeTime = time.Minute // of the store over one result, also of a call that was cancelled

func (p *Part) isPreview() bool { return p.Ref != "" && len(p.Text) <= maxPreview }

func (p *Part) isImage() bool { return len(p.Data) > 0 && media.IsImage(p.MIME) }

// Store keeps what r yields in the session's store while it comes, and returns a part
// with a preview of it: for a tool whose result is too long to be held in memory. What
// is short enough for the tool's limit is in the part as it is, and not stored. If the
// rest cannot be stored, the part holds beginning and end, and says so. The error is
// that of r, or of ctx; the part then holds what came until then. A Read that blocks is
// not interrupted.
func (c *Call) Store(ctx context.Context, r io.Reader) (Part, error) {
	if c.state == nil {
		return Part{}, errNotAdmitted
	}
	most := c.state.session.cfg.Limits.maxResult(c.state.info, false)
	if most < 0 {
		most = DefaultMaxResult
	}
	r = excerpt.Until(ctx, r)
	begin, err := io.ReadAll(io.LimitReader(r, int64(most)*utf8.UTFMax+1))
	if len(begin) <= most*utf8.UTFMax && utf8.RuneCount(begin) <= most {
		return Part{Text: strings.ToValidUTF8(string(begin), string(utf8.RuneError))}, err
	}
	all := excerpt.NewReader(io.MultiReader(bytes.NewReader(begin), r))
	p := c.keep(ctx, all, false, "", most)
	return p, cmp.Or(all.Err(), err, context.Cause(ctx))
}

// Keep stores what r yields under the id of c, for a tool that words its own preview
// and ends it with [Session.ReadOn]. If c reads nothing but what is stored, the error is
// [ErrStored]: then the tool should show what it can, and advise to ask for less.
func (c *Call) Keep(ctx context.Context, mimeType string, r io.Reader) (Stored, error) {
	if c.state == nil {
		return Stored{}, errNotAdmitted
	}
	if c.readsStored() {
		return Stored{}, ErrStored
	}
	stored, _, err := c.state.session.put(ctx, c.ID, mimeType, r)
	return stored, err
}

// keep stores what r yields, and returns what is shown of it.
func (c *Call) keep(ctx context.Context, r io.Reader, failed bool, whole string, most int) Part {
	s := c.state.session
	limits := &s.cfg.Limits
	how := showing{whole: whole, characters: min(limits.Preview, most), lost: most}
	if limits.Failure >= 0 {
		how.lost = min(limits.Failure, most)
	}
	switch {
	case c.readsStored():
		how.instead, how.characters = "ask for less at once", most
	case failed:
		how.ends, how.characters = true, how.lost
	}
	return s.show(ctx, c.ID, r, how)
}

// readsStored reports whether the call reads nothing but what the store holds.
func (c *Call) readsStored() bool {
	d, ok := c.state.session.ResultStore().(interface{ Dir() string })
	inside := func(t Target) bool { return realpath.Contains(d.Dir(), t.Real()) }
	return ok && slices.ContainsFunc(c.state.targets, isPath) &&
		!slices.ContainsFunc(c.state.targets, func(t Target) bool { return isPath(t) && !inside(t) })
}

// ReadOn returns how a model is told to read on in what was stored, see [ResultLimits].
func (s *Session) ReadOn() string { return s.cfg.Limits.ReadOn }

// showing says how a text that is too long is shown.
type showing struct {
	characters int
	lost       int    // characters if it cannot be stored
	ends       bool   // its beginning and its end, not the beginning alone
	whole      string // all of it, if that is at hand
	name       string // what the notice calls it
	instead    string // how to have the rest, if it need not be stored
}

// show stores what r yields and makes a preview of it.
func (s *Session) show(ctx context.Context, id string, r io.Reader, how showing) Part {
	var stored Stored
	var src excerpt.Source
	if how.instead != "" {
		src = excerpt.NewReader(r).Source()
		src.How = how.instead
	} else {
		var err error
		stored, src, err = s.put(ctx, id, "text/plain", r)
		if src.How = s.cfg.Limits.ReadOn; err != nil {
			if how.whole != "" { // of which the store may not have read all
				src = excerpt.NewReader(strings.NewReader(how.whole)).Source()
			}
			src.How = "it could not be stored: " + err.Error()
			how.ends, how.characters = true, how.lost
		}
	}
	if src.Name = how.name; how.ends {
		return Part{Text: excerpt.Ends(src, how.characters).String(), Ref: stored.Ref}
	}
	return Part{Text: excerpt.Preview(src, how.whole, how.characters).String(), Ref: stored.Ref}
}

// put stores what r yields under the id of a call, and describes it as a text. A store
// that does not return is left behind when ctx ends.
func (s *Session) put(ctx context.Context, id, mimeType string, r io.Reader) (Stored, excerpt.Source, error) {
	all, ok := r.(*excerpt.Reader)
	if !ok {
		all = excerpt.NewReader(r)
	}
	var got struct {
		stored Stored
		err    error
	}
	put := lane.Go(func() { got.stored, got.err = s.ResultStore().Put(ctx, id, mimeType, all) })
	var stored Stored
	var err error
	select {
	case crash := <-put:
		stored, err = got.stored, cmp.Or(got.err, crash)
	case <-ctx.Done():
		all.Stop()
		err = context.Cause(ctx)
	}
	if err == nil && (stored.Ref == "" || len(stored.Ref)+len(stored.Path) > maxName) {
		err = errors.New("the store has no usable name for it")
	}
	src := all.Source()
	if err != nil {
		return Stored{}, src, err
	}
	src.Path, src.Stored = strings.Join(strings.FieldsFunc(cmp.Or(stored.Path, stored.Ref), unicode.IsControl), " "), max(0, stored.Size)
	return stored, src, nil
}
