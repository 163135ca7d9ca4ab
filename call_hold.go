package pegboard

// Hold keeps targets of c while what it has started goes on after its tool has returned, as a
// command in the background does, until release is called. They are targets that
// [Call.Targets] returned. What says what goes on, such as its id and its command.
//
// Until then the user is asked about a command line, of any agent of the conversation, with
// a path that lies where a held target moves names, see [ShellFacts].MovesNames, and about
// one that moves names where a held path lies: the paths of both were decided on before. A
// question that is open when release is called is decided again. Release may be called more
// than once. Hold does nothing for a Call that no Executor admitted.
func (c *Call) Hold(what string, targets ...Target) (release func()) {
	if c.state == nil || c.state.session == nil || len(targets) == 0 {
		return func() {}
	}
	s := c.state.session
	remove := s.holds.add(&hold{what: what, targets: cloneTargets(targets)})
	return func() {
		remove()
		s.line.NotifyChange()
	}
}
