package pegboard

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/excerpt"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lock"
	"github.com/seed49eaa51d/pegboard/internal/resulttrim"
	"github.com/seed49eaa51d/pegboard/internal/spool"
	"github.com/seed49eaa51d/pegboard/policy"
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
	pool      atomic.Pointer[Pool] // the session's last one, which knows the aliases of tools; nil before it
}

// init prepares the zero value for a session. Parent is nil in a main session.
func (r *sessionResults) init(cfg *SessionConfig, parent *sessionResults, at *policy.Place) error {
	r.store, r.limits = cfg.Results, cfg.Limits
	if parent == nil {
		r.temporary = &temporaryStore{place: at}
		if d, ok := r.store.(interface{ Dir() string }); ok {
			at.AddReadable(d.Dir())
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

// lists reports whether a list names a tool. Each may be an alias.
func (r *sessionResults) lists(list []string, tool string) bool {
	p := r.pool.Load()
	return slices.ContainsFunc(list, func(name string) bool {
		return name == tool || p != nil && p.canonicalName(name) == p.canonicalName(tool)
	})
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
	src.Path, src.Stored = strings.Join(strings.FieldsFunc(cmp.Or(stored.Path, stored.Ref), unicode.IsControl), " "), max(0, stored.Size)
	return stored, src, nil
}

// A temporaryStore is made when it is first used, and removed with the main session.
type temporaryStore struct {
	place *policy.Place // to which it is readable

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
	t.place.AddReadable(dir.Path())
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

// A HistoryResult is the result of a call as a wire finds it in the history of a
// conversation. It is for wires: see [Session.TrimResults].
type HistoryResult struct {
	CallID string
	Tool   string // the tool's name in the pool; empty if the history does not tell
	Turn   int    // equal for the results that answer one message of the model, and ascending
	Text   string // all text of the result
	Fixed  bool   // it must stay as it is: it made tools known
}

// A TrimmedResult is a result that [Session.TrimResults] has put into the [ResultStore].
type TrimmedResult struct {
	CallID string
	Tool   string // as in HistoryResult
	Ref    string // for ResultStore.Open; empty if it could not be stored, or the model can call the tool again
	Size   int    // of its text, in bytes
	Masked bool   // it is old; otherwise those of one message were too long together
}

// maskedLength is how many characters of a masked result are shown.
const maskedLength = 500

// A resultTrimmer decides which results of a history are sent whole, and remembers it.
type resultTrimmer struct {
	results *sessionResults // stores the replaced results

	mu    lock.Mutex // guards the fields below
	state *resulttrim.State
	put   []TrimmedResult // by this process
}

// init starts with a copy of the parent's state, if there is a parent, or with the saved
// state.
func (t *resultTrimmer) init(results *sessionResults, saved json.RawMessage, parent *resultTrimmer) error {
	t.results, t.state = results, new(resulttrim.State)
	if parent != nil {
		parent.mu.Lock()
		t.state, t.put = parent.state.Clone(), slices.Clone(parent.put)
		parent.mu.Unlock()
	}
	if len(saved) > 0 {
		if err := json.Unmarshal(saved, t.state); err != nil {
			return fmt.Errorf("TrimState: %w", err)
		}
	}
	return nil
}

// trim returns for each result the text that replaces it, or "" if it is sent whole.
func (t *resultTrimmer) trim(ctx context.Context, results []HistoryResult) []string {
	limits := &t.results.limits
	history := make([]resulttrim.Result, len(results))
	for i, h := range results {
		history[i] = resulttrim.Result{ID: h.CallID, Turn: h.Turn, Size: utf8.RuneCountInString(h.Text), Fixed: h.Fixed || t.results.lists(limits.PinnedTools, h.Tool)}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	texts, shortest := make([]string, len(results)), max(limits.Preview, maskedLength)+1_000 // a preview with its notice may be as long
	for i, d := range t.state.Decide(history, resulttrim.Limits{PerMessage: limits.PerMessage, KeepRecent: limits.KeepRecent, MaskStep: limits.MaskStep, MinSize: shortest}) {
		if d.Form == resulttrim.Whole {
			continue
		}
		text, ok := t.state.Text(d.Key)
		if !ok {
			h, masked := results[i], d.Form == resulttrim.Masked
			put := t.placeholder(ctx, h, masked)
			if text = put.Text; ctx.Err() == nil { // otherwise the text is not sent
				t.state.SetText(d.Key, text)
				text, _ = t.state.Text(d.Key)
				t.put = append(t.put, TrimmedResult{CallID: h.CallID, Tool: h.Tool, Ref: put.Ref, Size: len(h.Text), Masked: masked})
			}
		}
		texts[i] = text
	}
	return texts
}

// trimmed is [Session.Trimmed].
func (t *resultTrimmer) trimmed(callID string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state.Lost(callID)
}

// placeholder stores a result and returns the part that replaces it.
func (t *resultTrimmer) placeholder(ctx context.Context, h HistoryResult, masked bool) Part {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	form := previewForm{characters: t.results.limits.Preview, unstored: t.results.limits.Preview, whole: h.Text}
	if masked {
		form = previewForm{characters: maskedLength, unstored: maskedLength, ends: true, name: "Old result", whole: h.Text}
	}
	if t.results.lists(t.results.limits.RereadTools, h.Tool) {
		form.instead = "call " + h.Tool + " again to see it"
	}
	return t.results.preview(ctx, h.CallID, strings.NewReader(h.Text), form)
}

// putAway is [Session.TrimmedResults].
func (t *resultTrimmer) putAway() []TrimmedResult {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.put)
}

// saved returns the state as JSON.
func (t *resultTrimmer) saved() json.RawMessage {
	t.mu.Lock()
	defer t.mu.Unlock()
	state, _ := json.Marshal(t.state) // a State always has a JSON form
	return state
}
