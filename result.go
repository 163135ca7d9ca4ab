package pegboard

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/excerpt"
	"github.com/seed49eaa51d/pegboard/internal/media"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A Result is the return value of a call.
type Result struct {
	Parts    []Part // for the model
	IsError  bool   // the parts describe a failure
	StopTurn bool   // the model should not be called again before the user has sent a message
	Data     any    // the typed output, for the host

	// Value is what code gets that made the call with [Call.Run], if that is not Data: see
	// [Outcome.Value]. A *CodeError makes the call a failure for the code.
	Value any

	// For a user interface, see Outcome.View:
	Line       string // the outcome in a line, such as "Read 120 lines"; empty means a line made of the text
	Diffs      []Diff // of the files that the call changed
	SearchText string // words by which a search in the conversation finds the result; empty means the text

	Messages      []Part         // for the conversation, after the results of the batch; a wire.Codec writes them
	UpdateSession func(*Session) // changes the session when all calls that ran beside this one have ended

	// Shown is called when all calls of the message have ended, if the model is to be sent
	// the result: not that of a call that failed, that another call made, or whose reply was
	// abandoned. Outcome has the result as it is sent, in which hooks and limits may have
	// changed the parts. What a tool records by Shown is true until [Session.Trimmed].
	Shown func(*Session, Outcome)
}

// A Part is one piece of a result: a text, bytes of a media type, or the name of a tool.
// A wire renders a part as text if its provider has no form for it.
type Part struct {
	Text string
	MIME string // set for bytes, such as "image/png"
	Data []byte

	Title  string // of a document (bytes, or Text with a MIME) or a search result
	Source string // set for a search result with the text Text: where it was found
	Tool   string // set for a reference to a tool that was found and may be called from now on
	Ref    string // set for a preview, Text, of a result that a [ResultStore] keeps under this name
}

// TextResult returns a result of one text.
func TextResult(s string) *Result { return newTextResult(s, nil) }

// newTextResult makes a result and its only part in one allocation.
func newTextResult(s string, data any) *Result {
	r := &struct {
		Result
		parts [1]Part
	}{Result: Result{Data: data}, parts: [1]Part{{Text: s}}}
	r.Parts = r.parts[:]
	return &r.Result
}

// Text returns the result's text parts, joined by newlines.
func (r *Result) Text() string {
	if len(r.Parts) == 1 && r.Parts[0].MIME == "" {
		return r.Parts[0].Text
	}
	var texts []string
	for _, p := range r.Parts {
		if p.MIME == "" && p.Tool == "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// empty reports whether the result shows the model nothing.
func (r *Result) empty() bool {
	return !slices.ContainsFunc(r.Parts, func(p Part) bool { return p.isVisible() })
}

// maxPreview is how many bytes of text a preview may have. A longer part does not count
// as a preview, whatever its Ref.
const maxPreview = 16 << 10

// isVisible reports whether the part shows the model something.
func (p *Part) isVisible() bool {
	return p.MIME != "" || p.Tool != "" || strings.TrimSpace(p.Text) != ""
}

func (p Part) equal(o Part) bool {
	return p.Text == o.Text && p.MIME == o.MIME && bytes.Equal(p.Data, o.Data) && p.Title == o.Title && p.Source == o.Source && p.Tool == o.Tool && p.Ref == o.Ref
}

// visibleParts returns a list of its own of the parts that show the model something.
func visibleParts(parts []Part) (visible []Part) {
	for _, p := range parts {
		if p.isVisible() {
			visible = append(visible, p)
		}
	}
	return visible
}

func (p *Part) isPreview() bool { return p.Ref != "" && len(p.Text) <= maxPreview }

func (p *Part) isImage() bool { return len(p.Data) > 0 && media.IsImage(p.MIME) }

func hasImage(parts []Part) bool {
	for i := range parts {
		if parts[i].isImage() {
			return true
		}
	}
	return false
}

// headed returns the text of a part with its title and source.
func (p *Part) headed() string {
	head := ""
	if p.Title != "" {
		head = "Title: " + p.Title + "\n"
	}
	if p.Source != "" {
		head += "Source: " + p.Source + "\n"
	}
	return head + p.Text
}

// resultOf is the default mapping of a typed output to a result.
func resultOf(out any) (*Result, error) {
	switch v := out.(type) {
	case nil:
		return &Result{}, nil
	case *Result:
		if v == nil {
			return &Result{}, nil
		}
		return v, nil
	case string:
		return newTextResult(v, out), nil
	}
	b, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("encode the output: %w", err)
	}
	return newTextResult(string(b), out), nil
}

// withData returns r with the typed output as its data, if it has no other. It does not
// change r, which a tool may return again.
func withData(r *Result, out any) *Result {
	if _, isResult := out.(*Result); r == nil || r.Data != nil || out == nil || isResult {
		return r
	}
	copied := *r
	copied.Data = out
	return &copied
}

// An Outcome is a finished call. There is exactly one for each call.
type Outcome struct {
	Call   *Call
	Result *Result // never nil

	// Err says why the call failed: nil, or a *[CallError]. It is nil, too, if the tool
	// ran and reported a failure by Result.IsError. If the call was stopped while its tool
	// ran, Err wraps ErrCancelled, or ErrTimeout, and the cause, whatever the tool returned;
	// Result then has the cause of the stop, and below it the parts that the tool returned,
	// but not its Messages, StopTurn, UpdateSession and Shown.
	// A panic of the tool is in Err with its stack, see [PanicError]. So is a panic of
	// Result.UpdateSession, unless a [Stream] yielded the outcome before.
	Err error

	// OutputErr says why Result.Data does not match the tool's output schema: nil, or a
	// *[CallError] that wraps ErrInvalidOutput. The call has succeeded all the same, and its
	// result is as the tool returned it; the executor's Logger is told, without the data. A
	// Post hook may replace the result. Data of the tool's output type needs no check.
	OutputErr error

	// SameAs is the call before it in the message whose outcome this is, too, see
	// [Definition].Equivalent. Then the tool was not called for this one: Result refers to the
	// result of that call and has its Data, and Err has its error. Nil means that the call has
	// an outcome of its own.
	SameAs *Call

	Decision policy.Decision // of the permission; zero if the call did not get there
	Repairs  []string        // how the input was repaired before it was decoded
	StopTurn bool            // Result.StopTurn, a hook or a denial ends the turn, a call inside this one has StopTurn, too many calls in a row were denied, or a budget is used up
	Attempts int             // how often the tool was called; 0 if it was not, more than 1 after failures of the transport
	// Elapsed is the time from the admission of the call to its end. In Post and PostFailure,
	// which run before the end, it is how long the tool took, without the question whether it
	// may run, its place in line and the pauses between attempts.
	Elapsed time.Duration

	suspended *suspendedCall // set if Err wraps ErrSuspended
}

// stopTurn makes o end the turn, and tells the model why.
func (o *Outcome) stopTurn(why string) {
	r := *o.Result
	r.Parts = append(slices.Clip(r.Parts), Part{Text: why})
	o.Result, o.StopTurn = &r, true
}

// MaxInMemory is the number of bytes that a tool returns in memory to code that calls it:
// of one text, or of one value as JSON. Our choice: most files are shorter.
const MaxInMemory = 4 << 20

// A FileValue is a part of an [Outcome.Value] that is in a file: because it is longer than
// [MaxInMemory], or because it is not text. It may be the whole value, or stand in a
// map[string]any or []any. Code reads the file itself.
type FileValue struct {
	Path string `json:"path"` // absolute
	Size int64  `json:"size"` // in bytes
	// MIME is the media type: "text/plain; charset=utf-8" for UTF-8, "application/json" for
	// a value that was too long. Empty means bytes of an unknown type.
	MIME string `json:"mime,omitempty"`
}

// The defaults of [ResultLimits]: characters, and a number of images.
const (
	DefaultPerResult  = 30_000                 // as Claude Code documents it for the output of Bash
	defaultPerError   = 10_000                 // as in Claude Code
	defaultPreview    = excerpt.DefaultPreview // as in Claude Code: about 2 KB
	defaultPerMessage = 200_000                // our choice: about 50,000 tokens
	defaultKeepRecent = 200_000                // our choice, after the 50,000 tokens of a harness that masks
	defaultMaskStep   = 120_000                // our choice, after the 30,000 tokens of the same harness
	defaultMaxImages  = 20                     // our choice: with more images, providers accept smaller ones only
	MaxExternalResult = 500_000                // the maximum for an external tool, as Claude Code documents it
)

// ResultLimits say how much of results the model is shown. The zero value has the
// defaults. All limits but those of images are characters of text.
type ResultLimits struct {
	PerResult int // of one result, unless its tool's Info says otherwise; 0 means DefaultPerResult
	PerError  int // of one failed result; 0 means 10,000 as in Claude Code, a negative number as PerResult
	Preview   int // of the preview of a stored result; 0 means 2,000, likewise

	// PerMessage limits the results that answer one message of the model together, in
	// [Session.TrimResults]; 0 means 200,000, a negative number no limit.
	PerMessage int
	// KeepRecent is how much of the newest results TrimResults does not mask, besides
	// those of the last message; 0 means 200,000, a negative number masks
	// nothing.
	KeepRecent int
	// MaskStep is how much older results must have together before they are masked, all
	// at once; 0 means 120,000.
	MaskStep int

	// PinnedTools are tools, by name or alias, whose results TrimResults does not replace;
	// nil means those that instruct the model: Skill, AskUserQuestion, EnterPlanMode and
	// ExitPlanMode.
	PinnedTools []string
	// RereadTools are tools, by name or alias, whose results TrimResults need not store,
	// since the model can read the same file again; nil means Read and ReadResult.
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
	Count  int // images in a result; 0 means 20
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
	l.PerResult, l.PerError, l.Preview = cmp.Or(l.PerResult, DefaultPerResult), cmp.Or(l.PerError, defaultPerError), cmp.Or(l.Preview, defaultPreview)
	l.PerMessage, l.KeepRecent, l.MaskStep = cmp.Or(l.PerMessage, defaultPerMessage), cmp.Or(l.KeepRecent, defaultKeepRecent), cmp.Or(l.MaskStep, defaultMaskStep)
	l.ReadMoreHint = cmp.Or(l.ReadMoreHint, "read on there with Read (offset and limit in lines) or Grep")
	l.Images.Count = cmp.Or(l.Images.Count, defaultMaxImages)
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

// An ExternalResult is the outcome of a call that the host has executed. It takes the place of
// a result of the tool's Call. Either Output or Result is set, or only Err.
type ExternalResult struct {
	// Output is the output as encoding/json writes values of the tool's output type. It is
	// held against the output schema and read strictly: other properties, a missing value and
	// duplicate keys are errors. The Definition's Result maps it for the model. Of a tool with
	// the output type *Result, such as those of [BuildRaw], it is the text for the model, and
	// Result.Data as a json.RawMessage; without an output schema any JSON is accepted.
	Output json.RawMessage
	// Result is the result for the model as it is. It must not be changed afterwards.
	Result *Result
	// Err says why the call failed, in words for the model. An Output or Result beside it is
	// a partial one. With [ErrDeferred] the call is answered later, by [Executor.SubmitResult],
	// perhaps of another process.
	Err error
}

// A submitted is an ExternalResult that was checked.
type submitted struct {
	mapped func() (*Result, error)
	err    error
}

// check checks s with the tool's decodeOutput. The errors are for the host.
func (s ExternalResult) check(decode func(json.RawMessage) (func() (*Result, error), error)) (submitted, error) {
	switch {
	case s.Output == nil && s.Result == nil && s.Err == nil:
		return submitted{}, fmt.Errorf("%w: nothing is supplied; set Output, Result or Err", ErrInvalidOutput)
	case s.Output != nil && s.Result != nil:
		return submitted{}, fmt.Errorf("%w: both Output and Result are set; use one of them", ErrInvalidOutput)
	case s.Output == nil:
		return submitted{func() (*Result, error) { return s.Result, nil }, s.Err}, nil
	}
	mapped, err := decode(s.Output)
	if err != nil {
		return submitted{}, fmt.Errorf("%w: %w", ErrInvalidOutput, err)
	}
	return submitted{mapped, s.Err}, nil
}

// outcome returns a result and an error as from the tool's Call.
func (s submitted) outcome() (*Result, error) {
	r, err := s.mapped()
	if s.err != nil {
		err = s.err
	}
	return r, err
}

// decodeStrictly decodes output, which is v when decoded without a type, into out.
func decodeStrictly(v any, output json.RawMessage, out any) error {
	if v == nil {
		switch t := reflect.TypeOf(out).Elem(); t.Kind() {
		case reflect.Pointer, reflect.Interface, reflect.Map, reflect.Slice:
		default:
			return fmt.Errorf("null is no %v", t)
		}
	}
	d := json.NewDecoder(strings.NewReader(string(output)))
	d.DisallowUnknownFields()
	var te *json.UnmarshalTypeError
	err := d.Decode(out)
	if errors.As(err, &te) && te.Field != "" {
		return fmt.Errorf("%s: %s is no %v", te.Field, te.Value, te.Type)
	}
	return err
}
