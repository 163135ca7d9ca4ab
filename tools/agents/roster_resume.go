package agents

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// maxHistory is how many bytes of the conversations of ended agents are kept in memory.
const maxHistory = 64 << 20

// runOf returns the run of an agent, by id; nil if it is not running.
func (r *roster) runOf(id string) *run {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.entries {
		if e.status.ID == id {
			return e.run
		}
	}
	return nil
}

// teammatesOf returns the labels of the running teammates that an agent has started.
func (r *roster) teammatesOf(lead string) (labels []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.entries {
		if e.role == pegboard.RoleTeammate && e.status.ParentID == lead && e.status.State == Running && len(labels) < maxListed {
			labels = append(labels, e.status.label())
		}
	}
	return labels
}

// mayGoOn returns why an agent cannot have another run. Cannot says why none may.
func (r *roster) mayGoOn(e *entry, cannot string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := e.mayResume(); err != nil {
		return err
	}
	if cannot != "" {
		return fmt.Errorf("%w: the agent that started it has no agents in the background; start a new one", ErrNotResumed)
	}
	return nil
}

// readsNoMore returns why an agent that is ending does not read another message.
func (r *roster) readsNoMore(e *entry) error {
	if k := r.runOf(e.status.ID); k != nil { // the id never changes
		return k.readsNoMore()
	}
	return nil
}

// isRunning reports whether an agent is running, or about to.
func (r *roster) isRunning(e *entry) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	e = r.find(e.status.ID)
	return e != nil && e.status.State == Running
}

// startedBy returns the id of the newest agent of a name that writer has started, or "".
func (r *roster) startedBy(writer, name string) string {
	if writer == MainName {
		writer = ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range slices.Backward(r.seen()) {
		if e.status.Name == name && e.status.ParentID == writer {
			return e.status.ID
		}
	}
	return ""
}

// later returns the id of the agent that was started later. An id that is not in the roster is
// earlier than all others.
func (r *roster) later(a, b string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	index := func(id string) int {
		return slices.IndexFunc(r.entries, func(e *entry) bool { return e.status.ID == id })
	}
	if b != "" && index(b) >= index(a) {
		return b
	}
	return a
}

// isLast reports whether no later run of its agent has taken the place of an entry.
func (r *roster) isLast(e *entry) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Contains(r.entries, e)
}

// reenter puts a new entry in the place of that of an agent that has ended and is about to run
// again. Again is nil if the agent is running. Cannot says why none may.
func (r *roster) reenter(id, cannot string, limit int) (again, ended *entry, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.entries, func(e *entry) bool { return e.status.ID == id })
	if i < 0 {
		return nil, nil, fmt.Errorf("%w: %q; it ended long ago and was forgotten", ErrUnknownAgent, id)
	}
	ended = r.entries[i]
	if ended.status.State == Running {
		if ended.stopped {
			return nil, nil, fmt.Errorf("%w: the user has stopped %s", ErrNotResumed, ended.status.label())
		}
		return nil, nil, nil
	}
	if err := ended.mayResume(); err != nil {
		return nil, nil, err
	}
	if cannot != "" {
		return nil, nil, fmt.Errorf("%w: %s; start a new one", ErrNotResumed, cannot)
	}
	if r.running >= limit {
		return nil, nil, fmt.Errorf("%w: %d, which is the most. Do not try again now: wait until one of them has reported. Running: %s", ErrTooMany, r.running, r.listRunning())
	}
	for _, o := range r.entries {
		if o.status.Name != "" && strings.EqualFold(o.status.Name, ended.status.Name) && o.status.State == Running {
			return nil, nil, fmt.Errorf("%w: agent %s has its name %q and is running", ErrNotResumed, o.status.ID, o.status.Name)
		}
	}
	next := *ended
	again = &next
	if again.role != pegboard.RoleTeammate && !again.forked {
		again.role = pegboard.RoleAsyncAgent
	}
	again.asked = maps.Clone(ended.asked)
	again.history, again.below, again.alone, again.stopped, again.between = nil, 0, nil, false, false
	again.status.State, again.status.Started, again.status.Ended, again.status.TaskID, again.status.Err = Running, time.Now(), time.Time{}, "", ""
	r.entries[i] = again
	r.running++
	if again.parent != nil {
		again.parent.below++
	}
	return again, ended, nil
}

// putBack undoes reenter.
func (r *roster) putBack(again, ended *entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.entries, again); i >= 0 {
		r.entries[i] = ended
		ended.byUser = ended.byUser || again.stopped
	}
	r.left(again)
}

// keep records how a run has ended, for a later one. The oldest conversations are forgotten when
// all of them together are too large. The caller holds the lock.
func (r *roster) keep(e *entry, history []json.RawMessage, byUser bool) {
	e.history, e.byUser = history, byUser
	if r.store != nil {
		e.history = nil
		return
	}
	size := 0
	for _, o := range slices.Backward(r.entries) {
		for _, m := range o.history {
			size += len(m)
		}
		if size > maxHistory && o.history != nil {
			o.history, o.forgotten = nil, true
		}
	}
}
