package hooks

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard"
)

// A Runner runs the hooks of a [Set] for sessions: those of calls through [Runner.Hooks],
// those of forms through [Runner.Fill], and those of the agent loop by [Runner.Fire].
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

// missing returns what the host would have to give for a handler to run.
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
// OnFailure in them: each hook has its own time limit, and Options.Strict says what a failure
// means.
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

// knownState returns what the Runner keeps of a session, or nil if that is nothing.
func (r *Runner) knownState(s *pegboard.Session) *sessionState {
	known, _ := r.sessions.Load(s)
	state, _ := known.(*sessionState)
	return state
}

// stateOf returns what the Runner keeps of a session.
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
