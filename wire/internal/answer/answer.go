// Package answer pairs the calls of a reply with their results.
package answer

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
)

// An Answer is a call and its result.
type Answer struct {
	Call   pegboard.Call
	Result *pegboard.Result // never nil

	duplicates []pegboard.Part // the Messages of outcomes that repeat the call's id
}

// Suspended reports whether an outcome waits for an answer, so that no result can be sent.
func Suspended(outcomes []pegboard.Outcome) bool {
	return slices.ContainsFunc(outcomes, func(o pegboard.Outcome) bool { return errors.Is(o.Err, pegboard.ErrSuspended) })
}

// To returns one answer for each id among the calls, in their order. Of several
// outcomes with an id, the first counts that does not wrap [pegboard.ErrDuplicate], and of
// those that do the Messages. A call without an outcome is answered as not run.
func To(calls []pegboard.Call, outcomes []pegboard.Outcome) []Answer {
	results := map[string]*pegboard.Result{}
	var duplicates map[string][]pegboard.Part
	for _, o := range outcomes {
		if o.Call == nil || o.Result == nil {
			continue
		}
		if errors.Is(o.Err, pegboard.ErrDuplicate) {
			if duplicates == nil {
				duplicates = map[string][]pegboard.Part{}
			}
			duplicates[o.Call.ID] = append(duplicates[o.Call.ID], o.Result.Messages...)
			continue
		}
		if _, ok := results[o.Call.ID]; !ok {
			results[o.Call.ID] = o.Result
		}
	}
	seen := map[string]bool{}
	var list []Answer
	for _, c := range calls {
		if seen[c.ID] {
			continue
		}
		seen[c.ID] = true
		r := results[c.ID]
		if r == nil {
			r = notRun(c)
		}
		list = append(list, Answer{Call: c, Result: r, duplicates: duplicates[c.ID]})
	}
	return list
}

// WithID is [To] without calls that have no id, for APIs that match results by id.
func WithID(calls []pegboard.Call, outcomes []pegboard.Outcome) []Answer {
	return slices.DeleteFunc(To(calls, outcomes), func(a Answer) bool { return a.Call.ID == "" })
}

// Messages returns the Notice of m, unless it is empty, then the Messages of all results, in their
// order, and then more. Texts about a call that repeats an id follow the Messages of the first.
func Messages(m *wire.Message, answers []Answer, more []pegboard.Part) []pegboard.Part {
	var messages []pegboard.Part
	if notice := m.Notice(); notice != "" {
		messages = append(messages, pegboard.Part{Text: notice})
	}
	for _, a := range answers {
		messages = append(append(messages, a.Result.Messages...), a.duplicates...)
	}
	if messages == nil {
		return more
	}
	return append(messages, more...)
}

func notRun(c pegboard.Call) *pegboard.Result {
	return &pegboard.Result{IsError: true, Parts: []pegboard.Part{{
		Text: fmt.Sprintf("%s was not run: the turn was interrupted. Repeat the call if it is still wanted.", c.Name),
	}}}
}
