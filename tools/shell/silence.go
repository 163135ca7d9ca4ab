package shell

import (
	"fmt"
	"time"
)

// A silence notices that a command prints nothing.
type silence struct {
	command *command
	timer   *time.Timer
	told    time.Time // the last output before the silence that was told
}

func newSilence(k *command) *silence {
	q := &silence{command: k, timer: time.NewTimer(k.options.Silence)}
	if k.options.Silence < 0 {
		q.timer.Stop()
	}
	return q
}

// tell tells of a silence that is long enough, once.
func (q *silence) tell() {
	most, last := q.command.options.Silence, q.command.process.LastOutput()
	left := time.Until(last.Add(most))
	if left <= 0 && !last.Equal(q.told) {
		q.told = last
		q.command.call.Emit(fmt.Sprintf("No output for %v; the command still runs.", most))
	}
	if left <= 0 {
		left = most
	}
	q.timer.Reset(left)
}
