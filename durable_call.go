package pegboard

// A durableCall has the state of a call that an earlier process has left, and the state for a
// later one. A call of a session that does not suspend has none. Its fields belong to the goroutine
// of the job; outcome and fresh are not written once the job has started.
type durableCall struct {
	record *turnRecord
	past   callPast

	outcome  *outcomeRecord  // the call has finished
	question *questionRecord // that was asked before
	fresh    bool            // an answer was given now, and not before a crash
	answer   *decidedRecord  // until it is taken
	taken    *decidedRecord
}

// isFresh reports whether the host has given an answer now.
func (d *durableCall) isFresh() bool { return d != nil && d.fresh }
