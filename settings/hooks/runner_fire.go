package hooks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// Fire runs the hooks of an event of the agent loop in s, such as SessionStart or Stop, and
// returns what they want. Fields are those that the event adds to the payload: nil, or a value
// that is encoded as a JSON object, such as [StopFields]. Fields that all events have are added,
// and may be overridden but for hook_event_name.
//
// An error means that the hooks were not asked: the event is one of calls, which run by
// themselves, see [Runner.Hooks]; the fields are no object; or ctx has ended. For
// WorktreeCreate it also says that a hook has failed, and wraps [ErrHook]. The Answer is then
// zero, except that one whose hooks could still block before ctx ended has Block set.
//
// Of Stop and SubagentStop, stop_hook_active is set, and hooks can keep the agent going a few
// times in a row only, see Options.StopCap. All hooks of SessionEnd together have the time of
// Options.SessionEnd.
//
// CwdChanged is for a func of [pegboard.Session.OnSetDir], with [CwdChangedFields].
func (r *Runner) Fire(ctx context.Context, s *pegboard.Session, event string, fields any) (Answer, error) {
	if s == nil {
		return Answer{}, errors.New("hooks need a session")
	}
	described, _ := eventOf(event)
	if described.aboutTool || slices.Contains([]string{postToolBatch, elicitation, elicitationResult}, event) {
		return Answer{}, fmt.Errorf("%s runs by itself, see Runner.Hooks and Runner.Fill", event)
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
