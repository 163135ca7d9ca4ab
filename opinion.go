package pegboard

// opinions are what others than the rules and the mode say of a call before it runs.
type opinions struct {
	own  Decision // of the tool
	hook Decision // of the hooks

	answered bool // the hooks have brought this very input and allowed it, as the user's answer

	caller *Decision // see ForceDecision; or nil
	guard  *Decision // of the session's Guard, Ask or Deny; or nil
	loop   string    // why the loop breaker wants the user to be asked, or ""
}

// strictest returns the strictest opinion.
func (o *opinions) strictest() Decision {
	o.hook.By, o.own.By = ByHook, ByTool
	d := stricter(o.hook, o.own)
	if o.caller != nil {
		d = stricter(d, *o.caller)
	}
	if o.guard != nil {
		d = stricter(*o.guard, d)
	}
	return d
}

// needsUser reports whether the Guard wants the user, and nobody else, to answer.
func (o *opinions) needsUser() bool { return o.guard != nil && o.guard.Behavior == Ask }

// answers reports whether the caller's decision allows a call that was decided as d: one
// that nothing but its being unknown speaks against.
func (o *opinions) answers(d Decision) bool {
	return o.caller != nil && o.caller.Behavior == Allow && d.Behavior == Ask && (d.unruled || d.By == ByMode) && o.loop == ""
}
