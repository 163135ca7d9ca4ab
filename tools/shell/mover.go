package shell

import (
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	lines "github.com/seed49eaa51d/pegboard/policy/shell"
)

// heldTargets returns those targets of a call that must keep the meaning with which they were
// decided, since the line of the call goes on after it. If the line has unknown commands, they are
// only the names that it is known to move: a program that runs any code was allowed to do so, and
// needs no further call.
func heldTargets(line *lines.Line, c *pegboard.Call) (held []policy.Target) {
	known := line.SelfContained()
	for _, t := range c.Targets() {
		if t.Shell.MovesNames || known && t.Kind == policy.Path && !t.Shell.Guess {
			held = append(held, t)
		}
	}
	return held
}

// holdText says what goes on, as the model and a person know it.
func holdText(id, command string) string {
	text := strings.Join(strings.Fields(command), " ")
	const most = 100
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return "the background task " + id + " (" + text + ")"
}
