package tasks

import (
	"context"
	"errors"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
)

// target is the list as a target of its tools.
func target(a pegboard.Access) []pegboard.Target {
	return []pegboard.Target{{Kind: pegboard.TargetResource, Access: a, Value: "list of tasks"}}
}

// changing returns the traits of a call that changes a list. Calls of one message are made in
// their order.
func changing() pegboard.Traits {
	return pegboard.Traits{Kind: pegboard.KindThink, Concurrency: pegboard.PerTarget, Own: true, Targets: target(pegboard.AccessWrite)}
}

// reading returns the traits of a call that shows a list.
func reading(k pegboard.CallKind) pegboard.Traits {
	return pegboard.Traits{Kind: k, Concurrency: pegboard.PerTarget, ReadOnly: true, Own: true, Targets: target(pegboard.AccessRead)}
}

// permit allows the tools of a list.
func permit() pegboard.Decision {
	return pegboard.Decision{Behavior: pegboard.Allow, Reason: "the list of tasks belongs to the conversation"}
}

// withSession returns a context with the session of a call, for hooks.
func withSession(ctx context.Context, c *pegboard.Call) context.Context {
	if s := c.Session(); s != nil {
		return pegboard.WithSession(ctx, s)
	}
	return ctx
}

// stops reports whether the error of a hook ends the turn.
func stops(err error) bool { return errors.As(err, new(*StopError)) }

// stopResult returns the result of a change that was refused by a hook which ends the turn.
func stopResult(err error) *pegboard.Result {
	r := pegboard.TextResult(untrusted.Escape(err.Error()))
	r.IsError, r.StopTurn = true, true
	return r
}

// notice returns the words about a problem with the file that follow a result. If the list is in
// memory, they always do, and otherwise only after a call of an empty list or an unknown task.
func (l *List) notice(missing bool) string {
	p := l.problem.Load()
	if p == nil || p.Aside != "" && !missing {
		return ""
	}
	return "\n(Note: " + strings.Join(strings.Fields(p.Error()), " ") + ".)"
}
