package tooltest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/seed49eaa51d/pegboard"
)

// A Model plays the model in the test of a loop: it returns its turns in order and
// checks that every call is answered exactly once.
//
// Its methods may be called concurrently, though a loop has no reason to.
type Model struct {
	mu    sync.Mutex
	turns []Turn
	next  int   // index of the turn to return next
	err   error // the first error
}

// NewModel returns a model that plays the given turns. A call without an ID gets one
// of the form "turn-1-call-2".
func NewModel(turns ...Turn) *Model {
	m := &Model{turns: slices.Clone(turns)}
	for i := range m.turns {
		m.turns[i].Calls = copyCalls(m.turns[i].Calls)
		for j := range m.turns[i].Calls {
			if c := &m.turns[i].Calls[j]; c.ID == "" {
				c.ID = fmt.Sprintf("turn-%d-call-%d", i+1, j+1)
			}
		}
	}
	return m
}

// Reply returns the next turn. outcomes are the outcomes of the calls of the previous
// turn, one for each call and in any order. There are no outcomes before the first
// turn and after a turn without calls.
//
// Reply returns an error if an outcome is missing, duplicated or belongs to no call,
// if the turn's Expect returns one, or if the script has no more turns. The model
// then stays in error: Reply returns no more turns, and [Model.Done] returns the same
// error.
func (m *Model) Reply(outcomes []pegboard.Outcome) (Turn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil {
		m.err = m.advance(outcomes)
	}
	if m.err == nil && m.next > len(m.turns) {
		m.err = fmt.Errorf("the model was asked for turn %d, its script has %d: a loop ends after a turn without calls", m.next, len(m.turns))
	}
	if m.err != nil {
		return Turn{}, m.err
	}
	turn := m.turns[m.next-1]
	turn.Calls = copyCalls(turn.Calls)
	return turn, nil
}

// Done returns nil if the loop has received every turn and passed an outcome for
// every call, without an error.
func (m *Model) Done() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.err != nil:
		return m.err
	case m.next < len(m.turns):
		return fmt.Errorf("the loop ended after %d of %d turns", m.next, len(m.turns))
	case m.next == len(m.turns) && m.next > 0 && len(m.turns[m.next-1].Calls) > 0:
		return fmt.Errorf("turn %d: no outcome was handed over for %s", m.next, idsOf(m.turns[m.next-1].Calls))
	}
	return nil
}

// advance checks the outcomes of the previous turn and goes on to the next one.
func (m *Model) advance(outcomes []pegboard.Outcome) error {
	previous := m.next
	m.next++
	if previous == 0 {
		return requireEmpty(outcomes, "before the first turn")
	}
	last := m.turns[previous-1]
	if len(last.Calls) == 0 {
		return requireEmpty(outcomes, fmt.Sprintf("after turn %d, which has no calls", previous))
	}
	ordered, err := matchOutcomes(last.Calls, outcomes)
	if err == nil && last.Expect != nil {
		err = last.Expect(ordered)
	}
	if err != nil {
		return fmt.Errorf("turn %d: %w", previous, err)
	}
	return nil
}

func requireEmpty(outcomes []pegboard.Outcome, when string) error {
	if len(outcomes) == 0 {
		return nil
	}
	return fmt.Errorf("%d outcomes were handed over %s", len(outcomes), when)
}

// matchOutcomes returns the outcomes in the order of their calls. Calls with the same
// ID get theirs in the given order.
func matchOutcomes(calls []pegboard.Call, outcomes []pegboard.Outcome) ([]pegboard.Outcome, error) {
	byID := map[string][]pegboard.Outcome{}
	var errs []error
	for i, o := range outcomes {
		switch {
		case o.Call == nil:
			errs = append(errs, fmt.Errorf("outcome %d has no call", i+1))
		case o.Result == nil:
			errs = append(errs, fmt.Errorf("the outcome of %s has no result", o.Call.ID))
		default:
			byID[o.Call.ID] = append(byID[o.Call.ID], o)
		}
	}
	ordered := make([]pegboard.Outcome, 0, len(calls))
	for _, c := range calls {
		list := byID[c.ID]
		if len(list) == 0 {
			errs = append(errs, fmt.Errorf("no outcome was handed over for %s, a call of %s", c.ID, c.Name))
			continue
		}
		ordered, byID[c.ID] = append(ordered, list[0]), list[1:]
	}
	for _, o := range outcomes { // the unmatched outcomes, in the given order
		if o.Call != nil && len(byID[o.Call.ID]) > 0 {
			byID[o.Call.ID] = nil
			errs = append(errs, fmt.Errorf("an outcome of %s answers no call of this turn", o.Call.ID))
		}
	}
	return ordered, errors.Join(errs...)
}

// A Turn is one reply of a [Model]: a text, calls, or both. A model ends a
// conversation with a turn without calls.
type Turn struct {
	Text  string
	Calls []pegboard.Call
	// Expect, if set, is called with the outcomes of Calls, in the order of Calls,
	// when the loop passes them. [Model.Reply] returns its error. It must not use the
	// model.
	Expect func(outcomes []pegboard.Outcome) error
}

// WantErrors returns an Expect function for a [Turn] that compares the error of each
// outcome with errors.Is. A nil means an outcome without error; that includes a
// failure that the tool itself has reported.
func WantErrors(want ...error) func([]pegboard.Outcome) error {
	return func(outcomes []pegboard.Outcome) error {
		if len(outcomes) != len(want) {
			return fmt.Errorf("got %d outcomes, want %d", len(outcomes), len(want))
		}
		var errs []error
		for i, o := range outcomes {
			if !errors.Is(o.Err, want[i]) {
				errs = append(errs, fmt.Errorf("%s: got %s, want %s", o.Call.ID, describeErr(o.Err), describeErr(want[i])))
			}
		}
		return errors.Join(errs...)
	}
}

func describeErr(err error) string {
	if err == nil {
		return "no error"
	}
	return "error " + strconv.Quote(err.Error())
}
