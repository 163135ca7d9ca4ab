package pegboard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/seed49eaa51d/pegboard/internal/excerpt"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lock"
	"github.com/seed49eaa51d/pegboard/internal/spool"
)

// maxStoredName is how many bytes a store's name for a result may have: the name is
// part of a notice.
const maxStoredName = 8 << 10

// storeTimeout is how long the store may take over one result. It also holds for a call
// that was cancelled.
const storeTimeout = time.Minute

// sessionResults hold the store and the limits of a session's results.
type sessionResults struct {
	store     ResultStore     // of SessionConfig; nil means temporary
	temporary *temporaryStore // shared by all agents of a conversation
	limits    ResultLimits    // with the defaults filled in
	trimmer   resultTrimmer

	stored      atomic.Int64 // how many texts the store was given
	storedBytes atomic.Int64 // that it keeps of them
}

// init prepares the zero value for a session. Parent is nil in a main session.
func (r *sessionResults) init(cfg *SessionConfig, parent *sessionResults, readable *readableDirs) error {
	r.store, r.limits = cfg.Results, cfg.Limits
	if parent == nil {
		r.temporary = &temporaryStore{readable: readable}
		if d, ok := r.store.(interface{ Dir() string }); ok {
			readable.add(d.Dir())
		}
	} else {
		if r.store != nil {
			return errors.New("a fork stores where its parent does; leave Results empty")
		}
		if reflect.ValueOf(r.limits).IsZero() {
			r.limits = parent.limits
		}
		r.store, r.temporary = parent.store, parent.temporary
	}
	r.limits = r.limits.orDefaults()
	var trimmer *resultTrimmer
	if parent != nil {
		trimmer = &parent.trimmer
	}
	return r.trimmer.init(r, cfg.TrimState, trimmer)
}

// resultStore returns the store. It makes the temporary one if there is no other.
func (r *sessionResults) resultStore() ResultStore {
	if r.store != nil {
		return r.store
	}
	return r.temporary.open()
}

// counts is [Session.ResultCounts].
func (r *sessionResults) counts() ResultCounts {
	c := ResultCounts{Stored: int(r.stored.Load()), StoredBytes: r.storedBytes.Load()}
	r.trimmer.counts(&c)
	return c
}

// A previewForm says how a text that is too long is shown.
type previewForm struct {
	characters int
	unstored   int    // characters if the text cannot be stored
	ends       bool   // shows the beginning and the end; otherwise only the beginning
	whole      string // the whole text, if it is in memory
	name       string // of the text in the notice
	instead    string // how to get the rest; the text is then not stored
}

// preview stores a text under id and returns a preview of it. A text that is in memory is
// stored with line breaks in its JSON, so that the model can read it on by lines.
func (r *sessionResults) preview(ctx context.Context, id string, text io.Reader, form previewForm) Part {
	var stored StoredResult
	var src excerpt.Source
	if form.instead != "" {
		src = excerpt.NewReader(text).Source()
		src.Hint = form.instead
	} else {
		if form.whole != "" {
			text = strings.NewReader(excerpt.BreakLines(form.whole))
		}
		var err error
		stored, src, err = r.put(ctx, id, "text/plain", text)
		if src.Hint = r.limits.ReadMoreHint; err != nil {
			if form.whole != "" { // the store may not have read all of it
				src = excerpt.NewReader(strings.NewReader(form.whole)).Source()
			}
			src.Hint = "it could not be stored: " + err.Error()
			form.ends, form.characters = true, form.unstored
		}
	}
	if src.Name = form.name; form.ends {
		return Part{Text: excerpt.Ends(src, form.characters).String(), Ref: stored.Ref}
	}
	return Part{Text: excerpt.Preview(src, form.whole, form.characters).String(), Ref: stored.Ref}
}

// put stores r under a call's id, and describes it as a text. If the store has not
// returned when ctx ends, put returns without it.
func (r *sessionResults) put(ctx context.Context, id, mimeType string, from io.Reader) (StoredResult, excerpt.Source, error) {
	all, ok := from.(*excerpt.Reader)
	if !ok {
		all = excerpt.NewReader(from)
	}
	var got struct {
		stored StoredResult
		err    error
	}
	put := goroutine.Go(func() { got.stored, got.err = r.resultStore().Put(ctx, id, mimeType, all) })
	var stored StoredResult
	var err error
	select {
	case crash := <-put:
		stored, err = got.stored, cmp.Or(got.err, crash)
	case <-ctx.Done():
		all.Stop()
		err = context.Cause(ctx)
	}
	if err == nil && (stored.Ref == "" || len(stored.Ref)+len(stored.Path) > maxStoredName) {
		err = errors.New("the store has no usable name for it")
	}
	src := all.Source()
	if err != nil {
		return StoredResult{}, src, err
	}
	r.stored.Add(1)
	r.storedBytes.Add(max(0, stored.Size))
	src.Path, src.Stored = strings.Join(strings.FieldsFunc(cmp.Or(stored.Path, stored.Ref), unicode.IsControl), " "), max(0, stored.Size)
	return stored, src, nil
}

// A temporaryStore is made when it is first used, and removed with the main session.
type temporaryStore struct {
	readable *readableDirs

	mu    lock.Mutex
	store ResultStore // nil until it is used
}

func (t *temporaryStore) open() ResultStore {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.store != nil {
		return t.store
	}
	dir, err := spool.OpenTemp("", spool.Options{})
	if err != nil {
		t.store = failingStore{fmt.Errorf("directory for results: %w", err)}
		return t.store
	}
	t.readable.add(dir.Path())
	t.store = &DirStore{dir}
	return t.store
}

func (t *temporaryStore) close(context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if d, ok := t.store.(*DirStore); ok {
		return d.Close()
	}
	return nil
}

// failingStore stands for a store that could not be made.
type failingStore struct{ err error }

func (s failingStore) Put(context.Context, string, string, io.Reader) (StoredResult, error) {
	return StoredResult{}, s.err
}
func (s failingStore) Open(context.Context, string) (io.ReadCloser, error) { return nil, s.err }
