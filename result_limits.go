package pegboard

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/excerpt"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/media"
)

// fit makes r short enough for the model. What is too long is stored, and shown as a
// preview. What a call made from inside a call brings is that call's, as it is.
func (j *job) fit(ctx context.Context, r *Result) *Result {
	c, info := j.call, j.call.state.info
	if j.batch.parent != nil {
		return r
	}
	if info == nil { // the tool was not found
		info = &Info{}
	}
	most := c.state.session.cfg.Limits.maxResult(info, r.IsError)
	if !exceeds(r.Parts, most) && !exceeds(r.Messages, most) && !hasImage(r.Parts) && !hasImage(r.Messages) {
		return r
	}
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	fitted := *r
	fitted.Parts, fitted.Messages = c.fitted(ctx, r.Parts, most, r.IsError), c.fitted(ctx, r.Messages, most, false)
	stored := slices.ContainsFunc(fitted.Parts, func(p Part) bool { return p.Ref != "" })
	if text, ok := r.Data.(string); ok && stored && text == r.Text() { // what is on disk need not be in memory
		fitted.Data = nil
	}
	return &fitted
}

func (c *Call) fitted(ctx context.Context, parts []Part, most int, failed bool) []Part {
	if exceeds(parts, most) {
		parts = c.shorten(ctx, parts, most, failed)
	}
	return c.fitImages(ctx, parts)
}

// shorten puts a preview in the place of all text but that of documents and search
// results, which stay whole as long as there is room.
func (c *Call) shorten(ctx context.Context, parts []Part, most int, failed bool) []Part {
	var texts []string
	var kept []Part
	first, room := -1, most-c.state.session.cfg.Limits.Preview
	for _, p := range parts {
		structured := p.Source != "" || p.Title != ""
		if size := utf8.RuneCountInString(p.Text); size == 0 || p.isPreview() || structured && size <= room {
			if kept = append(kept, p); structured {
				room -= size
			}
			continue
		}
		if first < 0 {
			first = len(kept)
		}
		texts = append(texts, p.headed())
		if len(p.Data) > 0 { // what it is the text of stays whole
			p.Text = ""
			kept = append(kept, p)
		}
	}
	if first < 0 {
		return parts
	}
	text := strings.Join(texts, "\n")
	return slices.Insert(kept, first, c.keep(ctx, strings.NewReader(text), failed, text, most))
}

// fitImages puts a text in the place of images that no provider would take. Once one
// is in a conversation, every further request with it would be refused.
func (c *Call) fitImages(ctx context.Context, parts []Part) []Part {
	limits := &c.state.session.cfg.Limits
	fitted, images := slices.Clone(parts), 0
	for i, p := range parts {
		if !p.isImage() {
			continue
		}
		if limits.Images.Count >= 0 && images >= limits.Images.Count {
			fitted[i] = c.leaveOut(ctx, p, fmt.Sprintf("An image was left out: a result shows %d at most. Ask for fewer at once.", limits.Images.Count))
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
			fitted[i] = c.leaveOut(ctx, p, refused)
		} else {
			images++
		}
	}
	return fitted
}

// leaveOut stores an image and says why it is not shown, and where it is.
func (c *Call) leaveOut(ctx context.Context, p Part, why string) Part {
	stored, _, err := c.state.session.put(ctx, c.ID, p.MIME, bytes.NewReader(p.Data))
	if err != nil {
		return Part{Text: "(" + why + ")"}
	}
	return Part{Text: fmt.Sprintf("(%s It is in %s.)", why, cmp.Or(stored.Path, stored.Ref)), Ref: stored.Ref}
}

// The defaults of [ResultLimits]: characters, and a number of images.
const (
	DefaultPerResult  = 30_000                 // as the best-known harness documents it
	DefaultPerError   = 10_000                 // likewise
	DefaultPreview    = excerpt.DefaultPreview // likewise: about 2 KB
	DefaultPerMessage = 200_000                // our choice: about 50,000 tokens
	DefaultKeepRecent = 200_000                // our choice, after the 50,000 tokens of a harness that masks
	DefaultMaskStep   = 120_000                // likewise, its 30,000 tokens
	DefaultMaxImages  = 20                     // our choice: with more, providers take smaller ones only
	MaxExternalResult = 500_000                // the most that an external tool may ask for, as documented
)

// ResultLimits say how much of results a model is shown. The zero value has the
// defaults. All but those of images are in characters of text.
type ResultLimits struct {
	PerResult int // of one result, unless its tool's Info says otherwise; 0 means DefaultMaxResult
	PerError  int // of one that failed; 0 means DefaultMaxFailure
	Preview   int // of one that was stored; 0 means DefaultPreview

	// PerMessage is how much the results that answer one message may have together in
	// [Session.TrimResults]; 0 means DefaultMaxMessage, a negative number no limit.
	PerMessage int
	// KeepRecent is how much of the newest results Trim leaves alone, besides those of the last
	// message. Older ones are masked as soon as that frees Mask characters at once. 0
	// means DefaultKeep and DefaultMask; a negative Keep masks nothing.
	KeepRecent, MaskStep int

	// PinnedTools are tools whose results Trim leaves alone; nil means those that say what the
	// agent is to do: Skill, AskUserQuestion, EnterPlanMode and ExitPlanMode.
	PinnedTools []string
	// RereadTools are tools whose results Trim need not store, since they come from files
	// that are there anyway; nil means Read and ReadResult.
	RereadTools []string
	// ReadMoreHint ends the notice of a result that was stored: how to read on. Empty names the
	// tools Read and Grep. It is part of what the provider caches.
	ReadMoreHint string

	Images ImageLimits
	// Downscale makes an image smaller that is over the limits. Nil, or an error, means
	// that a text takes its place.
	Downscale func(ctx context.Context, image Part) (Part, error)
}

// ImageLimits are what the images of a result may have. A negative number means no
// limit. The defaults are what the strictest of the providers takes.
type ImageLimits struct {
	Bytes  int // of one, in base64; 0 means 5 MiB
	Edge   int // pixels in width or height; 0 means 2,000, the limit in a request with many images
	Pixels int // width times height; 0 means the square of 8,000
	Count  int // of a result; 0 means DefaultMaxImages
}

// refuse says why an image cannot be shown, or "". An image whose type is told wrong
// gets the right one.
func (l ImageLimits) refuse(p *Part) string {
	limits := media.Limits{Encoded: int64(l.Bytes), Edge: int64(cmp.Or(l.Edge, media.AnthropicManyEdge)), Pixels: int64(l.Pixels)}
	r := media.Check(p.Data, p.MIME, limits)
	if r != nil && r.Reason == media.WrongType {
		p.MIME = r.Image.Type
		r = media.Check(p.Data, p.MIME, limits)
	}
	if r == nil {
		return ""
	}
	return r.Text
}

// orDefaults fills in what l leaves to the library.
func (l ResultLimits) orDefaults() ResultLimits {
	l.PerResult, l.PerError, l.Preview = cmp.Or(l.PerResult, DefaultPerResult), cmp.Or(l.PerError, DefaultPerError), cmp.Or(l.Preview, DefaultPreview)
	l.PerMessage, l.KeepRecent, l.MaskStep = cmp.Or(l.PerMessage, DefaultPerMessage), cmp.Or(l.KeepRecent, DefaultKeepRecent), cmp.Or(l.MaskStep, DefaultMaskStep)
	l.ReadMoreHint = cmp.Or(l.ReadMoreHint, "read on there with Read (offset and limit in lines) or Grep")
	l.Images.Count = cmp.Or(l.Images.Count, DefaultMaxImages)
	if l.PinnedTools == nil {
		l.PinnedTools = []string{"Skill", "AskUserQuestion", "EnterPlanMode", "ExitPlanMode"}
	}
	if l.RereadTools == nil {
		l.RereadTools = []string{"Read", "ReadResult"}
	}
	return l
}

// maxResult returns how many characters of text a result may have, less than 0 if that
// is not limited.
func (l *ResultLimits) maxResult(i *Info, failed bool) int {
	most := cmp.Or(i.MaxResult, l.PerResult)
	if i.Origin.External() && (most < 0 || most > MaxExternalResult) {
		most = MaxExternalResult
	}
	switch {
	case failed && most < 0: // which limits its results, not what it says of its failures
		most = 2 * DefaultPerResult
	case failed && l.PerError >= 0:
		most = min(most, l.PerError)
	}
	return most
}

// exceeds reports whether parts have more than so many characters of text, which is not
// limited if there are less than none. Previews do not count.
func exceeds(parts []Part, most int) bool {
	bytes, characters := 0, 0
	for i := range parts {
		bytes += len(parts[i].Text)
	}
	if most < 0 || bytes <= most { // mostly
		return false
	}
	for i := range parts {
		if p := &parts[i]; !p.isPreview() {
			characters += utf8.RuneCountInString(p.Text)
		}
	}
	return characters > most
}

// maxPreview is how many bytes of text a preview may have; what has more is none.
const maxPreview = 16 << 10

func hasImage(parts []Part) bool {
	for i := range parts {
		if parts[i].isImage() {
			return true
		}
	}
	return false
}
