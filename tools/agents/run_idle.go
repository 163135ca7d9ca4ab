package agents

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// maxLastWords is how many bytes of its last text a lead is told of a teammate that is idle.
const maxLastWords = 2000

// joinTeam enters a teammate in its team.
func (k *run) joinTeam() error {
	if k.entry.role != pegboard.RoleTeammate {
		return nil
	}
	if k.mail().boxes == nil {
		return fmt.Errorf("a teammate cannot be sent messages: %w", k.mail().err)
	}
	err := k.g.teamsOf(k.caller).join(k.request.Team, k.lead(), TeamMember{ID: k.agent.ID, Name: k.agent.Name, Type: k.agent.Type})
	k.inTeam = err == nil
	return err
}

// leaveTeam takes a teammate that has ended from its team.
func (k *run) leaveTeam() {
	if !k.inTeam {
		return
	}
	if err := k.g.teamsOf(k.caller).leave(k.request.Team, k.agent.ID); err != nil {
		k.g.options.logger().Error("the file of a team could not be written", "team", k.request.Team, "error", err)
	}
}

// leaveTeammates tells the caller of a lead that ends in the background of its teammates, which do
// not end with it.
func (k *run) leaveTeammates() {
	if !k.isInBackground() || k.ctx.Err() != nil {
		return
	}
	if mates := k.roster.teammatesOf(k.agent.ID); len(mates) > 0 {
		k.note("Its teammates go on without it: " + strings.Join(mates, ", ") + ". To end one, send it a shutdown_request with SendMessage.")
	}
}

// idle waits until there is something for a teammate to read, and reports whether there is. It
// asks no model. The lead is told once that the teammate is idle. A teammate that has agreed to
// end reads what is there, and does not wait.
func (k *run) idle(reply Reply) bool {
	if k.isLeaving() {
		return k.mail().has(k.agent.ID)
	}
	if k.keepsGoing("idle", k.g.options.Hooks.Idle, reply) {
		return true
	}
	k.kept = 0
	changed := make(chan struct{}, 1)
	defer background.Of(k.agent.Session).Watch(func([]background.Task) {
		select {
		case changed <- struct{}{}:
		default: // it is about to look
		}
	})()
	for told := false; ; told = true {
		arrival := k.mail().boxes.Arrival(k.agent.ID)
		if k.mail().has(k.agent.ID) {
			return true
		}
		if news := k.agent.Session.News(); len(news) > 0 {
			k.tell(news...)
			return true
		}
		if !told {
			k.tellIdle(reply)
		}
		select {
		case <-arrival:
		case <-changed:
		case <-k.ctx.Done():
			return false
		}
	}
}

// tellIdle tells the lead that the teammate waits for messages, or the main agent if the lead has
// ended.
func (k *run) tellIdle(reply Reply) {
	text := k.textOf(reply)
	if len(text) > maxLastWords {
		text = strings.ToValidUTF8(text[:maxLastWords], "") + "…"
	}
	reader := k.lead()
	if k.roster.runOf(reader) == nil {
		reader = MainName
	}
	l := letter{From: k.agent.ID, FromName: k.agent.Name, FromType: k.agent.Type, Sent: time.Now(), Kind: idleNotice, Text: text}
	if err := k.mail().put(reader, l); err != nil {
		k.g.options.logger().Error("a lead could not be told that a teammate is idle", "agent", k.agent.ID, "error", err)
	}
}
