package pegboard

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/lane"
)

// A Call is one request by the model. ID, Name and Input are its message, byte
// for byte. [Executor] works on a copy: what becomes of the original after it
// was handed over has no effect.
//
// The methods of a Call may be used concurrently, until the tool's Call returns.
type Call struct {
	ID    string          // the provider's id; empty if it has none
	Name  string          // of the tool, or an alias
	Input json.RawMessage // JSON, as a rule an object; blank counts as {}

	in    any // Input, decoded once
	state *callState
}

// callState is the executor's part of a call.
type callState struct {
	session *Session
	pool    *Pool
	job     *job // nil for a call that was decided elsewhere, or has no tool
	parent  *Call
	info    *Info
	spec    *inputSpec
	traits  Traits
	targets []Target     // traits.Targets, resolved
	allowed bool         // the call was decided, and runs
	under   *Permissions // what it was decided under
}

// version is a call as far as it was known at one stage.
type version struct {
	Call
	st callState
}

// set makes v the call c in the state st.
func (v *version) set(c Call, st callState) *Call {
	v.Call, v.st = c, st
	v.state = &v.st
	return &v.Call
}

// copied returns a Call that can be written to without effect on c.
func (c *Call) copied() *Call {
	d := *c
	d.Input = slices.Clone(c.Input)
	return &d
}

// Session returns on whose behalf c runs. It is nil for a Call that no Executor
// admitted, as in a unit test that calls a Tool directly.
func (c *Call) Session() *Session {
	if c.state == nil {
		return nil
	}
	return c.state.session
}

// Pool returns the pool that c was made from: what the agent may use in this turn. It
// is nil for a Call that no Executor admitted.
func (c *Call) Pool() *Pool {
	if c.state == nil {
		return nil
	}
	return c.state.pool
}

// Targets returns what c acts on, resolved, as it was or will be decided.
func (c *Call) Targets() []Target {
	if c.state == nil {
		return nil
	}
	return cloneTargets(c.state.targets)
}

// ReadOnly reports whether the tool says that c changes nothing.
func (c *Call) ReadOnly() bool { return c.state != nil && c.state.traits.ReadOnly }

// Parent returns the call from inside which c was made with [Call.Run], or nil if
// the model made it.
func (c *Call) Parent() *Call {
	if c.state == nil {
		return nil
	}
	return c.state.parent
}

// Run makes calls from inside c, as a script does that a tool runs. They are
// ordinary calls of the same agent, each decided for itself, and take all stages
// of the same [Executor], in a batch of their own that does not wait for c. What
// they may use is what the agent's pool has and, where [Gates] hide tools behind
// c's, those too; never the tool of c itself. There is one outcome for each, in
// order.
//
// It is for the time in which c runs: before and after, and for a Call that no
// Executor admitted, nothing runs.
func (c *Call) Run(ctx context.Context, calls ...Call) []Outcome {
	if c.state == nil || c.state.job == nil || !c.state.allowed || c.state.job.over.Load() {
		outcomes := make([]Outcome, len(calls))
		for i := range calls {
			inner := calls[i].copied()
			err := &CallError{Tool: inner.Name, CallID: inner.ID, Stage: StageLookup, Err: fmt.Errorf("%w: %s does not run, so nothing runs inside it", ErrDenied, c.Name)}
			outcomes[i] = Outcome{Call: inner, Result: &Result{Parts: []Part{{Text: err.Error()}}, IsError: true}, Err: err}
		}
		return outcomes
	}
	outer := c.state.job.batch
	return outer.run(ctx, outer.pool.behind(c.state.info.Name), c, calls)
}

// Check decides targets that turn up while the call runs, exactly as it would
// have decided them before, and asks if it must. A nil error means go on. The
// error wraps [ErrDenied] and is worded for the model. A Call that no Executor
// admitted may touch nothing.
func (c *Call) Check(ctx context.Context, targets ...Target) error {
	if c.state == nil || c.state.job == nil && !c.state.allowed {
		return errNotAdmitted
	}
	ts := c.state.session.resolve(targets)
	d := c.decideLater(ts)
	j := c.state.job
	var err error
	if d.Behavior == Ask {
		asked := d
		if err = ErrNoApprover; j != nil {
			var x subject
			c.putLater(&x, ts)
			q := inquiry{Decision: d, job: j, call: c, targets: ts, about: &x, again: func() Decision { return c.decideLater(ts) }, running: true}
			d, err = q.settle(ctx)
		}
		if err != nil {
			d = Decision{Behavior: Deny, By: ByNobody, Rule: asked.Rule, Reason: c.unanswered(asked, ts, err)}
		}
	}
	if j != nil && c.state.allowed {
		j.decidedLater(ts, d)
	}
	switch {
	case err != nil:
		return &unansweredError{d.Reason, err}
	case d.Behavior != Allow:
		return fmt.Errorf("%w: %s", ErrDenied, d.Reason)
	}
	return nil
}

// Filter reports whether t may be touched, without ever asking: for walks over
// many things of which the denied ones are left out.
func (c *Call) Filter(t Target) bool {
	if c.state == nil {
		return false
	}
	return c.decideLater(c.state.session.resolve([]Target{t})).Behavior == Allow
}

// Emit reports progress to whoever watches the executor's events.
func (c *Call) Emit(text string) {
	if c.state != nil && c.state.job != nil {
		c.state.job.tell(EventProgress, c, text)
	}
}

// decide settles targets of c, given what the hooks and the tool itself say.
func (c *Call) decide(ts []Target, hook, own Decision) Decision {
	var x subject
	x.hook, x.own = hook, own
	return c.put(&x, ts).decide(&x)
}

// decideLater settles targets that turned up after c itself was allowed.
func (c *Call) decideLater(ts []Target) Decision {
	var x subject
	return c.putLater(&x, ts).decide(&x)
}

// putLater is put for targets that turned up after c itself was allowed.
func (c *Call) putLater(x *subject, ts []Target) *Permissions {
	p := c.put(x, ts)
	if c.state.allowed {
		x.approved, x.under = c.state.targets, c.state.under
	}
	return p
}

// put makes x what is decided of targets of c, and returns the permissions in force.
func (c *Call) put(x *subject, ts []Target) *Permissions {
	st := c.state
	p := st.session.permissions()
	x.info, x.spec, x.traits, x.input = st.info, st.spec, &st.traits, c.Input
	x.targets, x.platform, x.dirs, x.lent = ts, st.session.platform, p.work, st.session.lent()
	if x.info == nil { // before the tool is known
		x.info = &Info{}
	}
	return p
}

// input returns c's decoded input, decoding it first if no executor did.
func (c *Call) input(spec *inputSpec) (any, error) {
	if c.in != nil {
		return c.in, nil
	}
	return spec.decode(c.Input)
}

// errNotAdmitted is what the methods of a Call say that nobody decided.
var errNotAdmitted = fmt.Errorf("%w: the call was not admitted by an executor", ErrDenied)

// errNoInput is what a stage meets when it is called on a Call for another tool.
var errNoInput = errors.New("the call was decoded for another tool")

// A Result is what a call gives back.
type Result struct {
	Parts   []Part // for the model
	IsError bool   // the parts describe a failure
	Data    any    // the typed output, for the host

	Messages []Part         // for the conversation, after the results of the batch
	Then     func(*Session) // changes the session once all calls that ran beside this one have ended
	StopTurn bool           // the model should not be asked again before the user speaks
}

// A Part is one piece of a result: text, or bytes of a media type, or the name of a
// tool. A wire renders what its provider has no form for as text.
type Part struct {
	Text string
	MIME string // set for bytes, such as "image/png"
	Data []byte

	Title  string // of a document (bytes, or Text with a MIME) or a search result
	Source string // set for a search result, whose Text this is: where it was found
	Tool   string // set for a reference to a tool that was found and may be called from now on
	Ref    string // set for a preview, Text, of what a [ResultStore] keeps under that name
}

// Text returns a result of one text.
func Text(s string) *Result { return textResult(s, nil) }

// textResult makes a result and its only part at once.
func textResult(s string, data any) *Result {
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

// empty reports whether a model would see nothing at all.
func (r *Result) empty() bool {
	for _, p := range r.Parts {
		if p.MIME != "" || p.Tool != "" || strings.TrimSpace(p.Text) != "" {
			return false
		}
	}
	return true
}

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
		if refused != "" && limits.Smaller != nil {
			smaller, err := p, error(nil)
			if crash := lane.Try(func() error { smaller, err = limits.Smaller(ctx, p); return nil }); err == nil && crash == nil {
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

// resultOf is the default mapping from a typed output.
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
		return textResult(v, out), nil
	}
	b, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("encode the output: %w", err)
	}
	return textResult(string(b), out), nil
}

// An Outcome is a finished call. There is exactly one for each call.
type Outcome struct {
	Call   *Call
	Result *Result // never nil

	// Err says why the call failed: nil, or a *[CallError]. It is nil, too,
	// when the tool ran and reported a failure itself, by Result.IsError.
	Err error

	Decision Decision      // what permission said; zero if it was not reached
	Repairs  []string      // how the input was mended before it was decoded
	StopTurn bool          // the result wants it, or too many calls were denied in a row
	Elapsed  time.Duration // from admission to the end
}
