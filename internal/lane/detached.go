package lane

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Detached is the jobs that outlive the lane that they ran in. What they hold
// stands in front of later lanes until they end. The zero value is empty; all
// methods may be called from any goroutine.
type Detached struct {
	some atomic.Bool // there are jobs: most sessions have none, and need not lock

	mu   sync.Mutex
	jobs []*Held
}

// Held is what one detached job holds.
type Held struct {
	of     *Detached
	name   string
	claim  Claim
	reason error

	release map[*Lane]func() // its places in later lanes
}

// Hold adds a job that holds c. reason should name the job, see [Ticket.Detach].
func (d *Detached) Hold(name string, c Claim, reason error) *Held {
	h := &Held{of: d, name: name, claim: c, reason: reason}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.jobs = append(d.jobs, h)
	d.some.Store(true)
	return h
}

// End forgets a job that has ended, and gives up what it held.
func (h *Held) End() {
	d := h.of
	d.mu.Lock()
	defer d.mu.Unlock()
	if i := slices.Index(d.jobs, h); i >= 0 {
		d.jobs = slices.Delete(d.jobs, i, i+1)
		d.some.Store(len(d.jobs) > 0)
	}
	for _, release := range h.release {
		release()
	}
}

// Block puts what the jobs hold in front of a lane that has no tickets yet. It reports
// whether there are any jobs.
func (d *Detached) Block(l *Lane) bool {
	if !d.some.Load() {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, h := range d.jobs {
		t := l.Admit()
		t.Claim(h.claim)
		t.Detach(h.reason)
		if h.release == nil {
			h.release = map[*Lane]func(){}
		}
		h.release[l] = t.Done
	}
	return len(d.jobs) > 0
}

// Forget lets go of a lane that was blocked and whose own jobs have ended.
func (d *Detached) Forget(l *Lane) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, h := range d.jobs {
		delete(h.release, l)
	}
}

// Names returns the names of the jobs, the oldest first.
func (d *Detached) Names() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var names []string
	for _, h := range d.jobs {
		names = append(names, h.name)
	}
	return names
}
