package agents

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// beforeSend checks a letter that is more than a text, gives a request its id, and carries the
// letter out: the receiver may read it before the call that sends it returns. The func that
// beforeSend returns undoes that, for a letter that cannot be sent. The receiver is nil for the
// main agent.
func (g *Agents) beforeSend(s *pegboard.Session, to *entry, l *letter) (undo func(), err error) {
	toID := MainName
	var receiver *run // nil if it has ended
	if to != nil {
		toID = to.status.ID
		receiver = g.rosterOf(s).runOf(toID)
	}
	switch l.Kind {
	case shutdownRequest:
		if receiver == nil {
			return nil, fmt.Errorf("%w: %s is not a running agent", ErrInvalidMessage, toID)
		}
		l.Request = newRequestID("shutdown")
	case shutdownResponse:
		return g.answerShutdown(s, toID, l)
	case planRequest:
		return g.sendPlan(s, toID, l)
	case planResponse:
		return g.answerPlan(g.rosterOf(s), toID, l)
	}
	return func() {}, nil
}

// newRequestID returns the id of a request.
func newRequestID(kind string) string { return kind + "-" + strings.ToLower(rand.Text()[:8]) }

// answerShutdown takes the answer to a shutdown request. A yes ends the agent that gives it when
// its Loop returns.
func (g *Agents) answerShutdown(s *pegboard.Session, to string, l *letter) (undo func(), err error) {
	k := g.runOf(s)
	if k == nil || k.askedToEnd(l.Request) != to {
		return nil, fmt.Errorf("%w: %s has not sent you the shutdown request %q", ErrInvalidMessage, to, l.Request)
	}
	return k.answeredShutdown(l.Request, l.Approve), nil
}

// sendPlan takes the plan of a teammate.
func (g *Agents) sendPlan(s *pegboard.Session, to string, l *letter) (undo func(), err error) {
	k := g.runOf(s)
	switch {
	case !g.approvesPlans() || k == nil || k.entry.role != pegboard.RoleTeammate:
		return nil, fmt.Errorf("%w: only teammates send plans, and only where plans are approved; end your turn with the plan as your answer", ErrInvalidMessage)
	case s.Permissions().Mode() != policy.ModePlan:
		return nil, fmt.Errorf("%w: you are not in plan mode, and need no approval of a plan", ErrInvalidMessage)
	case to != k.lead():
		return nil, fmt.Errorf("%w: send your plan to your lead, %s", ErrInvalidMessage, k.lead())
	}
	l.Request = newRequestID("plan")
	before := k.roster.setPlan(k.agent.ID, l.Request)
	undo = func() { k.roster.setPlan(k.agent.ID, before) }
	if err := k.roster.record(k); err != nil { // so that it can also be answered in a later program
		undo()
		return nil, notSent(err)
	}
	return undo, nil
}

// approvesPlans reports whether the role tables let an agent leave plan mode: those that Claude
// Code documents do, and the default ones do not.
func (g *Agents) approvesPlans() bool {
	tables := g.options.Pool.Roles
	return tables != nil && slices.Contains(tables.KeepInPlan, "ExitPlanMode")
}

// answerPlan takes the answer to a plan. It comes from the agent that has started the teammate,
// also in a later run of either. A yes gives the teammate the mode that its caller has: at once, or
// when it goes on, see [run.liftPlan].
func (g *Agents) answerPlan(r *roster, to string, l *letter) (undo func(), err error) {
	if !r.takePlan(to, l.From, l.Request) {
		return nil, fmt.Errorf("%w: %s has not sent you the plan %q, or it was answered", ErrInvalidMessage, to, l.Request)
	}
	wait := func() { r.setPlan(to, l.Request) }
	k := r.runOf(to)
	if !l.Approve || k == nil {
		return wait, nil
	}
	if err := k.liftPlan(); err != nil {
		wait()
		return nil, err
	}
	stay := func(p policy.Permissions) (policy.Permissions, error) { return p.WithMode(policy.ModePlan) }
	return func() {
		wait()
		if err := k.agent.Session.UpdatePermissions(stay); err != nil {
			g.options.logger().Error("an agent could not be put back into plan mode", "agent", k.agent.ID, "error", err)
		}
	}, nil
}
