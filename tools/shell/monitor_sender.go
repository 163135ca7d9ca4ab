package shell

import (
	"time"
)

// A monitorSender tells the events of a feed at the pace that the constants name.
type monitorSender struct {
	events   *monitorEvents
	send     func(text string)
	stop     func(cause error) // ends what writes to the feed
	fileFull func() bool       // whether the output file is too large, asked every eventPace
}

// run tells events until done is closed, and then what is left.
func (t monitorSender) run(done <-chan struct{}) {
	pace := time.NewTicker(eventInterval)
	defer pace.Stop()
	var (
		due       <-chan time.Time // nil while no event waits
		last      time.Time        // when events were told
		overflows int              // in a row
	)
	for {
		select {
		case <-t.events.ready:
			if due == nil {
				due = time.After(max(eventGatherTime, time.Until(last.Add(eventInterval))))
			}
		case <-due:
			due, last = nil, time.Now()
			if overflows++; !t.sendPending() {
				overflows = 0
			}
			if overflows == maxOverflows {
				t.events.stop()
				t.stop(errMonitorFlood)
			}
		case <-pace.C:
			if t.fileFull() {
				t.stop(errMonitorFile)
			}
		case <-done:
			t.events.finish()
			t.sendPending()
			return
		}
	}
}

// sendPending tells what waits and reports whether it lacked events.
func (t monitorSender) sendPending() (overflown bool) {
	text, overflown := t.events.drain()
	if text != "" {
		t.send(text)
	}
	return overflown
}
