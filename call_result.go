package pegboard

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

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
