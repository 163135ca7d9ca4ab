package agents

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
