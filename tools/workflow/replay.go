package workflow

import "encoding/json"

// A replay has the results of an earlier run: those of the agents before the first one, in
// the order of the starts, that did not finish. The zero value has none.
//
// The results are told in the order in which the agents ended in the earlier run. So a
// script that is the same starts the same agents in the same order.
type replay struct {
	keys    []string          // of the agents, in the order of the starts
	values  []json.RawMessage // likewise
	ends    []int             // numbers of the agents, in the order of their ends
	pending map[int]*agentCall
	used    int // results that were told
}

// takes reports whether the replay has the result of an agent that starts. An agent that
// was asked something else, and all agents after it, are started.
func (r *replay) takes(a *agentCall) bool {
	if a.number >= len(r.keys) {
		return false
	}
	if r.keys[a.number] != a.request.key() {
		r.keys = r.keys[:a.number]
		return false
	}
	if r.pending == nil {
		r.pending = map[int]*agentCall{}
	}
	r.pending[a.number] = a
	return true
}

// next removes and returns the agent that ended first and was started, with its result. It
// is nil if no such agent is left.
func (r *replay) next() (*agentCall, json.RawMessage) {
	for i, number := range r.ends {
		if a := r.pending[number]; a != nil {
			delete(r.pending, number)
			r.ends = append(r.ends[:i:i], r.ends[i+1:]...)
			r.used++
			return a, r.values[number]
		}
	}
	return nil, nil
}
