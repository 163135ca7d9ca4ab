package pegboard

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/policy"
)

// View describes a call that has ended, for a user interface. Its After is
// Result.Line, or why the call failed, or a line derived from the result.
func (o *Outcome) View() View {
	c, r := o.Call, o.Result
	if c == nil { // not made by an executor
		c = &Call{}
	}
	if r == nil {
		r = &Result{}
	}
	v := c.View()
	v.Failed, v.Diffs, v.SearchText = r.IsError || o.Err != nil, r.Diffs, cmp.Or(r.SearchText, r.Text())
	if o.Err != nil {
		v.After = OneLine(o.failureLine())
		return v
	}
	switch v.After = OneLine(r.Line); {
	case v.After != "":
	case r.IsError:
		v.After = OneLine("Failed: " + r.Text())
	default:
		v.After = OneLine(r.summary())
	}
	return v
}

const deniedLine = "Denied"

// failureLines word errors for a person. The first that is wrapped counts.
var failureLines = []struct {
	err  error
	line string
	why  bool // the cause follows
}{
	{ErrDetached, "Goes on in the background", false},
	{ErrSuspended, "Waits for an answer", false},
	{ErrOutcomeUnknown, "Started, and its outcome is not known", false},
	{ErrDeferred, "Will be answered later", false},
	{ErrPanic, "Failed inside, which is a fault of the program", false},
	{ErrUnknownTool, "There is no such tool", false},
	{ErrDuplicate, "Not run: another call has the same id", false},
	{ErrInvalidInput, "Wrong input", true},
	{ErrDenied, deniedLine, true},
	{ErrBudget, "Budget used up", true},
	{ErrDeadlock, "Not run: it would wait for itself", false},
	{ErrTimeout, "Took too long", false},
	{ErrSiblingFailed, "Stopped: a call beside it failed", false},
	{ErrNewMessage, "Stopped: a new message came", false},
	{ErrClosed, "Stopped: the session is closing", false},
	{ErrUserInterrupt, "Stopped by the user", false},
	{context.DeadlineExceeded, "Stopped: the time for this turn is over", false},
	{context.Canceled, "Stopped by the user", false}, // a cancellation without a cause counts as the user's
	{ErrCancelled, "Stopped", true},
}

// failureLine says for a person why a call failed.
func (o *Outcome) failureLine() string {
	why := o.Err
	if failed := (*CallError)(nil); errors.As(o.Err, &failed) {
		why = failed.Err
	}
	for _, f := range failureLines {
		if !errors.Is(o.Err, f.err) {
			continue
		}
		cause := strings.TrimPrefix(strings.TrimPrefix(why.Error(), f.err.Error()), ": ")
		if f.line == deniedLine && o.Decision.Behavior == policy.Deny {
			cause = cmp.Or(o.Decision.Reason, cause)
		}
		if !f.why || cause == "" {
			return f.line
		}
		return f.line + ": " + cause
	}
	return "Failed: " + why.Error()
}

// summary returns the first line of the result and how many follow, or what else there is.
func (r *Result) summary() string {
	text := strings.TrimSpace(r.Text())
	if text == "" {
		switch n := len(r.Parts); n {
		case 0:
			return "Done"
		case 1:
			return "1 part that is no text"
		default:
			return fmt.Sprintf("%d parts that are no text", n)
		}
	}
	first, rest, _ := strings.Cut(text, "\n")
	if rest == "" {
		return first
	}
	const room = 40 // for the number
	first = oneLine(first, MaxLine-room)
	if n := strings.Count(rest, "\n") + 1; n > 1 {
		return fmt.Sprintf("%s (and %d more lines)", first, n)
	}
	return first + " (and 1 more line)"
}

// Value returns what code gets that made the call with [Call.Run], such as a script: data,
// and no text that is worded for the model. It is [Result].Value. A result without that
// has its Data as the value, which encoding/json can encode and the tool's output schema
// describes; and one without Data the text of its parts, or if there are other parts than
// text, a list of them in the form of MCP. Parts of the value may be a [FileValue].
//
// If the call failed, the error is a *[CodeError]. A result that has both IsError and a
// Value is no failure for code, such as that of a command whose exit code is 1.
func (o *Outcome) Value() (any, error) {
	r := o.Result
	failure, failed := r.Value.(*CodeError)
	switch {
	case failed && o.Err == nil:
		e := *failure
		e.Tool = o.Call.ToolName()
		if e.Data == nil {
			e.Data = r.Data
		}
		return nil, &e
	case o.Err != nil || r.IsError && r.Value == nil:
		return nil, &CodeError{Tool: o.Call.ToolName(), Kind: codeKindOf(o.Err), Text: r.Text(), Data: r.Data, Err: o.Err}
	case r.Value != nil:
		return r.Value, nil
	case r.Data != nil:
		return r.Data, nil
	}
	return valueOfParts(r.Parts), nil
}

// valueOfParts returns parts as code gets them.
func valueOfParts(parts []Part) any {
	if !slices.ContainsFunc(parts, func(p Part) bool { return p.MIME != "" || p.Tool != "" }) {
		r := Result{Parts: parts}
		return r.Text()
	}
	blocks := []any{}
	for _, p := range parts {
		switch {
		case p.Tool != "":
			blocks = append(blocks, map[string]any{"type": "tool_reference", "tool_name": p.Tool})
		case len(p.Data) > 0:
			kind := "resource"
			if p.isImage() {
				kind = "image"
			}
			blocks = append(blocks, map[string]any{"type": kind, "mimeType": p.MIME, "data": base64.StdEncoding.EncodeToString(p.Data)})
		default:
			blocks = append(blocks, map[string]any{"type": "text", "text": p.Text})
		}
	}
	return blocks
}

// withValueAfterHook returns r, which a hook may have changed; before is a copy of the
// result that the hook got. What the hook has taken out of the parts must not reach code by
// another way, so parts that were changed are the value.
func (r *Result) withValueAfterHook(before *Result) *Result {
	same := slices.EqualFunc(before.Parts, r.Parts, func(a, b Part) bool {
		return a.Text == b.Text && a.MIME == b.MIME && a.Tool == b.Tool && slices.Equal(a.Data, b.Data)
	})
	_, failed := r.Value.(*CodeError)
	fails := failed || r.IsError && (r.Value == nil || !before.IsError)
	if same && (!fails || failed || r.Value == nil) {
		return r
	}
	changed := *r
	switch {
	case fails:
		changed.Value, changed.Data, changed.IsError = nil, nil, true
	default:
		changed.Value = valueOfParts(r.Parts)
	}
	return &changed
}

// The kinds of a [CodeError].
const (
	KindInvalidInput = "invalid_input" // the input does not fit; another one may
	KindUnknownTool  = "unknown_tool"  // there is no such tool
	KindDenied       = "denied"        // a rule or a person refused the call
	KindCancelled    = "cancelled"     // the call was stopped
	KindTimeout      = "timeout"       // it took too long
	KindBudget       = "budget"        // a budget is used up
	KindCrashed      = "crashed"       // the tool has a defect
	KindFailed       = "failed"        // the tool failed, or could not return all
)

// A CodeError says to code why a call has no value. Its text is that for the model.
type CodeError struct {
	Tool string
	Kind string // one of the constants above, such as KindDenied
	Text string
	Data any   // of the result, such as its finished part; may be nil
	Err  error // [Outcome].Err, or nil
}

// Error returns the text for the model.
func (e *CodeError) Error() string { return e.Text }

// Unwrap returns e.Err.
func (e *CodeError) Unwrap() error { return e.Err }

// codeKindOf returns the kind of a failure with the error err, which may be nil.
func codeKindOf(err error) string {
	for _, k := range []struct {
		kind string
		is   bool
	}{
		{KindBudget, errors.Is(err, ErrBudget)},
		{KindTimeout, errors.Is(err, ErrTimeout)},
		{KindCancelled, errors.Is(err, ErrCancelled)},
		{KindDenied, errors.Is(err, ErrDenied)},
		{KindUnknownTool, errors.Is(err, ErrUnknownTool)},
		{KindInvalidInput, errors.Is(err, ErrInvalidInput)},
		{KindCrashed, errors.Is(err, ErrPanic)},
	} {
		if k.is {
			return k.kind
		}
	}
	return KindFailed
}

// View describes c for a user interface, before it runs or while it does. It may
// be called at any time, for a call of an event, a [Question] or an [Outcome] as well, and
// for one whose tool or input turns out to be wrong. It asks the tool each time, and a
// panic of the tool counts as no answer.
func (c *Call) View() View {
	info, tr, lines := c.describe()
	kind := tr.Kind.known()
	v := View{Title: cmp.Or(OneLine(lines.Title), info.title(), "a tool without a name"), Kind: kind, Folds: kind == KindSearch || kind == KindRead || kind == KindList}
	if o := info.Origin; o.External() {
		v.Title = OneLine(o.Source + ": " + v.Title)
	}
	objects := c.objects(tr)
	if v.Before = OneLine(lines.Before); v.Before == "" {
		v.Before = OneLine(v.Title + " " + objects)
	}
	switch v.While = OneLine(lines.While); {
	case v.While != "":
	case kind == KindOther || objects == "":
		v.While = OneLine("Running " + v.Title + " " + objects)
	default:
		v.While = OneLine(callKinds[kind].while + " " + objects)
	}
	return v
}

// describe returns the facts known of c at this moment, and the tool's summary of c.
func (c *Call) describe() (info *Info, tr Traits, lines Summary) {
	info = &Info{Name: c.Name}
	if c.state == nil || c.state.pool == nil {
		return info, tr, lines
	}
	e, ok := c.state.pool.lookup(c.Name)
	if !ok {
		return info, tr, lines
	}
	if tr = c.state.traits; tr.isZero() { // not asked yet, or the tool says nothing
		_ = goroutine.Try(func() error { tr = e.tool.Traits(c); return nil })
	}
	_ = goroutine.Try(func() error { lines = e.tool.Summary(c); return nil })
	return &e.info, tr, lines
}

// objects lists what c acts on, without guesses. At most three are named.
func (c *Call) objects(tr Traits) string {
	ts := tr.Targets
	if c.state != nil && c.state.targets != nil {
		ts = c.state.targets
	}
	var names []string
	more := 0
	for _, t := range ts {
		switch {
		case t.Shell.Guess || t.Value == "":
		case len(names) == 3:
			more++
		case t.Kind == policy.Path:
			names = append(names, c.ShortPath(t.Value))
		case t.Kind == policy.Host:
			names = append(names, t.Shown())
		default:
			names = append(names, t.Value)
		}
	}
	text := strings.Join(names, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
