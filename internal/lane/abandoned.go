package lane

import (
	"slices"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// Abandoned is the set of abandoned jobs that still run, perhaps longer than the lane
// they were admitted to. Each keeps its claim: Block puts a ticket with that claim at
// the front of a later lane, so that no job there touches the same things. The zero
// value is empty. All methods may be called from any goroutine.
type Abandoned struct {
	nonEmpty atomic.Bool // lets Block return without locking; most sessions have no jobs here

	mu   lock.Mutex
	jobs []*AbandonedJob
}

// AbandonedJob is one job of a set.
type AbandonedJob struct {
	set    *Abandoned
	name   string
	claim  Claim
	reason error
	free   bool // it holds no keys, and blocks no lane

	release map[*Lane]func() // ends the job's ticket in each lane that it blocks
}

// Add adds a job that keeps the claim c. Wait returns reason to later jobs that
// conflict with it, so reason should name the job, see [Ticket.Abandon].
func (a *Abandoned) Add(name string, c Claim, reason error) *AbandonedJob {
	j := &AbandonedJob{set: a, name: name, claim: c, reason: reason}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.jobs = append(a.jobs, j)
	a.nonEmpty.Store(true)
	return j
}

// AddFree adds a job that keeps no keys: it is only named.
func (a *Abandoned) AddFree(name string) *AbandonedJob {
	j := &AbandonedJob{set: a, name: name, free: true}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.jobs = append(a.jobs, j)
	a.nonEmpty.Store(true)
	return j
}

// releaseKeys releases the job's keys in every lane. The caller holds mu.
func (j *AbandonedJob) releaseKeys() {
	j.free = true
	for _, release := range j.release {
		release()
	}
	j.release = nil
}

// Release removes the job from its set and releases its keys in every lane. Further
// calls do nothing.
func (j *AbandonedJob) Release() {
	a := j.set
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := slices.Index(a.jobs, j); i >= 0 {
		a.jobs = slices.Delete(a.jobs, i, i+1)
		a.nonEmpty.Store(len(a.jobs) > 0)
	}
	j.releaseKeys()
}

// Block adds an abandoned ticket for each job to l, which must not have tickets yet.
// It reports whether there are any jobs; if so, the caller calls Forget when the lane's
// own jobs are done.
func (a *Abandoned) Block(l *Lane) bool {
	if !a.nonEmpty.Load() {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	blocked := false
	for _, j := range a.jobs {
		if j.free {
			continue
		}
		blocked = true
		t := l.Admit()
		t.Claim(j.claim)
		t.Abandon(j.reason)
		if j.release == nil {
			j.release = map[*Lane]func(){}
		}
		j.release[l] = t.Done
	}
	return blocked
}

// Forget drops the set's references to l, whose own jobs are done.
func (a *Abandoned) Forget(l *Lane) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, j := range a.jobs {
		delete(j.release, l)
	}
}

// Names returns the names of the jobs, the oldest first.
func (a *Abandoned) Names() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var names []string
	for _, j := range a.jobs {
		names = append(names, j.name)
	}
	return names
}
