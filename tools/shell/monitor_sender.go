package shell

import (
	"time"
)

// A monitorSender sends the events of a monitor at a limited rate.
type monitorSender struct {
	events *monitorEvents
	send   func(text string)
	stop   func(cause error) // ends the command
	full   <-chan struct{}   // closed when the output file is too large
}

// run sends events until done is closed, and then the remaining ones.
func (m monitorSender) run(done <-chan struct{}) {
	full := m.full
	var (
		due       <-chan time.Time // nil while no event is queued
		last      time.Time        // when the last message was sent
		overflows int              // incomplete messages in a row
	)
	for {
		select {
		case <-m.events.ready:
			if due == nil {
				due = time.After(max(eventGatherTime, time.Until(last.Add(eventInterval))))
			}
		case <-due:
			due, last = nil, time.Now()
			if overflows++; !m.sendPending() {
				overflows = 0
			}
			if overflows == maxOverflows {
				m.events.stop()
				m.stop(errMonitorFlood)
			}
		case <-full:
			full = nil
			m.stop(errMonitorFile)
		case <-done:
			m.events.finish()
			m.sendPending()
			return
		}
	}
}

// sendPending sends the queued events and reports whether some were left out.
func (m monitorSender) sendPending() (incomplete bool) {
	text, incomplete := m.events.drain()
	if text != "" {
		m.send(text)
	}
	return incomplete
}
