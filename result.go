package pegboard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/media"
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
	Line       string // what came of the call, such as "Read 120 lines"; empty means a line made of the text
	Diffs      []Diff // of the files that the call changed
	SearchText string // what a search in the conversation should find the result by; empty means the text

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
	// Result then has the cause of the stop, and below it the text that the tool returned.
	// A panic of the tool is in Err with its stack, see [PanicError]. So is a panic of
	// Result.UpdateSession, unless a [Stream] yielded the outcome before.
	Err error

	// OutputErr says why Result.Data is not what the tool's output schema says: nil, or a
	// *[CallError] that wraps ErrInvalidOutput. The call has succeeded all the same, and its
	// result is as the tool returned it; the executor's Logger is told, without the data. A
	// Post hook may replace the result. Data of the tool's output type needs no check.
	OutputErr error

	// SameAs is the call before it in the message whose outcome this is, too, see
	// [Definition].Equivalent. Then the tool was not called for this one: Result refers to the
	// result of that call and has its Data, and Err has its error. Nil means that the call has
	// an outcome of its own.
	SameAs *Call

	Decision Decision // of the permission; zero if the call did not get there
	Repairs  []string // how the input was repaired before it was decoded
	StopTurn bool     // Result.StopTurn, a hook or a denial ends the turn, a call inside this one has StopTurn, too many calls in a row were denied, or a budget is used up
	Attempts int      // how often the tool was called; 0 if it was not, more than 1 after failures of the transport
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
