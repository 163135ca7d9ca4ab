package hooks

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tasks"
)

// A Runner runs the hooks of a [Set] for sessions: those of calls through [Runner.Hooks],
// those of forms through [Runner.Elicit], and those of the agent loop by [Runner.Fire].
//
// # Concurrency
//
//  1. All methods may be called concurrently.
//  2. The hooks that match an event run side by side, at most 16 at a time, each on the event
//     as it was. The event waits until all have ended.
//  3. The processes of a session end with it. [Replace] ends none.
type Runner struct {
	options  Options
	http     http.Client // if the host gives none
	set      atomic.Pointer[Set]
	sessions sync.Map // of *pegboard.Session to *sessionState, until the session is closed
}

// New returns a Runner. Hooks that cannot run, since the host has not given the func that they
// need, are left out, and Options.OnProblem is told.
func New(set Set, o Options) *Runner {
	o.Env, o.AllowedURLs, o.AllowedVars = maps.Clone(o.Env), slices.Clone(o.AllowedURLs), slices.Clone(o.AllowedVars)
	r := &Runner{options: o, http: newClient()}
	r.Replace(set)
	return r
}

// Replace replaces the hooks, as New does. Events that have begun keep theirs; call it between
// turns, so that the hooks after a call are those that were there before it.
func (r *Runner) Replace(set Set) {
	for _, event := range set.Events() {
		for _, h := range set.Handlers(event) {
			if err := r.missing(&h); err != nil {
				r.options.problem(&h, err)
			}
		}
	}
	r.set.Store(&set)
}

// missing returns an error if the host has not given the func that a handler needs.
func (r *Runner) missing(h *Handler) error {
	switch {
	case h.Type == typeMCPTool && r.options.Invoke == nil:
		return errors.New("it is left out: the program calls no tools for hooks")
	case (h.Type == typePrompt || h.Type == typeAgent) && r.options.Prompt == nil:
		return errors.New("it is left out: the program asks no model for hooks")
	}
	return nil
}

// matching returns the handlers of an event that match a value.
func (r *Runner) matching(event string, values ...string) []Handler {
	return r.set.Load().Match(event, values...)
}

// runnable returns those of the matching handlers that run now: without those that the host
// cannot run, that have run and do that once, and whose If does not concern the call.
func (r *Runner) runnable(matched []Handler, state *sessionState, concerns func(*Handler) bool) []*Handler {
	var handlers []*Handler
	for i := range matched {
		h := &matched[i]
		if r.missing(h) == nil && (h.If == "" || concerns(h)) && state.first(h) {
			handlers = append(handlers, h)
		}
	}
	return handlers
}

// Hooks returns the hooks of calls, for [pegboard.SessionConfig]. They run in the session and
// in its forks, for calls of streams and of [pegboard.Call.Run]. Do not set a Timeout or
// OnFailure in them: each hook has its own time limit, and Options.Strict decides whether a
// failure blocks.
func (r *Runner) Hooks() pegboard.Hooks {
	return pegboard.Hooks{
		Pre: r.pre, Permission: r.permission, Post: r.post, PostFailure: r.postFailure,
		NotRun: r.notRun, Batch: r.batch,
	}
}

func (r *Runner) transcript(s *pegboard.Session) string {
	if s == nil {
		return ""
	}
	return r.options.ask("Transcript", r.options.Transcript, s)
}

// knownState returns the state that the Runner keeps of a session, or nil if it keeps nothing.
func (r *Runner) knownState(s *pegboard.Session) *sessionState {
	known, _ := r.sessions.Load(s)
	state, _ := known.(*sessionState)
	return state
}

// stateOf returns the state of a session. It makes the state if it is missing.
func (r *Runner) stateOf(s *pegboard.Session) *sessionState {
	if state := r.knownState(s); state != nil {
		return state
	}
	state := &sessionState{runner: r, session: s}
	if _, loaded := r.sessions.LoadOrStore(s, state); loaded {
		return r.stateOf(s)
	}
	s.OnClose("hooks", state.close)
	return state
}

// names returns the names of a call's tool, against which matchers are tested.
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
func concerned(h *Handler, concerns func(policy.Rule) policy.Concern) bool {
	for _, rule := range h.Rules() {
		if concerns(rule) != policy.ConcernNo {
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
func (r *Runner) pre(ctx context.Context, h *pegboard.HookCall) (policy.Decision, error) {
	var notes *callNotes
	if state := r.knownState(h.Call.Session()); state != nil {
		notes = state.notesOf(h)
	}
	o, handlers := r.occasionOf(preToolUse, h)
	if o == nil && notes == nil {
		return policy.Decision{}, nil
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
	case v.decision.Behavior == policy.Deny:
		return v.decision, nil
	case ctx.Err() != nil: // the hooks may have been stopped before they could deny
		return policy.Decision{}, context.Cause(ctx)
	case o.closed(replies):
		return policy.Decision{Behavior: policy.Deny, Reason: "the session was closed while a hook ran"}, nil
	case v.deferred != nil:
		return policy.Decision{}, fmt.Errorf("%w: %s", pegboard.ErrDeferred, v.deferred.handler.name())
	case v.changed == nil:
		return v.decision, nil
	}
	return o.change(h, v, said), nil
}

// checkInput returns a denial if the tool does not accept the input that a hook has made.
func checkInput(c *pegboard.Call, input json.RawMessage, by *Handler) (refused policy.Decision, ok bool) {
	_, _, err := c.Pool().Rebuild(pegboard.Call{ID: c.ID, Name: c.Name, Input: input})
	if err == nil {
		return policy.Decision{}, true
	}
	return policy.Decision{Behavior: policy.Deny, Reason: fmt.Sprintf(
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
func (r *Runner) permission(ctx context.Context, q *pegboard.Question) (policy.Decision, error) {
	matched := r.matchingCall(permissionRequest, q.Tool, q.Call)
	if len(matched) == 0 {
		return policy.Decision{}, nil
	}
	o := r.newCallOccasion(q.Call, permissionRequest)
	handlers := r.runnable(matched, o.state, func(h *Handler) bool { return concerned(h, q.Concerns) })
	if len(handlers) == 0 {
		return policy.Decision{}, nil
	}
	p := o.callPayload(q.Tool, q.Call)
	var suggestions []policy.Update
	for _, alternative := range q.Suggestions(policy.SourceLocal) {
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
	if d.Behavior != policy.Deny && (ctx.Err() != nil || o.closed(replies)) { // someone else has answered
		d = policy.Decision{}
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
	if d.By != policy.ByClassifier || d.Behavior != policy.Deny || !errors.Is(h.Outcome.Err, pegboard.ErrDenied) {
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

// forget drops the notes of a call that has ended. It tells the model if the call got the input
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

// batchCall returns one call of a message, with its result as the model sees it.
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
		o.cwd = s.Cwd()
	}
	return o
}

// newCallOccasion is newOccasion for an event of a call, which keeps its directory when the
// session moves.
func (r *Runner) newCallOccasion(c *pegboard.Call, event string) *occasion {
	o := r.newOccasion(c.Session(), event)
	o.call, o.cwd = c, c.Cwd()
	return o
}

// Elicit returns a func for [pegboard.SessionConfig].Elicit that lets hooks answer the forms of
// servers: those of Elicitation before the user is asked, and those of ElicitationResult
// after. Next asks the user. If it is nil, a form that no hook answers is declined.
//
// A form that is shown again, since its content was refused, is answered by the user alone:
// hooks can then decline it, and change nothing.
func (r *Runner) Elicit(next func(ctx context.Context, f *pegboard.Elicitation) (pegboard.ElicitResult, error)) func(ctx context.Context, f *pegboard.Elicitation) (pegboard.ElicitResult, error) {
	return func(ctx context.Context, f *pegboard.Elicitation) (pegboard.ElicitResult, error) {
		s, ok := pegboard.SessionFrom(ctx)
		if !ok {
			r.options.problem(&Handler{}, errors.New("Elicit: the context carries no session, see pegboard.WithSession, so hooks are not asked"))
			return fill(ctx, f, next)
		}
		filled, decided, err := r.elicit(ctx, s, f)
		if err != nil {
			return pegboard.ElicitResult{Action: pegboard.ElicitCancel}, err
		}
		if !decided {
			if filled, err = fill(ctx, f, next); err != nil {
				return filled, err
			}
		}
		return r.elicited(ctx, s, f, filled)
	}
}

func fill(ctx context.Context, f *pegboard.Elicitation, next func(ctx context.Context, f *pegboard.Elicitation) (pegboard.ElicitResult, error)) (pegboard.ElicitResult, error) {
	if next == nil {
		return pegboard.ElicitResult{Action: pegboard.ElicitDecline}, nil
	}
	return next(ctx, f)
}

// elicit asks the hooks before the user.
func (r *Runner) elicit(ctx context.Context, s *pegboard.Session, f *pegboard.Elicitation) (filled pegboard.ElicitResult, decided bool, err error) {
	if f.Problem != "" {
		return filled, false, nil
	}
	o, handlers := r.formOccasion(s, elicitation, f)
	if len(handlers) == 0 {
		return filled, false, nil
	}
	p := newPayload(r, s, o.cwd, o.event, nil)
	p.addText("mcp_server_name", f.From)
	p.addText("message", f.Message)
	p.addText("mode", modeOf(f))
	if f.URL != "" {
		p.addText("url", f.URL)
	}
	p.add("requested_schema", f.Schema)
	o.payload = p.end()
	replies := o.run(ctx, handlers)
	o.tellAll(replies)
	if ctx.Err() != nil {
		return filled, false, context.Cause(ctx)
	}
	last := answerOf(replies)
	if last == nil {
		return filled, false, nil
	}
	filled.Action = last.action
	if last.action == pegboard.ElicitAccept && f.URL == "" {
		filled.Content = last.content
	}
	return filled, true, nil
}

// elicited asks the hooks after the user.
func (r *Runner) elicited(ctx context.Context, s *pegboard.Session, f *pegboard.Elicitation, filled pegboard.ElicitResult) (pegboard.ElicitResult, error) {
	o, handlers := r.formOccasion(s, elicitationResult, f)
	if len(handlers) == 0 {
		return filled, nil
	}
	p := newPayload(r, s, o.cwd, o.event, nil)
	p.addText("mcp_server_name", f.From)
	action := filled.Action
	if action == "" {
		action = pegboard.ElicitCancel
	}
	p.addText("action", string(action))
	if json.Valid(filled.Content) {
		p.add("content", filled.Content)
	}
	p.addText("mode", modeOf(f))
	o.payload = p.end()
	replies := o.run(ctx, handlers)
	o.tellAll(replies)
	if ctx.Err() != nil {
		return pegboard.ElicitResult{Action: pegboard.ElicitCancel}, context.Cause(ctx)
	}
	last := answerOf(replies)
	switch {
	case last == nil:
		return filled, nil
	case last.action != pegboard.ElicitAccept:
		return pegboard.ElicitResult{Action: last.action}, nil
	case f.Problem != "" || filled.Action != pegboard.ElicitAccept && last.content == nil && f.URL == "":
		o.runner.options.problem(last.handler, errors.New("what it would fill in has no effect: the form was shown again, or there is no content"))
		return filled, nil
	}
	filled.Action = pegboard.ElicitAccept
	if last.content != nil && f.URL == "" {
		filled.Content = last.content
	}
	return filled, nil
}

// formOccasion returns an event of a form, and its handlers that run.
func (r *Runner) formOccasion(s *pegboard.Session, event string, f *pegboard.Elicitation) (*occasion, []*Handler) {
	matched := r.matching(event, f.From)
	if len(matched) == 0 {
		return nil, nil
	}
	o := r.newOccasion(s, event)
	return o, r.runnable(matched, o.state, never)
}

func modeOf(f *pegboard.Elicitation) string {
	if f.URL != "" {
		return "url"
	}
	return "form"
}

// answerOf returns the reply that counts: one that blocks, which declines, before those that
// decline or cancel, and of those that accept the one that ended last.
func answerOf(replies []*reply) (counts *reply) {
	strength := func(r *reply) int {
		switch {
		case r == nil:
			return 0
		case r.Block || r.Stop:
			return 4
		case r.action == pegboard.ElicitDecline:
			return 3
		case r.action == pegboard.ElicitCancel:
			return 2
		case r.action == pegboard.ElicitAccept:
			return 1
		}
		return 0
	}
	for _, r := range replies {
		s, best := strength(r), strength(counts)
		if s > best || s > 0 && s == best && r.ended > counts.ended {
			counts = r
		}
	}
	if counts != nil && (counts.Block || counts.Stop) {
		counts.action, counts.content = pegboard.ElicitDecline, nil
	}
	return counts
}

// Fire runs the hooks of an event of the agent loop in s, such as SessionStart or Stop, and
// returns their joined Answer. Fields are those that the event adds to the payload: nil, or a value
// that is encoded as a JSON object, such as [StopFields]. Fields that all events have are added,
// and may be overridden but for hook_event_name.
//
// Fire runs no hook and returns an error if s is nil, if the event is one of calls, which run by
// themselves, see [Runner.Hooks], if the fields are no object, or if ctx has ended. If ctx ends
// while hooks run, Fire returns its cause with the Block, Reason and Stop of the Answer; for
// SessionEnd it returns no error. If a hook of WorktreeCreate fails, the error wraps [ErrHook].
//
// Of Stop and SubagentStop, stop_hook_active is set, and hooks can keep the agent going a few
// times in a row only, see Options.StopCap. All hooks of SessionEnd together have the time of
// Options.SessionEnd.
//
// CwdChanged is for a func of [pegboard.Session.OnChdir], with [CwdChangedFields].
func (r *Runner) Fire(ctx context.Context, s *pegboard.Session, event string, fields any) (Answer, error) {
	if s == nil {
		return Answer{}, errors.New("hooks need a session")
	}
	described, _ := eventOf(event)
	if described.aboutTool || slices.Contains([]string{postToolBatch, elicitation, elicitationResult}, event) {
		return Answer{}, fmt.Errorf("%s runs by itself, see Runner.Hooks and Runner.Elicit", event)
	}
	members, err := membersOf(fields)
	if err != nil {
		return Answer{}, fmt.Errorf("the fields of %s: %w", event, err)
	}
	if err := context.Cause(ctx); err != nil {
		return Answer{}, err
	}
	o, handlers := r.fired(s, described, members)
	if len(handlers) == 0 {
		return Answer{}, nil
	}
	if event == sessionEnd {
		limit := r.sessionEnd(handlers)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w: %v are over for all hooks", errLate, limit))
		defer cancel()
	}
	replies := o.run(ctx, handlers)
	o.tellAll(replies)
	answer := o.answer(replies)
	if ctx.Err() != nil && event != sessionEnd {
		return Answer{Block: answer.Block, Reason: answer.Reason, Stop: answer.Stop}, context.Cause(ctx)
	}
	if event == worktreeCreate {
		for _, reply := range replies {
			if reply.failure != nil {
				return Answer{}, &hookError{reply.handler, reply.failure}
			}
		}
	}
	return answer, nil
}

// membersOf returns the members of the fields of an event.
func membersOf(fields any) (jsonobject.Object, error) {
	if fields == nil {
		return nil, nil
	}
	text, err := encode(fields)
	if err != nil {
		return nil, err
	}
	return jsonobject.Parse(text)
}

// fired returns an event of the loop, and its handlers that run.
func (r *Runner) fired(s *pegboard.Session, e event, members jsonobject.Object) (*occasion, []*Handler) {
	var values []string
	if value, ok := members.Text(e.field); ok {
		if e.name == "FileChanged" {
			value = filepath.Base(value)
		}
		values = append(values, value)
	} else if e.field == "agent_type" {
		values = append(values, s.AgentType())
	} else if e.field != "" {
		values = append(values, "")
	}
	matched := r.matching(e.name, values...)
	if len(matched) == 0 {
		return nil, nil
	}
	o := r.newOccasion(s, e.name)
	source, _ := members.Text("source")
	o.policy = e.name == configChange && source == "policy_settings"
	p := newPayload(r, s, o.cwd, e.name, members)
	for _, m := range members {
		if m.Name != "hook_event_name" {
			p.add(m.Name, m.Value)
		}
	}
	if o.stops() && members.Get("stop_hook_active") == nil {
		p.addJSON("stop_hook_active", o.state.stopping())
	}
	o.payload = p.end()
	return o, r.runnable(matched, o.state, never)
}

// sessionEnd returns how long all hooks of the end of a session may take.
func (r *Runner) sessionEnd(handlers []*Handler) time.Duration {
	limit := defaultSessionEnd
	for _, h := range handlers {
		limit = max(limit, min(h.Timeout, maxSessionEnd))
	}
	return cmp.Or(max(r.options.SessionEnd, 0), limit)
}

// printedPath returns the path that a hook of WorktreeCreate has printed as text.
func printedPath(replies []*reply) string {
	for _, r := range replies {
		if r.printed != "" {
			return strings.TrimSpace(r.printed)
		}
	}
	return ""
}

// TaskHooks returns hooks for [tasks.Open] that run those of TaskCreated and TaskCompleted. A
// change that they block is not made, and the model reads the reason. "continue": false of
// TaskCompleted also ends the turn. For changes that the host makes itself, the context must carry
// the session, see [pegboard.WithSession]; without it they are refused while there is a hook of the
// event.
func (r *Runner) TaskHooks() tasks.Hooks {
	fire := func(name string) func(context.Context, tasks.Event) error {
		return func(ctx context.Context, e tasks.Event) error { return r.fireTask(ctx, name, e) }
	}
	return tasks.Hooks{Created: fire(taskCreated), Completed: fire(taskCompleted)}
}

// fireTask runs the hooks of an event of a task.
func (r *Runner) fireTask(ctx context.Context, name string, e tasks.Event) error {
	if e.Session == nil && len(r.matching(name)) == 0 {
		return nil
	}
	fields := TaskFields{ID: e.Task.ID, Subject: e.Task.Subject, Description: e.Task.Description}
	answer, err := r.Fire(ctx, e.Session, name, fields)
	for _, text := range answer.Context {
		e.Session.Notify(pegboard.Part{Text: text})
	}
	reason := cmp.Or(answer.Reason, "a hook of the user refused it")
	switch {
	case err != nil:
		return err
	case answer.Stop:
		return &tasks.StopError{Reason: reason}
	case answer.Block:
		return errors.New(reason)
	}
	return nil
}
