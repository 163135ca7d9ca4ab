package hooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// names returns what matchers of a call are tested against: the names of its tool.
func names(t pegboard.Tool, c *pegboard.Call) []string {
	if t == nil {
		return []string{c.ToolName()}
	}
	info := t.Info()
	if len(info.Aliases) == 0 {
		return []string{info.Name}
	}
	return append([]string{info.Name}, info.Aliases...)
}

// matchingCall returns the handlers of an event that match a call.
func (r *Runner) matchingCall(event string, t pegboard.Tool, c *pegboard.Call) []Handler {
	set := r.set.Load()
	if set.of(event) == nil {
		return nil
	}
	return set.Match(event, names(t, c)...)
}

// occasionOf returns an event of a call, and its handlers that run. Both are nil if there are
// none.
func (r *Runner) occasionOf(event string, h *pegboard.HookCall) (*occasion, []*Handler) {
	matched := r.matchingCall(event, h.Tool, h.Call)
	if len(matched) == 0 {
		return nil, nil
	}
	o := r.newCallOccasion(h.Call, event)
	o.emit = h.Emit
	handlers := r.runnable(matched, o.state, func(handler *Handler) bool { return concerned(handler, h.Concerns) })
	if len(handlers) == 0 {
		return nil, nil
	}
	return o, handlers
}

// concerned reports whether one of the rules of a handler's If could be about a call.
func concerned(h *Handler, concerns func(pegboard.Rule) pegboard.Concern) bool {
	for _, rule := range h.Rules() {
		if concerns(rule) != pegboard.ConcernNo {
			return true
		}
	}
	return false
}

// toolInput returns the input of a call as hooks see it. One that is no JSON is a string.
func toolInput(c *pegboard.Call) json.RawMessage {
	input := c.Observed()
	switch {
	case len(input) == 0:
		return json.RawMessage("{}")
	case !json.Valid(input):
		return jsonobject.Quote(string(input))
	}
	return input
}

// pre runs the hooks before a call.
func (r *Runner) pre(ctx context.Context, h *pegboard.HookCall) (pegboard.Decision, error) {
	var notes *callNotes
	if state := r.knownState(h.Call.Session()); state != nil {
		notes = state.notesOf(h)
	}
	o, handlers := r.occasionOf(preToolUse, h)
	if o == nil && notes == nil {
		return pegboard.Decision{}, nil
	}
	var earlier *reply
	if notes != nil && sameJSON(notes.input, h.Call.Input) { // the words of one of the hooks
		earlier = notes.reply
		handlers = without(handlers, earlier.handler)
	}
	if o == nil { // no other hook is about the new input
		o = r.newCallOccasion(h.Call, preToolUse)
		o.emit = h.Emit
	}
	if len(handlers) > 0 {
		p := o.callPayload(h.Tool, h.Call)
		p.addText("tool_use_id", h.Call.ID)
		o.payload = p.end()
	}
	replies := o.run(ctx, handlers)
	if earlier != nil {
		replies = append(replies, earlier)
	}
	said := o.sayOnce(h, notes, replies)
	o.tellAll(replies)
	v := judge(replies)
	switch {
	case v.decision.Behavior == pegboard.Deny:
		return v.decision, nil
	case ctx.Err() != nil: // the hooks may have been stopped before they could deny
		return pegboard.Decision{}, context.Cause(ctx)
	case o.closed(replies):
		return pegboard.Decision{Behavior: pegboard.Deny, Reason: "the session was closed while a hook ran"}, nil
	case v.deferred != nil:
		return pegboard.Decision{}, fmt.Errorf("%w: %s", pegboard.ErrDeferred, v.deferred.handler.name())
	case v.changed == nil:
		return v.decision, nil
	}
	return o.change(h, v, said), nil
}

// checkInput returns a denial if the tool does not accept the input that a hook has made.
func checkInput(c *pegboard.Call, input json.RawMessage, by *Handler) (refused pegboard.Decision, ok bool) {
	_, _, err := c.Pool().Rebuild(pegboard.Call{ID: c.ID, Name: c.Name, Input: input})
	if err == nil {
		return pegboard.Decision{}, true
	}
	return pegboard.Decision{Behavior: pegboard.Deny, Reason: fmt.Sprintf(
		"%s changed the input to one that %s does not accept: %v. Tell the user; the input of the call was not the reason.",
		by.name(), c.ToolName(), err)}, false
}

// without returns the handlers without one.
func without(handlers []*Handler, left *Handler) []*Handler {
	var others []*Handler
	for _, h := range handlers {
		if !h.same(left) {
			others = append(others, h)
		}
	}
	return others
}

// permission runs the hooks that answer for the person.
func (r *Runner) permission(ctx context.Context, q *pegboard.Question) (pegboard.Decision, error) {
	matched := r.matchingCall(permissionRequest, q.Tool, q.Call)
	if len(matched) == 0 {
		return pegboard.Decision{}, nil
	}
	o := r.newCallOccasion(q.Call, permissionRequest)
	handlers := r.runnable(matched, o.state, func(h *Handler) bool { return concerned(h, q.Concerns) })
	if len(handlers) == 0 {
		return pegboard.Decision{}, nil
	}
	p := o.callPayload(q.Tool, q.Call)
	var suggestions []pegboard.PermissionUpdate
	for _, alternative := range q.Suggestions(pegboard.SourceLocal) {
		suggestions = append(suggestions, alternative...)
	}
	if len(suggestions) > 0 {
		p.addJSON("permission_suggestions", suggestions)
	}
	o.payload = p.end()
	replies := o.run(ctx, handlers)
	d, changed := answerFor(q.Call, replies)
	if d.Input != nil {
		o.state.note(q.Call.Identity(), &callNotes{answered: d.Input, told: o.rewrote(changed.handler)})
	}
	if d.Behavior != pegboard.Deny && (ctx.Err() != nil || o.closed(replies)) { // someone else has answered
		d = pegboard.Decision{}
	}
	o.tellAll(replies)
	return d, nil
}

// post runs the hooks after a call that succeeded.
func (r *Runner) post(ctx context.Context, h *pegboard.HookCall) error {
	r.forget(h)
	o, handlers := r.occasionOf(postToolUse, h)
	if o == nil {
		return nil
	}
	p := o.callPayload(h.Tool, h.Call)
	p.add("tool_response", toolResponse(h))
	p.addText("tool_use_id", h.Call.ID)
	p.addJSON("duration_ms", h.Outcome.Elapsed.Milliseconds())
	o.payload = p.end()
	replies := o.run(ctx, handlers)
	o.replaceOutput(h, replies)
	o.afterCall(h, replies)
	return nil
}

// postFailure runs the hooks after a call that failed while it ran. A call that was stopped,
// or is answered later, has not failed.
func (r *Runner) postFailure(ctx context.Context, h *pegboard.HookCall) error {
	r.forget(h)
	if errors.Is(h.Outcome.Err, pegboard.ErrDeferred) || errors.Is(h.Outcome.Err, pegboard.ErrCancelled) && !errors.Is(h.Outcome.Err, pegboard.ErrTimeout) {
		return nil
	}
	o, handlers := r.occasionOf(postToolUseFailure, h)
	if o == nil {
		return nil
	}
	p := o.callPayload(h.Tool, h.Call)
	p.addText("tool_use_id", h.Call.ID)
	p.addText("error", cutMiddle(h.Outcome.Result.Text()))
	p.addJSON("is_interrupt", false)
	p.addJSON("duration_ms", h.Outcome.Elapsed.Milliseconds())
	o.payload = p.end()
	o.afterCall(h, o.run(ctx, handlers))
	return nil
}

// cutMiddle returns a text of at most maxText characters, and in the middle how many are left
// out.
func cutMiddle(text string) string {
	n := utf8.RuneCountInString(text)
	if n <= maxText {
		return text
	}
	runes := []rune(text)
	half := maxText / 2
	return string(runes[:half]) + fmt.Sprintf("\n... [%d characters left out] ...\n", n-2*half) + string(runes[n-half:])
}

// notRun runs the hooks of a call that the classifier has refused.
func (r *Runner) notRun(ctx context.Context, h *pegboard.HookCall) error {
	r.forget(h)
	d := h.Outcome.Decision
	if d.By != pegboard.ByClassifier || d.Behavior != pegboard.Deny || !errors.Is(h.Outcome.Err, pegboard.ErrDenied) {
		return nil
	}
	o, handlers := r.occasionOf(permissionDenied, h)
	if o == nil {
		return nil
	}
	p := o.callPayload(h.Tool, h.Call)
	p.addText("tool_use_id", h.Call.ID)
	p.addText("reason", d.Reason)
	o.payload = p.end()
	replies := o.run(ctx, handlers)
	for _, reply := range replies {
		if reply.retry {
			h.Say(pegboard.Part{Text: fmt.Sprintf("A hook of the user says that %s may be tried again.", h.Call.ToolName())})
			break
		}
	}
	o.afterCall(h, replies)
	return nil
}

// forget drops what is kept of a call that has ended, and tells the model if it had the input
// with which a hook has answered for the person.
func (r *Runner) forget(h *pegboard.HookCall) {
	state := r.knownState(h.Call.Session())
	if state == nil {
		return
	}
	if notes := state.forget(h); notes != nil && notes.answered != nil && sameJSON(notes.answered, h.Call.Input) {
		h.Say(notes.told)
	}
}

// batch runs the hooks after all calls of a message.
func (r *Runner) batch(ctx context.Context, outcomes []pegboard.Outcome) error {
	if len(outcomes) == 0 || r.set.Load().of(postToolBatch) == nil {
		return nil
	}
	o := r.newOccasion(outcomes[0].Call.Session(), postToolBatch)
	handlers := r.runnable(r.matching(postToolBatch), o.state, never)
	if len(handlers) == 0 {
		return nil
	}
	p := newPayload(r, o.session, o.cwd, o.event, nil)
	var calls []json.RawMessage
	for i := range outcomes {
		calls = append(calls, batchCall(&outcomes[i]))
	}
	p.add("tool_calls", jsonobject.List(calls))
	o.payload = p.end()
	replies := o.run(ctx, handlers)
	last := &outcomes[len(outcomes)-1]
	for _, reply := range replies {
		if reply.Block && reply.Reason != "" {
			pegboard.SayInBatch(ctx, pegboard.Part{Text: o.words(reply.handler, reply.Reason)})
			o.tell(reply.Reason)
		}
		for _, text := range reply.Context {
			pegboard.SayInBatch(ctx, pegboard.Part{Text: text})
		}
		last.StopTurn = last.StopTurn || reply.Block || reply.Stop
	}
	o.tellAll(replies)
	return nil
}

// never is for events that are about no call: a handler with an If never runs.
func never(*Handler) bool { return false }

// batchCall returns one call of a message with what the model sees of its result.
func batchCall(o *pegboard.Outcome) json.RawMessage {
	response, err := encode(contentBlocks(o.Result.Parts))
	if text := o.Result.Text(); err != nil || onlyText(o.Result.Parts) {
		response = jsonobject.Quote(text)
	}
	return jsonobject.With("tool_name", jsonobject.Quote(o.Call.ToolName())).
		With("tool_input", toolInput(o.Call)).
		With("tool_use_id", jsonobject.Quote(o.Call.ID)).
		With("tool_response", response).Encode()
}

func (r *Runner) newOccasion(s *pegboard.Session, event string) *occasion {
	o := &occasion{runner: r, session: s, state: r.stateOf(s), event: event, control: controls[event]}
	if s != nil {
		o.cwd = s.Dir()
	}
	return o
}

// newCallOccasion is newOccasion for an event of a call, which keeps its directory when the
// session moves.
func (r *Runner) newCallOccasion(c *pegboard.Call, event string) *occasion {
	o := r.newOccasion(c.Session(), event)
	o.call, o.cwd = c, c.Dir()
	return o
}
