package agents

import (
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// runOf returns the run of the agent that s belongs to; nil if s belongs to the main agent or to
// an agent that has ended.
func (g *Agents) runOf(s *pegboard.Session) *run {
	if g.entryOf(s) == nil {
		return nil
	}
	k := g.rosterOf(s).runOf(s.AgentID())
	if k == nil || k.agent.Session != s {
		return nil
	}
	return k
}

// mail returns the mail of the conversation.
func (k *run) mail() *mail { return k.g.mailOf(k.caller) }

// lead returns the id of the agent that has started this one.
func (k *run) lead() string {
	if id := k.caller.AgentID(); id != "" {
		return id
	}
	return MainName
}

// readMail returns the messages for the next request.
func (k *run) readMail() []pegboard.Part {
	parts := k.mail().take(k.agent.ID, k.noteLetter)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.reading = k.reading || len(parts) > 0
	return parts
}

// noteLetter records a request that the agent is about to read.
func (k *run) noteLetter(l *letter) {
	if l.Kind != shutdownRequest {
		return
	}
	k.roster.setAsked(k.entry, l.Request, l.From)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.noted = true
}

// recordNoted writes the requests that were just read to the agent's record, so that they can also be
// answered in a later program.
func (k *run) recordNoted() {
	k.mu.Lock()
	noted := k.noted
	k.noted = false
	k.mu.Unlock()
	if !noted {
		return
	}
	if err := k.roster.record(k); err != nil {
		k.g.options.logger().Error("a request to end cannot be kept", "agent", k.agent.ID, "error", err)
	}
}

// keptMail removes the messages that were read: the conversation of the agent has them.
func (k *run) keptMail() {
	k.mu.Lock()
	reading := k.reading
	k.reading = false
	k.mu.Unlock()
	if reading {
		k.mail().confirm(k.agent.ID)
	}
}

// listen watches one call of the Loop. The func that it returns is called at its end, and records
// whether the Loop has asked for what there is to read.
func (k *run) listen() (returned func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	before := k.requests
	return func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.deaf = k.requests == before
	}
}

// isDeaf reports whether the Loop has read nothing. To call it again because a message waits
// would never end.
func (k *run) isDeaf() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.deaf
}

// setPast records that the run reads nothing more.
func (k *run) setPast() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.past = true
}

// readsNoMore returns why a message to the agent is not read: the run is ending, and there will be
// no other one. It is nil for an agent that can go on.
func (k *run) readsNoMore() error {
	k.mu.Lock()
	past := k.past
	k.mu.Unlock()
	if !past {
		return nil
	}
	return k.roster.mayGoOn(k.entry, k.g.noBackground(k.caller))
}

// endMail removes the messages that were read, or puts them back if the run has failed before
// its conversation had them.
func (k *run) endMail(err error) {
	if err == nil {
		k.keptMail()
		return
	}
	k.mail().giveBack(k.agent.ID)
}

// askedToEnd returns who has asked the agent to end, by the id of the request.
func (k *run) askedToEnd(request string) string { return k.roster.askedBy(k.entry, request) }

// answeredShutdown records the answer to a request to end. The func that it returns undoes that.
func (k *run) answeredShutdown(request string, approve bool) (undo func()) {
	asker := k.roster.askedBy(k.entry, request)
	k.roster.setAsked(k.entry, request, "")
	k.mu.Lock()
	defer k.mu.Unlock()
	leaving := k.leaving
	k.leaving = leaving || approve
	return func() {
		k.roster.setAsked(k.entry, request, asker)
		k.mu.Lock()
		defer k.mu.Unlock()
		k.leaving = leaving
	}
}

func (k *run) isLeaving() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.leaving
}

// liftPlan ends the plan mode of a teammate whose plan was approved.
func (k *run) liftPlan() error {
	leave := func(p pegboard.Permissions) (pegboard.Permissions, error) { return p.AfterPlan(), nil }
	if err := k.agent.Session.UpdatePermissions(leave); err != nil {
		return fmt.Errorf("%w: %s cannot leave plan mode: %w", ErrInvalidMessage, k.agent.ID, err)
	}
	return nil
}

// addressees tells a new agent which others it can write to; empty if it cannot.
func (k *run) addressees() string {
	if !k.canSend {
		return ""
	}
	names := []string{MainName + " (the main agent)"}
	for _, s := range k.roster.listNamed(k.entry, maxListed-len(names)) {
		names = append(names, fmt.Sprintf("%s (%s, of the type %s)", s.Name, s.ID, s.Type))
	}
	return "(With SendMessage you can write to " + strings.Join(names, ", ") + ". Your answer goes to the agent that has started you, without it.)"
}
