package inspect

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
)

const (
	maxStreams    = 200              // at the same time
	streamLife    = time.Minute      // then the browser asks again
	streamPause   = time.Second / 4  // between two messages
	streamTimeout = 10 * time.Second // of one message to a browser that does not read
	maxUpdate     = 20               // calls in one message, and in one fetch of rows

	maxUpdateBytes = 20_000 // of the rows in one answer, if there is more than one
)

// serveEvents streams the numbers of the calls that have changed.
func (p *Page) serveEvents(w http.ResponseWriter, r *http.Request) error {
	select {
	case p.streams <- struct{}{}:
		defer func() { <-p.streams }()
	default:
		refuse(w, http.StatusServiceUnavailable, "Too many browsers look at this page.")
		return nil
	}
	after := r.Header.Get("Last-Event-ID")
	if after == "" {
		after = r.URL.Query().Get("after")
	}
	since, _ := strconv.ParseUint(after, 10, 64)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // a proxy must not hold the events
	control := http.NewResponseController(w)
	send := func(text string) bool {
		_ = control.SetWriteDeadline(time.Now().Add(streamTimeout)) // a writer without deadlines has none to miss
		_, err := fmt.Fprint(w, text)
		return err == nil && control.Flush() == nil
	}
	if !send("retry: 1000\n\n") {
		return nil
	}
	over := time.NewTimer(streamLife)
	defer over.Stop()
	for {
		change, wake := p.ring.changes(since)
		var pause <-chan time.Time
		if wake == nil {
			since, pause = change.revision, time.After(streamPause)
			if !send(change.message()) {
				return nil
			}
		}
		select {
		case <-wake:
		case <-pause:
		case <-over.C:
			return nil
		case <-r.Context().Done():
			return nil
		}
	}
}

// A ringChange lists the changes since a revision, or the first of them.
type ringChange struct {
	revision  uint64 // up to which the change goes
	calls     []int64
	questions bool
}

// changes returns the changes since a revision. If there are no changes, wake is a channel that is
// closed when something does.
func (r *ring) changes(since uint64) (change ringChange, wake <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if since > r.revision { // of another process
		since = 0
	}
	if since == r.revision {
		if r.wake == nil {
			r.wake = make(chan struct{})
		}
		return ringChange{}, r.wake
	}
	var changed []*callRecord
	for _, c := range r.calls {
		if c != nil && c.revision > since {
			changed = append(changed, c)
		}
	}
	slices.SortFunc(changed, func(a, b *callRecord) int { return cmp.Compare(a.revision, b.revision) })
	change = ringChange{revision: r.revision, questions: r.asked > since}
	if len(changed) > maxUpdate {
		changed = changed[:maxUpdate]
		change.revision = changed[maxUpdate-1].revision
	}
	for _, c := range changed {
		change.calls = append(change.calls, c.number)
	}
	return change, nil
}

// message returns the change as a server-sent event.
func (c ringChange) message() string {
	return fmt.Sprintf("id: %d\ndata: {\"calls\":[%s],\"questions\":%t}\n\n", c.revision, joinNumbers(c.calls), c.questions)
}
