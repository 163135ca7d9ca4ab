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
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/excerpt"
	"github.com/seed49eaa51d/pegboard/internal/lane"
	"github.com/seed49eaa51d/pegboard/internal/media"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/spool"
	"github.com/seed49eaa51d/pegboard/internal/trim"
)

// The defaults of [ResultLimits]: characters, and a number of images.
const (
	DefaultMaxResult  = 30_000                 // as the best-known harness documents it
	DefaultMaxFailure = 10_000                 // likewise
	DefaultPreview    = excerpt.DefaultPreview // likewise: about 2 KB
	DefaultMaxMessage = 200_000                // our choice: about 50,000 tokens
	DefaultKeep       = 200_000                // our choice, after the 50,000 tokens of a harness that masks
	DefaultMask       = 120_000                // likewise, its 30,000 tokens
	DefaultMaxImages  = 20                     // our choice: with more, providers take smaller ones only
	MaxExternalResult = 500_000                // the most that an external tool may ask for, as documented
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
	e, err := s.dir.Put(ctx, callID, media.Extension(mimeType), r, 0)
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

// ResultLimits say how much of results a model is shown. The zero value has the
// defaults. All but those of images are in characters of text.
type ResultLimits struct {
	Max     int // of one result, unless its tool's Info says otherwise; 0 means DefaultMaxResult
	Failure int // of one that failed; 0 means DefaultMaxFailure
	Preview int // of one that was stored; 0 means DefaultPreview

	// Message is how much the results that answer one message may have together in
	// [Session.Trim]; 0 means DefaultMaxMessage, a negative number no limit.
	Message int
	// Keep is how much of the newest results Trim leaves alone, besides those of the last
	// message. Older ones are masked as soon as that frees Mask characters at once. 0
	// means DefaultKeep and DefaultMask; a negative Keep masks nothing.
	Keep, Mask int

	// Pinned are tools whose results Trim leaves alone; nil means those that say what the
	// agent is to do: Skill, AskUserQuestion, EnterPlanMode and ExitPlanMode.
	Pinned []string
	// Rereadable are tools whose results Trim need not store, since they come from files
	// that are there anyway; nil means Read and ReadResult.
	Rereadable []string
	// ReadOn ends the notice of a result that was stored: how to read on. Empty names the
	// tools Read and Grep. It is part of what the provider caches.
	ReadOn string

	Images ImageLimits
	// Smaller makes an image smaller that is over the limits. Nil, or an error, means
	// that a text takes its place.
	Smaller func(ctx context.Context, image Part) (Part, error)
}

// ImageLimits are what the images of a result may have. A negative number means no
// limit. The defaults are what the strictest of the providers takes.
type ImageLimits struct {
	Bytes  int // of one, in base64; 0 means 5 MiB
	Edge   int // pixels in width or height; 0 means 8,000
	Pixels int // width times height; 0 means the square of 8,000
	Count  int // of a result; 0 means DefaultMaxImages
}

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
	s.OnClose("stored results", func(context.Context) error { return dir.Close() })
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
	}
	return nil
}

// orDefaults fills in what l leaves to the library.
func (l ResultLimits) orDefaults() ResultLimits {
	l.Max, l.Failure, l.Preview = cmp.Or(l.Max, DefaultMaxResult), cmp.Or(l.Failure, DefaultMaxFailure), cmp.Or(l.Preview, DefaultPreview)
	l.Message, l.Keep, l.Mask = cmp.Or(l.Message, DefaultMaxMessage), cmp.Or(l.Keep, DefaultKeep), cmp.Or(l.Mask, DefaultMask)
	l.ReadOn = cmp.Or(l.ReadOn, "read on there with Read (offset and limit in lines) or Grep")
	l.Images.Count = cmp.Or(l.Images.Count, DefaultMaxImages)
	if l.Pinned == nil {
		l.Pinned = []string{"Skill", "AskUserQuestion", "EnterPlanMode", "ExitPlanMode"}
	}
	if l.Rereadable == nil {
		l.Rereadable = []string{"Read", "ReadResult"}
	}
	return l
}

// maxResult returns how many characters of text a result may have, less than 0 if that
// is not limited.
func (l *ResultLimits) maxResult(i *Info, failed bool) int {
	most := cmp.Or(i.MaxResult, l.Max)
	if i.Origin.External() && (most < 0 || most > MaxExternalResult) {
		most = MaxExternalResult
	}
	if failed && most >= 0 {
		most = min(most, l.Failure)
	}
	return most
}

const storeTime = time.Minute // of the store over one result, also of a call that was cancelled

// fit makes r short enough for the model. What is too long is stored, and shown as a
// preview. What a call made from inside a call brings is that call's, as it is.
func (j *job) fit(ctx context.Context, r *Result) *Result {
	c := j.call
	if j.batch.parent != nil {
		return r
	}
	limits := &c.state.session.cfg.Limits
	most := limits.maxResult(c.state.info, r.IsError)
	tooLong := most >= 0 && exceeds(r.Parts, most)
	if !tooLong && !slices.ContainsFunc(r.Parts, isImage) {
		return r
	}
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	fitted := *r
	if tooLong {
		fitted.Parts = c.shorten(ctx, r.Parts, most, r.IsError)
		if text, ok := r.Data.(string); ok && text == r.Text() { // what is on disk need not be in memory
			fitted.Data = nil
		}
	}
	fitted.Parts = c.fitImages(ctx, fitted.Parts)
	return &fitted
}

// shorten puts a preview in the place of all text.
func (c *Call) shorten(ctx context.Context, parts []Part, most int, failed bool) []Part {
	var texts []string
	var kept []Part
	first := -1
	for _, p := range parts {
		if p.Text == "" {
			kept = append(kept, p)
			continue
		}
		if first < 0 {
			first = len(kept)
		}
		texts = append(texts, p.Text)
		if len(p.Data) > 0 { // what it is the text of stays whole
			p.Text = ""
			kept = append(kept, p)
		}
	}
	text := strings.Join(texts, "\n")
	return slices.Insert(kept, first, c.keep(ctx, strings.NewReader(text), failed, text, most))
}

// Store keeps what r yields in the session's store while it comes, and returns a part
// with a preview of it: for a tool whose result is too long to be held in memory. What
// is short enough for the tool's limit is in the part as it is, and not stored. If the
// rest cannot be stored, the part holds beginning and end, and says so. The error is
// that of r, or of ctx; the part then holds what came until then.
func (c *Call) Store(ctx context.Context, r io.Reader) (Part, error) {
	if c.state == nil {
		return Part{}, errNotAdmitted
	}
	most := c.state.session.cfg.Limits.maxResult(c.state.info, false)
	if most < 0 {
		most = DefaultMaxResult
	}
	begin, err := io.ReadAll(io.LimitReader(r, int64(most)*utf8.UTFMax+1))
	if err == nil && len(begin) <= most*utf8.UTFMax && utf8.RuneCount(begin) <= most {
		return Part{Text: strings.ToValidUTF8(string(begin), string(utf8.RuneError))}, nil
	}
	all := excerpt.NewReader(io.MultiReader(bytes.NewReader(begin), r))
	p := c.keep(ctx, all, false, "", most)
	return p, cmp.Or(err, all.Err())
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

// keep stores what r yields, and returns what is shown of it.
func (c *Call) keep(ctx context.Context, r io.Reader, failed bool, whole string, most int) Part {
	s := c.state.session
	limits := &s.cfg.Limits
	how := showing{whole: whole, characters: min(limits.Preview, most), lost: min(limits.Failure, most)}
	switch {
	case c.readsStored():
		how.instead, how.characters = "ask for less at once", most
	case failed:
		how.ends, how.characters = true, how.lost
	}
	return s.show(ctx, c.ID, r, how)
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
			src.How = "it could not be stored: " + err.Error()
			how.ends, how.characters = true, how.lost
		}
	}
	if src.Name = how.name; how.ends {
		return Part{Text: excerpt.Ends(src, how.characters).String(), Ref: stored.Ref}
	}
	return Part{Text: excerpt.Preview(src, how.whole, how.characters).String(), Ref: stored.Ref}
}

// put stores what r yields under the id of a call, and describes it as a text.
func (s *Session) put(ctx context.Context, id, mimeType string, r io.Reader) (stored Stored, src excerpt.Source, err error) {
	all, ok := r.(*excerpt.Reader)
	if !ok {
		all = excerpt.NewReader(r)
	}
	crash := lane.Try(func() error { stored, err = s.ResultStore().Put(ctx, id, mimeType, all); return nil })
	src = all.Source()
	src.Path, src.Stored = cmp.Or(stored.Path, stored.Ref), stored.Size
	return stored, src, cmp.Or(err, crash)
}

// readsStored reports whether the call reads nothing but what the store holds.
func (c *Call) readsStored() bool {
	d, ok := c.state.session.ResultStore().(interface{ Dir() string })
	inside := func(t Target) bool { return realpath.Contains(d.Dir(), t.Real()) }
	return ok && slices.ContainsFunc(c.state.targets, isPath) &&
		!slices.ContainsFunc(c.state.targets, func(t Target) bool { return isPath(t) && !inside(t) })
}

// A PastResult is the result of a call in the history of a conversation, as a wire
// finds it there.
type PastResult struct {
	CallID string
	Tool   string // its name in the pool; empty if the history does not tell
	Turn   int    // the same for the results that answer one message of the model, and ascending
	Text   string // all text that it holds
	Fixed  bool   // it must stay as it is: it made tools known
}

const masked = 500 // characters that are left of a result that was masked

// Trim decides which results of a conversation go out whole, given all that its
// history holds, in its order. For each it returns the text that takes its place, or
// "". A wire calls it, see Trim there; the history that the host keeps is not changed.
//
// Where the results that answer one message are too long together, the largest are
// replaced by previews before they go out the first time. Old results are masked, many
// at once, since each time costs the provider's cache of the prompt. What was decided
// stands, byte for byte, also in a fork: what went out whole is never replaced but by
// masking, and what was replaced stays so. Given the same history as it grew, the same
// limits and a store that has lost nothing, another process decides the same; otherwise
// it needs [Session.TrimState].
//
// What is replaced is stored under the id of its call, unless it can be read again.
// Results of the tools in ResultLimits.Pinned, those that made tools known, and short
// ones are left alone.
func (s *Session) Trim(ctx context.Context, results []PastResult) []string {
	limits := &s.cfg.Limits
	seen := make([]trim.Result, len(results))
	for i, r := range results {
		seen[i] = trim.Result{ID: r.CallID, Turn: r.Turn, Size: utf8.RuneCountInString(r.Text), Fixed: r.Fixed || slices.Contains(limits.Pinned, r.Tool)}
	}
	s.trimming.Lock()
	defer s.trimming.Unlock()
	texts, least := make([]string, len(results)), limits.Preview+masked // previews are worth no replacing
	for i, d := range s.trimmed.Decide(seen, trim.Limits{Message: limits.Message, Keep: limits.Keep, Batch: limits.Mask, Least: least}) {
		if d.Fate == trim.Whole {
			continue
		}
		if _, ok := s.trimmed.Text(d.Key); !ok {
			s.trimmed.SetText(d.Key, s.standIn(ctx, results[i], d.Fate == trim.Masked))
		}
		texts[i], _ = s.trimmed.Text(d.Key)
	}
	return texts
}

// standIn stores a result and returns the text that takes its place.
func (s *Session) standIn(ctx context.Context, r PastResult, old bool) string {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	how := showing{characters: s.cfg.Limits.Preview, lost: s.cfg.Limits.Preview, whole: r.Text}
	if old {
		how = showing{characters: masked, lost: masked, ends: true, name: "Old result"}
	}
	if slices.Contains(s.cfg.Limits.Rereadable, r.Tool) {
		how.instead = "call " + r.Tool + " again to see it"
	}
	return s.show(ctx, r.CallID, strings.NewReader(r.Text), how).Text
}

// TrimState returns what Trim has decided, as JSON, for SessionConfig.TrimState.
func (s *Session) TrimState() json.RawMessage {
	s.trimming.Lock()
	defer s.trimming.Unlock()
	state, _ := json.Marshal(s.trimmed) // which has no form that fails
	return state
}
