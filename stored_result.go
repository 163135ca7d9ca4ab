package pegboard

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/excerpt"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

const maxName = 8 << 10 // bytes of what a store calls a result: it is part of a notice

const storeTime = time.Minute // of the store over one result, also of a call that was cancelled

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
		most = DefaultPerResult
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

// StoreRaw stores what r yields under the id of c, for a tool that words its own preview
// and ends it with [Session.ReadMoreHint]. If c reads nothing but what is stored, the error is
// [ErrAlreadyStored]: then the tool should show what it can, and advise to ask for less.
func (c *Call) StoreRaw(ctx context.Context, mimeType string, r io.Reader) (StoredResult, error) {
	if c.state == nil {
		return StoredResult{}, errNotAdmitted
	}
	if c.readsStored() {
		return StoredResult{}, ErrAlreadyStored
	}
	stored, _, err := c.state.session.put(ctx, c.ID, mimeType, r)
	return stored, err
}

// keep stores what r yields, and returns what is shown of it.
func (c *Call) keep(ctx context.Context, r io.Reader, failed bool, whole string, most int) Part {
	s := c.state.session
	limits := &s.cfg.Limits
	how := showing{whole: whole, characters: min(limits.Preview, most), lost: most}
	if limits.PerError >= 0 {
		how.lost = min(limits.PerError, most)
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

// ReadMoreHint returns how a model is told to read on in what was stored, see [ResultLimits].
func (s *Session) ReadMoreHint() string { return s.cfg.Limits.ReadMoreHint }

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
	var stored StoredResult
	var src excerpt.Source
	if how.instead != "" {
		src = excerpt.NewReader(r).Source()
		src.Hint = how.instead
	} else {
		var err error
		stored, src, err = s.put(ctx, id, "text/plain", r)
		if src.Hint = s.cfg.Limits.ReadMoreHint; err != nil {
			if how.whole != "" { // of which the store may not have read all
				src = excerpt.NewReader(strings.NewReader(how.whole)).Source()
			}
			src.Hint = "it could not be stored: " + err.Error()
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
func (s *Session) put(ctx context.Context, id, mimeType string, r io.Reader) (StoredResult, excerpt.Source, error) {
	all, ok := r.(*excerpt.Reader)
	if !ok {
		all = excerpt.NewReader(r)
	}
	var got struct {
		stored StoredResult
		err    error
	}
	put := goroutine.Go(func() { got.stored, got.err = s.ResultStore().Put(ctx, id, mimeType, all) })
	var stored StoredResult
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
		return StoredResult{}, src, err
	}
	src.Path, src.Stored = strings.Join(strings.FieldsFunc(cmp.Or(stored.Path, stored.Ref), unicode.IsControl), " "), max(0, stored.Size)
	return stored, src, nil
}
