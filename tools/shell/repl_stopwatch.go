package shell

import (
	"time"
)

// A stopwatch calls a function after a time, not counting the time in which it was
// paused. It is not safe for concurrent use.
type stopwatch struct {
	left  time.Duration
	since time.Time
	timer *time.Timer
}

func startStopwatch(limit time.Duration, f func()) *stopwatch {
	return &stopwatch{left: limit, since: time.Now(), timer: time.AfterFunc(limit, f)}
}

// pause stops the clock. It returns false if the time was over.
func (w *stopwatch) pause() bool {
	inTime := w.timer.Stop()
	w.left -= time.Since(w.since)
	return inTime
}

// resume starts the clock again after pause.
func (w *stopwatch) resume() {
	w.since = time.Now()
	w.timer.Reset(max(w.left, 0))
}
