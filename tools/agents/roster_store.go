package agents

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/seed49eaa51d/pegboard"
)

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
		r.used = r.used.plus(e.status.Usage)
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

// sessionState returns what a record has of the session of a run.
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
func (r *roster) modeOf(e *entry) pegboard.Mode {
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
