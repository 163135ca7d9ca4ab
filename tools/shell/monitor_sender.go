package shell

import (
	"time"
)

// A teller tells the events of a feed at the pace that the constants name.
type teller struct {
	feed *eventFeed
	tell func(text string)
	stop func(cause error) // ends what writes to the feed
	full func() bool       // whether the output file is too large, asked every eventPace
}

// run tells events until done is closed, and then what is left.
func (t teller) run(done <-chan struct{}) {
	pace := time.NewTicker(eventPace)
	defer pace.Stop()
	var (
		due       <-chan time.Time // nil while no event waits
		last      time.Time        // when events were told
		overflows int              // in a row
	)
	for {
		select {
		case <-t.feed.waiting:
			if due == nil {
				due = time.After(max(eventGather, time.Until(last.Add(eventPace))))
			}
		case <-due:
			due, last = nil, time.Now()
			if overflows++; !t.tellAll() {
				overflows = 0
			}
			if overflows == maxOverflows {
				t.feed.stop()
				t.stop(errMonitorFlood)
			}
		case <-pace.C:
			if t.full() {
				t.stop(errMonitorFile)
			}
		case <-done:
			t.feed.finish()
			t.tellAll()
			return
		}
	}
}

// tellAll tells what waits and reports whether it lacked events.
func (t teller) tellAll() (overflown bool) {
	text, overflown := t.feed.take()
	if text != "" {
		t.tell(text)
	}
	return overflown
}
