package shell

import (
	"time"
)

// A monitorSender sends the events of a monitor at a limited rate.
type monitorSender struct {
	events   *monitorEvents
	send     func(text string)
	stop     func(cause error) // ends the command
	fileFull func() bool       // reports whether the output file is too large; called every eventInterval
}

// run sends events until done is closed, and then the remaining ones.
func (m monitorSender) run(done <-chan struct{}) {
	pace := time.NewTicker(eventInterval)
	defer pace.Stop()
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
		case <-pace.C:
			if m.fileFull() {
				m.stop(errMonitorFile)
			}
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
