package shell

import (
	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// taskTarget returns the targets of a call about a background task. The task's id comes
// first, so that the call is decided, ordered and run for one task although the model
// may have named it otherwise. A name that stands for no task is left as it is.
func taskTarget(c *pegboard.Call, access pegboard.Access, given string) []pegboard.Target {
	t := pegboard.Target{Kind: pegboard.TargetResource, Access: access, Value: given}
	if s := c.Session(); s != nil {
		if task, ok := background.Of(s).Get(given); ok && task.ID != given {
			t.Value, t.Aliases = task.ID, []string{given}
		}
	}
	return []pegboard.Target{t}
}

// decidedTask returns the id of the task that the call was decided for, or what the model
// gave if that stood for no task.
func decidedTask(c *pegboard.Call, given string) string {
	if targets := c.Targets(); len(targets) > 0 {
		return targets[0].Value
	}
	return given
}
