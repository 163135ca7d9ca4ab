package shell

import (
	"time"
)

// A stopwatch calls a function once a time has passed in which it was not paused.
// It is not safe for concurrent use.
type stopwatch struct {
	left  time.Duration
	since time.Time
	timer *time.Timer
}

func startStopwatch(limit time.Duration, f func()) *stopwatch {
	return &stopwatch{left: limit, since: time.Now(), timer: time.AfterFunc(limit, f)}
}

// pause returns false if the time was over.
func (w *stopwatch) pause() bool {
	inTime := w.timer.Stop()
	w.left -= time.Since(w.since)
	return inTime
}

// resume goes on after pause, if the time is not over.
func (w *stopwatch) resume() {
	w.since = time.Now()
	w.timer.Reset(max(w.left, 0))
}
