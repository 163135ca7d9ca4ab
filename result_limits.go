package pegboard

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/excerpt"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/policy"
)

// Store reads r, keeps it in the session's [ResultStore] and returns a part with a
// preview: for a tool whose result is too long to be held in memory. Text that is short
// enough for the tool's limit is returned as it is and not stored. If it cannot be
// stored, the part holds its beginning and end, and says so. The error is that of r or
// of ctx; the part then holds the text that was read before. A Read that blocks is not
// interrupted.
func (c *Call) Store(ctx context.Context, r io.Reader) (Part, error) {
	if c.state == nil {
		return Part{}, errNotAdmitted
	}
	limit := c.state.session.results.limits.maxResult(c.state.info(), false)
	if limit < 0 {
		limit = DefaultPerResult
	}
	r = excerpt.Until(ctx, r)
	begin, err := io.ReadAll(io.LimitReader(r, int64(limit)*utf8.UTFMax+1))
	if len(begin) <= limit*utf8.UTFMax && utf8.RuneCount(begin) <= limit {
		return Part{Text: strings.ToValidUTF8(string(begin), string(utf8.RuneError))}, err
	}
	all := excerpt.NewReader(io.MultiReader(bytes.NewReader(begin), r))
	p := c.preview(ctx, all, false, "", limit)
	return p, cmp.Or(all.Err(), err, context.Cause(ctx))
}

// StoreRaw reads r and keeps it in the session's [ResultStore] under the call's id: for
// a tool that writes its own preview, which should end with [Session.ReadMoreHint]. If
// the call reads nothing but stored results, the error is [ErrAlreadyStored]; the tool
// should then show a part, and advise the model to ask for less at once.
func (c *Call) StoreRaw(ctx context.Context, mimeType string, r io.Reader) (StoredResult, error) {
	if c.state == nil {
		return StoredResult{}, errNotAdmitted
	}
	if c.readsStored() {
		return StoredResult{}, ErrAlreadyStored
	}
	stored, _, err := c.state.session.results.put(ctx, c.ID, mimeType, r)
	return stored, err
}

// preview stores r and returns a preview of at most limit characters. Whole is all of
// r's text, if it is in memory.
func (c *Call) preview(ctx context.Context, r io.Reader, failed bool, whole string, limit int) Part {
	results := &c.state.session.results
	form := previewForm{whole: whole, characters: min(results.limits.Preview, limit), unstored: limit}
	if results.limits.PerError >= 0 {
		form.unstored = min(results.limits.PerError, limit)
	}
	switch {
	case c.readsStored():
		form.instead, form.characters = "ask for less at once", limit
	case failed:
		form.ends, form.characters = true, form.unstored
	}
	return results.preview(ctx, c.ID, r, form)
}

// readsStored reports whether the call reads nothing but files of the result store.
func (c *Call) readsStored() bool {
	d, ok := c.state.session.ResultStore().(interface{ Dir() string })
	inside := func(t policy.Target) bool { return realpath.Contains(d.Dir(), t.Real()) }
	return ok && slices.ContainsFunc(c.state.targets, isPath) &&
		!slices.ContainsFunc(c.state.targets, func(t policy.Target) bool { return isPath(t) && !inside(t) })
}

// fitParts returns parts within the limits.
func (c *Call) fitParts(ctx context.Context, parts []Part, limit int, failed bool) []Part {
	if exceeds(parts, limit) {
		parts = c.shorten(ctx, parts, limit, failed)
	}
	return c.fitImages(ctx, parts)
}

// shorten replaces all text by one preview, except documents and search results, which
// stay whole while they fit.
func (c *Call) shorten(ctx context.Context, parts []Part, limit int, failed bool) []Part {
	var texts []string
	var kept []Part
	first, left := -1, limit-c.state.session.results.limits.Preview
	for _, p := range parts {
		structured := p.Source != "" || p.Title != ""
		if size := utf8.RuneCountInString(p.Text); size == 0 || p.isPreview() || structured && size <= left {
			if kept = append(kept, p); structured {
				left -= size
			}
			continue
		}
		if first < 0 {
			first = len(kept)
		}
		texts = append(texts, p.headed())
		if len(p.Data) > 0 { // the bytes that the text belongs to stay
			p.Text = ""
			kept = append(kept, p)
		}
	}
	if first < 0 {
		return parts
	}
	text := strings.Join(texts, "\n")
	return slices.Insert(kept, first, c.preview(ctx, strings.NewReader(text), failed, text, limit))
}

// fitImages replaces images that no provider accepts by a text. If one were sent, every
// later request of the conversation would be refused.
func (c *Call) fitImages(ctx context.Context, parts []Part) []Part {
	limits := &c.state.session.results.limits
	fitted, images := slices.Clone(parts), 0
	for i, p := range parts {
		if !p.isImage() {
			continue
		}
		if limits.Images.Count >= 0 && images >= limits.Images.Count {
			fitted[i] = c.omitImage(ctx, p, fmt.Sprintf("An image was left out: a result shows %d at most. Ask for fewer at once.", limits.Images.Count))
			continue
		}
		refused := limits.Images.refuse(&fitted[i])
		if refused != "" && limits.Downscale != nil {
			smaller, err := p, error(nil)
			if crash := goroutine.Try(func() error { smaller, err = limits.Downscale(ctx, p); return nil }); err == nil && crash == nil {
				if again := limits.Images.refuse(&smaller); again == "" {
					fitted[i], refused = smaller, ""
				}
			}
		}
		if refused != "" {
			fitted[i] = c.omitImage(ctx, p, refused)
		} else {
			images++
		}
	}
	return fitted
}

// omitImage stores an image, and returns a text that says why it is not shown and where
// it is.
func (c *Call) omitImage(ctx context.Context, p Part, why string) Part {
	stored, _, err := c.state.session.results.put(ctx, c.ID, p.MIME, bytes.NewReader(p.Data))
	if err != nil {
		return Part{Text: "(" + why + ")"}
	}
	return Part{Text: fmt.Sprintf("(%s It is in %s.)", why, cmp.Or(stored.Path, stored.Ref)), Ref: stored.Ref}
}
