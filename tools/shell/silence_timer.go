package shell

import (
	"fmt"
	"time"
)

// A silenceTimer notices that a command prints nothing.
type silenceTimer struct {
	command  *command
	timer    *time.Timer
	reported time.Time // the last output before the silence that was told
}

func newSilenceTimer(k *command) *silenceTimer {
	q := &silenceTimer{command: k, timer: time.NewTimer(k.options.Silence)}
	if k.options.Silence < 0 {
		q.timer.Stop()
	}
	return q
}

// report tells of a silence that is long enough, once.
func (q *silenceTimer) report() {
	most, last := q.command.options.Silence, q.command.process.LastOutput()
	left := time.Until(last.Add(most))
	if left <= 0 && !last.Equal(q.reported) {
		q.reported = last
		q.command.call.Emit(fmt.Sprintf("No output for %v; the command still runs.", most))
	}
	if left <= 0 {
		left = most
	}
	q.timer.Reset(left)
}
