package hooks

import (
	"cmp"
	"fmt"
)

// stops reports whether the event is that an agent wants to stop.
func (o *occasion) stops() bool { return o.event == stop || o.event == subagentStop }

// answer joins the replies to an event of the loop.
func (o *occasion) answer(replies []*reply) Answer {
	var a Answer
	for _, r := range replies {
		b := r.Answer
		if !o.control.blocks {
			b.Block = false
		}
		switch {
		case !b.Block && !b.Stop:
			b.Reason = ""
		case b.Reason == "", r.ours, b.Stop:
		case o.control.goesOn:
			b.Reason = o.words(r.handler, b.Reason)
		case o.event == taskCreated, o.event == taskCompleted: // within the text of an error
			b.Reason = r.reason("")
		}
		if o.stops() && len(b.Context) > 0 { // the agent goes on to read it
			b.Block = true
		}
		a.join(&b)
	}
	if o.event == worktreeCreate && a.WorktreePath == "" {
		a.WorktreePath = printedPath(replies)
	}
	if !o.stops() {
		return a
	}
	if a.Stop {
		a.Block = false
	}
	limit := cmp.Or(o.runner.options.StopCap, defaultStopCap)
	if wanted := a.Block; o.state.countStop(a.Block, limit) != wanted {
		a.Block = false
		o.tell(fmt.Sprintf("Hooks have kept the agent from stopping %d times in a row, so it stops now.", limit))
	}
	return a
}
