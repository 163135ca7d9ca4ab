package pegboard

import (
	"cmp"
	"context"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/excerpt"
	"github.com/seed49eaa51d/pegboard/internal/media"
)

// The defaults of [ResultLimits]: characters, and a number of images.
const (
	DefaultPerResult  = 30_000                 // as Claude Code documents it for the output of Bash
	DefaultPerError   = 10_000                 // as in Claude Code
	DefaultPreview    = excerpt.DefaultPreview // as in Claude Code: about 2 KB
	DefaultPerMessage = 200_000                // our choice: about 50,000 tokens
	DefaultKeepRecent = 200_000                // our choice, after the 50,000 tokens of a harness that masks
	DefaultMaskStep   = 120_000                // our choice, after the 30,000 tokens of the same harness
	DefaultMaxImages  = 20                     // our choice: with more images, providers accept smaller ones only
	MaxExternalResult = 500_000                // the maximum for an external tool, as Claude Code documents it
)

// ResultLimits say how much of results the model is shown. The zero value has the
// defaults. All limits but those of images are characters of text.
type ResultLimits struct {
	PerResult int // of one result, unless its tool's Info says otherwise; 0 means DefaultPerResult
	PerError  int // of one failed result; 0 means DefaultPerError, a negative number as PerResult
	Preview   int // of the preview of a stored result; 0 means DefaultPreview

	// PerMessage limits the results that answer one message of the model together, in
	// [Session.TrimResults]; 0 means DefaultPerMessage, a negative number no limit.
	PerMessage int
	// KeepRecent is how much of the newest results TrimResults does not mask, besides
	// those of the last message; 0 means DefaultKeepRecent, a negative number masks
	// nothing.
	KeepRecent int
	// MaskStep is how much older results must have together before they are masked, all
	// at once; 0 means DefaultMaskStep.
	MaskStep int

	// PinnedTools are tools whose results TrimResults does not replace; nil means those
	// that instruct the model: Skill, AskUserQuestion, EnterPlanMode and ExitPlanMode.
	PinnedTools []string
	// RereadTools are tools whose results TrimResults need not store, since the model
	// can read the same file again; nil means Read and ReadResult.
	RereadTools []string
	// ReadMoreHint ends the notice of a stored result and says how to read more of it.
	// Empty names the tools Read and Grep. It is part of the provider's prompt cache.
	ReadMoreHint string

	Images ImageLimits
	// Downscale makes an image smaller that exceeds the limits. If it is nil or returns
	// an error, a text replaces the image.
	Downscale func(ctx context.Context, image Part) (Part, error)
}

// ImageLimits are the limits of images in a result. A negative number means no limit.
// The defaults are those of the strictest provider.
type ImageLimits struct {
	Bytes  int // of one image, in base64; 0 means 5 MiB
	Edge   int // pixels in width or height; 0 means 2,000, the limit in a request with many images
	Pixels int // width times height; 0 means the square of 8,000
	Count  int // images in a result; 0 means DefaultMaxImages
}

// refuse returns why an image cannot be shown, or "". It corrects a wrong MIME type.
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

// orDefaults returns l with the defaults filled in.
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

// maxResult returns how many characters of text a result may have; a negative number
// means no limit.
func (l *ResultLimits) maxResult(i *Info, failed bool) int {
	limit := cmp.Or(i.MaxResult, l.PerResult)
	if i.Origin.External() && (limit < 0 || limit > MaxExternalResult) {
		limit = MaxExternalResult
	}
	switch {
	case failed && limit < 0: // the tool limits its results itself, but not its errors
		limit = 2 * DefaultPerResult
	case failed && l.PerError >= 0:
		limit = min(limit, l.PerError)
	}
	return limit
}

// exceeds reports whether parts have more than limit characters of text, not counting
// previews. A negative limit means no limit.
func exceeds(parts []Part, limit int) bool {
	bytes, characters := 0, 0
	for i := range parts {
		bytes += len(parts[i].Text)
	}
	if limit < 0 || bytes <= limit { // the common case: no need to count characters
		return false
	}
	for i := range parts {
		if p := &parts[i]; !p.isPreview() {
			characters += utf8.RuneCountInString(p.Text)
		}
	}
	return characters > limit
}
