package shell

import (
	"fmt"
	"time"
)

// A silenceTimer reports that a command prints nothing.
type silenceTimer struct {
	command  *command
	timer    *time.Timer
	reported time.Time // time of the last output before the silence that was reported
}

func newSilenceTimer(k *command) *silenceTimer {
	q := &silenceTimer{command: k, timer: time.NewTimer(k.options.Silence)}
	if k.options.Silence < 0 {
		q.timer.Stop()
	}
	return q
}

// report emits a progress event if the silence is long enough and was not reported
// yet. It sets the timer again.
func (q *silenceTimer) report() {
	limit, last := q.command.options.Silence, q.command.process.LastOutput()
	left := time.Until(last.Add(limit))
	if left <= 0 && !last.Equal(q.reported) {
		q.reported = last
		q.command.call.Emit(fmt.Sprintf("No output for %v; the command still runs.", limit))
	}
	if left <= 0 {
		left = limit
	}
	q.timer.Reset(left)
}
