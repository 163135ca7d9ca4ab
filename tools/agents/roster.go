package agents

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/lock"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
	"github.com/seed49eaa51d/pegboard/policy"
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
	mode      policy.Mode       // that it has had; empty before its first run
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
	r.used = r.used.Plus(u)
	e.status.Usage = e.status.Usage.Plus(u)
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

// takePlace takes a place among the agents that run at once. If all are taken it waits behind
// those that wait already, until ctx ends or closing is closed; if closing is nil it fails.
func (r *roster) takePlace(ctx context.Context, closing <-chan struct{}, limit int) error {
	r.mu.Lock()
	if r.running < limit { // then nothing waits
		r.running++
		r.mu.Unlock()
		return nil
	}
	if closing == nil {
		defer r.mu.Unlock()
		return fmt.Errorf("%w: %d, which is the most. Do not try again now: wait until one of them has reported. Running: %s", ErrTooMany, r.running, r.listRunning())
	}
	place := make(chan struct{})
	r.waiting = append(r.waiting, place)
	r.mu.Unlock()
	var cause error
	select {
	case <-place:
		return nil
	case <-ctx.Done():
		cause = context.Cause(ctx)
	case <-closing:
		cause = pegboard.ErrClosed
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.waiting, place); i >= 0 {
		r.waiting = slices.Delete(r.waiting, i, i+1)
	} else { // it was handed over meanwhile
		r.freePlace()
	}
	return cause
}

// freePlace gives a place back: to the one that has waited longest, if any waits. The caller
// holds the lock.
func (r *roster) freePlace() {
	if len(r.waiting) == 0 {
		if r.running--; r.running == 0 && r.idle != nil {
			close(r.idle)
			r.idle = nil
		}
		return
	}
	close(r.waiting[0])
	r.waiting = r.waiting[1:]
}

// whenIdle returns a channel that is closed when no agent is running or about to.
func (r *roster) whenIdle() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.idle != nil {
		return r.idle
	}
	idle := make(chan struct{})
	if r.running == 0 {
		close(idle)
	} else {
		r.idle = idle
	}
	return idle
}

// returnPlace gives back a place that was not used.
func (r *roster) returnPlace() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.freePlace()
}

// setAsked records who has asked an agent to end; an empty id means that the request was answered.
func (r *roster) setAsked(e *entry, request, asker string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if asker == "" {
		delete(e.asked, request)
		return
	}
	if e.asked == nil {
		e.asked = map[string]string{}
	}
	e.asked[request] = asker
}

// askedBy returns who has asked an agent to end, by the id of the request.
func (r *roster) askedBy(e *entry, request string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return e.asked[request]
}

// setPlan sets the id of the plan that waits for an answer, and returns that of the plan before;
// empty means none.
func (r *roster) setPlan(id, request string) (before string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := findIn(r.entries, id)
	if e != nil {
		before, e.plan = e.plan, request
	}
	return before
}

// takePlan reports whether the agent has sent the plan with that id to lead, and waits for the
// answer, running or not. It does not wait any more then.
func (r *roster) takePlan(id, lead, request string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := findIn(r.entries, id)
	if e == nil || request == "" || e.plan != request || e.lead() != lead {
		return false
	}
	e.plan = ""
	return true
}

// lead returns the id of the agent that answers the plans of this one; empty if the main agent has not
// opened the conversation.
func (e *entry) lead() string {
	switch {
	case e.caller == nil:
		return ""
	case e.caller.AgentID() == "":
		return MainName
	}
	return e.caller.AgentID()
}

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

// newRoster returns the roster of the conversation of s, with the agents that Options.Dir has.
func (g *Agents) newRoster(s *pegboard.Session, l *lease) *roster {
	r := &roster{storeErr: l.err}
	if g.options.Dir == "" || l.err != nil {
		return r
	}
	if r.store, r.storeErr = openStore(filepath.Join(g.options.Dir, "agents"), l); r.storeErr != nil {
		g.options.logger().Error("agents cannot be kept", "error", r.storeErr)
		return r
	}
	var problems []error
	r.entries, problems = r.store.load()
	for _, e := range r.entries {
		if n := len(e.parents); n > 0 {
			e.parent = r.find(e.parents[n-1])
		}
	}
	for _, e := range r.entries {
		r.used = r.used.Plus(e.status.Usage)
	}
	for _, p := range problems {
		g.options.logger().Error("an agent of an earlier run cannot be read", "error", p)
	}
	tellProblems(s, problems)
	return r
}

// adopt makes s, the main session, the caller of the agents of earlier programs.
func (r *roster) adopt(s *pegboard.Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.entries {
		if e.caller == nil {
			e.caller = s
		}
	}
}

// record writes the record of a run's agent, with the present state of its session.
func (r *roster) record(k *run) error {
	if r.store == nil {
		return nil
	}
	trim, loaded := r.sessionState(k)
	r.mu.Lock()
	k.entry.trim, k.entry.loaded = trim, loaded
	r.mu.Unlock()
	return r.recordEntry(k.entry)
}

// sessionState returns the state of a run's session that the run's record keeps.
func (r *roster) sessionState(k *run) (trim json.RawMessage, loaded []string) {
	if r.store == nil {
		return nil, nil
	}
	return k.agent.Session.TrimState(), k.agent.Session.Loaded()
}

// recordStop records at once that the user has stopped an agent, so that it does not go on in a
// later program if this one dies before its run has ended.
func (r *roster) recordStop(e *entry) error {
	r.mu.Lock()
	k := e.run
	e.byUser = e.byUser || k != nil
	stopped := e.byUser
	r.mu.Unlock()
	switch {
	case k != nil:
		return r.record(k)
	case stopped:
		return r.recordEntry(e)
	}
	return nil // it is about to run, and ends at once
}

// recordEntry writes the record of an agent, unless it has gone on in a later run, whose record is
// newer.
func (r *roster) recordEntry(e *entry) error {
	if r.store == nil {
		return nil
	}
	e.recording.mu.Lock()
	defer e.recording.mu.Unlock()
	r.mu.Lock()
	now, last := newRecord(e), slices.Contains(r.entries, e)
	r.mu.Unlock()
	if !last {
		return nil
	}
	return r.saved(r.store.save(now), now.Status.ID)
}

// saved adds to an error of writing what could not be written.
func (r *roster) saved(err error, id string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the record of the agent %s could not be written: %w", id, err)
}

// forget removes the files of an agent that was not started after all.
func (r *roster) forget(id string) {
	if r.store != nil {
		_ = r.store.remove(id) // the rest is read as an agent that was running
	}
}

// historyOf returns the conversation of an agent that has ended.
func (r *roster) historyOf(e *entry) ([]json.RawMessage, error) {
	if r.store == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		return slices.Clone(e.history), nil
	}
	history, err := r.store.history(e.status.ID)
	if err != nil {
		return nil, fmt.Errorf("%w: the conversation of %s: %w; start a new one", ErrNotResumed, e.status.label(), err)
	}
	return history, nil
}

// modeOf returns the mode that an agent has had; empty before its first run.
func (r *roster) modeOf(e *entry) policy.Mode {
	r.mu.Lock()
	defer r.mu.Unlock()
	return e.mode
}

// setPlace records the mode and the directory that an agent has.
func (r *roster) setPlace(e *entry, s *pegboard.Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.mode, e.dir = s.Permissions().Mode(), s.Dir()
}
