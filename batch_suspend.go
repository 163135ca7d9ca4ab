package pegboard

import "errors"

// openRecord makes the record of a batch whose calls may be suspended: those of the model in a
// main session.
func (b *batch) openRecord() {
	s := b.pool.session
	if s.cfg.Suspend == nil || b.record != nil || b.outerJob() != nil {
		return
	}
	b.record = newTurnRecord(&b.uncancelled, s, b.host.turn())
	b.host.recorded = b.record.turn
}

// suspendedTurn returns the calls of the batch, which must have ended.
func (b *batch) suspendedTurn() (*suspendedTurn, error) {
	turn := &suspendedTurn{Session: b.record.session, Turn: b.record.turn}
	for _, j := range b.admitted() {
		select {
		case <-j.ended:
		default:
			return nil, errors.New("the calls of the message have not ended; call Stream.Wait first")
		}
		c := callRecord{Loop: j.loopReason}
		written := &j.snapshots.first[0].Call
		c.ID, c.Name, c.Input, c.FromText = written.ID, written.Name, written.Input, written.FromText
		if f := j.forced; f != nil {
			record := recordDecision(&f.Decision)
			c.Forced = &record
		}
		if o := j.published(); o.suspended == nil {
			c.Outcome = j.outcomeRecord(&o)
		} else if q := o.suspended.question; q != nil {
			copied := *q
			c.Question = &copied
		}
		turn.Calls = append(turn.Calls, c)
	}
	for place := range turn.Calls {
		if q := turn.Calls[place].Question; q != nil {
			q.Signature = b.record.seal.sign(sealedQuestion, q.signed(turn, place)...)
		}
	}
	return turn, nil
}
