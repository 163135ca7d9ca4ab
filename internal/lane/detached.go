package lane

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Abandoned is the jobs that outlive the lane that they ran in. What they hold
// stands in front of later lanes until they end. The zero value is empty; all
// methods may be called from any goroutine.
type Abandoned struct {
	nonEmpty atomic.Bool // there are jobs: most sessions have none, and need not lock

	mu   sync.Mutex
	jobs []*AbandonedJob
}

// AbandonedJob is what one detached job holds.
type AbandonedJob struct {
	set    *Abandoned
	name   string
	claim  Claim
	reason error

	release map[*Lane]func() // its places in later lanes
}

// Add adds a job that holds c. reason should name the job, see [Ticket.Abandon].
func (d *Abandoned) Add(name string, c Claim, reason error) *AbandonedJob {
	h := &AbandonedJob{set: d, name: name, claim: c, reason: reason}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.jobs = append(d.jobs, h)
	d.nonEmpty.Store(true)
	return h
}

// Release forgets a job that has ended, and gives up what it held.
func (h *AbandonedJob) Release() {
	d := h.set
	d.mu.Lock()
	defer d.mu.Unlock()
	if i := slices.Index(d.jobs, h); i >= 0 {
		d.jobs = slices.Delete(d.jobs, i, i+1)
		d.nonEmpty.Store(len(d.jobs) > 0)
	}
	for _, release := range h.release {
		release()
	}
}

// Block puts what the jobs hold in front of a lane that has no tickets yet. It reports
// whether there are any jobs.
func (d *Abandoned) Block(l *Lane) bool {
	if !d.nonEmpty.Load() {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, h := range d.jobs {
		t := l.Admit()
		t.Claim(h.claim)
		t.Abandon(h.reason)
		if h.release == nil {
			h.release = map[*Lane]func(){}
		}
		h.release[l] = t.Done
	}
	return len(d.jobs) > 0
}

// Forget lets go of a lane that was blocked and whose own jobs have ended.
func (d *Abandoned) Forget(l *Lane) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, h := range d.jobs {
		delete(h.release, l)
	}
}

// Names returns the names of the jobs, the oldest first.
func (d *Abandoned) Names() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var names []string
	for _, h := range d.jobs {
		names = append(names, h.name)
	}
	return names
}
