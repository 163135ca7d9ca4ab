package agents

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/lock"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
)

// maxEnded is how many agents that have ended are listed, and remembered where nothing is on disk.
const maxEnded = 256

// A roster lists the agents of one conversation.
type roster struct {
	mu      lock.Mutex
	entries []*entry      // in the order in which they were started
	running int           // agents, and those that have a place and are about to start
	used    Usage         // of all agents
	idle    chan struct{} // closed when running becomes 0; nil if nothing waits for that
	// waiting are the channels of those that wait for a place, oldest first. A channel is
	// closed when the place was handed over.
	waiting []chan struct{}

	store    *store // nil if nothing outlasts the program
	storeErr error  // why there is no store
}

// An entry is one agent of a roster.
type entry struct {
	parent     *entry // nil if the main agent has started it
	definition Definition
	barred     []string // types that it and its agents may not start
	forked     bool     // it goes on from its caller's conversation
	effort     string
	role       pegboard.Role
	caller     *pegboard.Session // of the agent that has started it
	request    Request
	recording  *recordLock // shared by all runs of the agent
	parents    []string    // the ids of the agents above, outermost first
	planLost   bool        // an agent of an earlier program was to answer its plan

	// Guarded by roster.mu.
	status Status // ID, Name and Type never change
	// Set at the end of a run, for a later one.
	history   []json.RawMessage
	byUser    bool              // it was stopped by Agents.Stop
	mode      pegboard.Mode     // that it has had; empty before its first run
	dir       string            // that it has worked in
	trim      json.RawMessage   // Session.TrimState
	loaded    []string          // Session.Loaded
	forgotten bool              // its history was too large to keep
	starting  bool              // its record may not be there yet, and others do not see it
	run       *run              // nil when it has ended, and until it has been set up
	plan      string            // the plan that waits for the lead's answer
	asked     map[string]string // the ids of those that asked the agent to end, by request
	stopped   bool              // Agents.Stop was called for this run, or before it was set up
	between   bool              // the run has ended, and a message may begin the next one at once
	below     int               // agents that it has started and that are running
	alone     chan struct{}     // closed when below becomes 0; nil if nothing waits for that
}

// rosterOf returns the roster of the conversation of s.
func (g *Agents) rosterOf(s *pegboard.Session) *roster {
	return g.rosterWith(s, g.leaseOf(s))
}

// rosterWith is rosterOf for a conversation with that lease.
func (g *Agents) rosterWith(s *pegboard.Session, l *lease) *roster {
	return g.rosters.GetOrInitRoot(s, func() *roster { return g.newRoster(s, l) })
}

// entryOf returns the agent that s belongs to; nil for the main agent.
func (g *Agents) entryOf(s *pegboard.Session) *entry {
	e, _ := g.entries.Get(s)
	return e
}

// enter adds an agent that is about to run, and that has a place. It gives the place back and
// fails if a running agent has its name.
func (r *roster) enter(e *entry) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if name := e.status.Name; name != "" {
		if i := slices.IndexFunc(r.entries, func(o *entry) bool { return strings.EqualFold(o.status.Name, name) && o.status.State == Running }); i >= 0 {
			r.freePlace()
			return fmt.Errorf("%w: agent %s is called %q and is running; choose another name", ErrInvalidRequest, r.entries[i].status.ID, r.entries[i].status.Name)
		}
	}
	taken := func(o *entry) bool { return o.status.ID == e.status.ID }
	for e.status.ID == "" || slices.ContainsFunc(r.entries, taken) {
		e.status.ID = idPrefix + strings.ToLower(rand.Text()[:8])
	}
	e.status.State, e.status.Started, e.starting, e.recording = Running, time.Now(), true, new(recordLock)
	r.entries = append(r.entries, e)
	if e.parent != nil {
		e.parent.below++
	}
	r.prune()
	return nil
}

// setRun says which run an agent has, and stops the run if the agent was to be stopped
// meanwhile. From then on others see the agent, since its record is there: a message to an agent
// without a record would be lost if the program died.
func (r *roster) setRun(e *entry, k *run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.run, e.starting = k, false
	if e.stopped {
		k.cancel(ErrStopped)
	}
}

// stop stops an agent on behalf of the user, by id or name, also one that others do not see yet, and
// one that is about to go on.
func (r *roster) stop(id string) (*entry, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := findIn(r.entries, id)
	switch {
	case e == nil:
		return nil, r.unknown(id)
	case e.between:
		e.byUser = true
		return e, nil
	case e.status.State != Running:
		return nil, fmt.Errorf("%w: %s", ErrEnded, id)
	}
	if e.stopped = true; e.run != nil {
		e.run.cancel(ErrStopped)
	}
	return e, nil
}

// setSettled records that an agent that has ended does not go on by itself.
func (r *roster) setSettled(e *entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.between = false
}

// withdraw removes an agent that was not started after all.
func (r *roster) withdraw(e *entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries = slices.DeleteFunc(r.entries, func(o *entry) bool { return o == e })
	r.left(e)
}

// leave records how an agent has ended. From then on it may go on, so its record is written
// before. The error says that it could not be.
func (r *roster) leave(k *run, state State, err error) (unwritten error) {
	history := k.messages() // under its own lock
	e := k.entry
	e.recording.mu.Lock()
	defer e.recording.mu.Unlock()
	for {
		last, when := r.last(k), time.Now()
		last.byUser, last.status.State, last.status.Ended = last.stopped, state, when
		if err != nil {
			last.status.Err = err.Error()
		}
		if r.store != nil {
			unwritten = r.saved(r.store.save(newRecord(&last)), last.status.ID)
		}
		r.mu.Lock()
		if e.stopped == last.stopped { // it was not stopped meanwhile
			defer r.mu.Unlock()
			r.keep(e, history, e.stopped)
			e.status.State, e.status.Ended, e.status.Err, e.run, e.between = state, when, last.status.Err, nil, state == Completed
			r.left(e)
			return unwritten
		}
		r.mu.Unlock()
	}
}

// last returns a copy of the entry of a run that is ending.
func (r *roster) last(k *run) entry {
	trim, loaded := r.sessionState(k)
	r.mu.Lock()
	defer r.mu.Unlock()
	k.entry.trim, k.entry.loaded = trim, loaded
	return *k.entry
}

// left counts an agent that no longer runs. The caller holds the lock.
func (r *roster) left(e *entry) {
	r.freePlace()
	if e.parent == nil {
		return
	}
	if e.parent.below--; e.parent.below == 0 && e.parent.alone != nil {
		close(e.parent.alone)
		e.parent.alone = nil
	}
}

// whenAlone returns a channel that is closed when no agent runs that e has started.
func (r *roster) whenAlone(e *entry) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.alone != nil {
		return e.alone
	}
	alone := make(chan struct{})
	if e.below == 0 {
		close(alone)
	} else {
		e.alone = alone
	}
	return alone
}

// prune forgets the agents that were started first and have ended, if there are too many. The
// caller holds the lock.
func (r *roster) prune() {
	over := len(r.entries) - r.running - maxEnded
	if over <= 0 || r.store != nil {
		return
	}
	for i := 0; over > 0 && i < len(r.entries); {
		if r.entries[i].status.State == Running {
			i++
			continue
		}
		r.entries = slices.Delete(r.entries, i, i+1)
		over--
	}
}

// seen returns the agents that others see. The caller holds the lock.
func (r *roster) seen() []*entry {
	return slices.DeleteFunc(slices.Clone(r.entries), func(e *entry) bool { return e.starting })
}

// find returns the agent with an id, or else the newest one of that name, if others see it. The
// caller holds the lock.
func (r *roster) find(id string) *entry { return findIn(r.seen(), id) }

// findIn returns the entry with an id, or else the last one of that name.
func findIn(entries []*entry, id string) (named *entry) {
	for _, e := range slices.Backward(entries) {
		if e.status.ID == id {
			return e
		}
		if named == nil && id != "" && e.status.Name == id {
			named = e
		}
	}
	return named
}

// lookup is find with an error for the model.
func (r *roster) lookup(id string) (*entry, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.find(id); e != nil {
		return e, nil
	}
	return nil, r.unknown(id)
}

// unknown returns the error for an id or name that no agent has. The caller holds the lock.
func (r *roster) unknown(id string) error {
	var names, bare []string
	for _, e := range slices.Backward(r.seen()) {
		names, bare = append(names, e.status.label()), append(bare, e.status.ID, e.status.Name)
	}
	if near := nearest.Names(id, bare, 3); len(near) > 0 {
		return fmt.Errorf("%w: %q; did you mean %s? T%s", ErrUnknownAgent, id, strings.Join(near, " or "), choices("", names)[1:])
	}
	if r.storeErr != nil {
		return fmt.Errorf("%w: %q; those of an earlier run of this program cannot be read: %w", ErrUnknownAgent, id, r.storeErr)
	}
	if len(names) == 0 {
		return fmt.Errorf("%w: %q; no agent was started in this conversation", ErrUnknownAgent, id)
	}
	return fmt.Errorf("%w: %q; %s", ErrUnknownAgent, id, choices(id, names))
}

// list returns the agents that are running and the last that have ended, in the order in which they
// were started.
func (r *roster) list() []Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	all, ended := []Status{}, 0
	for _, e := range slices.Backward(r.seen()) {
		if e.status.State != Running {
			ended++
		}
		if e.status.State == Running || ended <= maxEnded {
			all = append(all, e.status)
		}
	}
	slices.Reverse(all)
	return all
}

// listNamed returns the first agents that are running and have a name, without e.
func (r *roster) listNamed(e *entry, most int) (all []Status) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, o := range r.entries {
		if o != e && o.status.Name != "" && o.status.State == Running && len(all) < most {
			all = append(all, o.status)
		}
	}
	return all
}

// runs returns the runs of all agents that are running.
func (r *roster) runs() (all []*run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.entries {
		if e.run != nil {
			all = append(all, e.run)
		}
	}
	return all
}

// update changes the status of an agent.
func (r *roster) update(e *entry, change func(*Status)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&e.status)
}

// spend counts the cost of an agent's requests.
func (r *roster) spend(e *entry, u Usage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used = r.used.plus(u)
	e.status.Usage = e.status.Usage.plus(u)
}

// spent returns what all agents have used.
func (r *roster) spent() Usage {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used
}

// listRunning names the running agents. The caller holds the lock.
func (r *roster) listRunning() string {
	var all []string
	for _, e := range r.entries {
		if e.status.State == Running && len(all) < maxListed {
			all = append(all, e.status.label())
		}
	}
	return strings.Join(all, ", ")
}

// label returns the name and the id of an agent.
func (s *Status) label() string {
	if s.Name != "" {
		return s.Name + " (" + s.ID + ")"
	}
	return s.ID
}
