package main

import (
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A span is one call, from the moment that it has its place in the order.
type span struct {
	number                 int
	view                   pegboard.View
	decision               policy.Decision
	note                   string // why it waits, or how far it is
	waited                 string // why it waited
	told                   string // the text for the model, of a failure
	admitted, start, ended time.Time
	ran, failed            bool
}

// record keeps the news of the call that an event brings.
func (sp *span) record(e pegboard.Event) {
	switch e.Kind {
	case pegboard.EventAdmitted:
		sp.view = e.Call.View()
	case pegboard.EventAsked:
		sp.note = "asks"
	case pegboard.EventDecided:
		sp.note = ""
	case pegboard.EventStarted:
		sp.start, sp.ran, sp.note = e.Time, true, ""
		sp.view = e.Call.View()
	case pegboard.EventProgress:
		sp.note = pegboard.OneLine(e.Text)
	case pegboard.EventFinished:
		sp.ended, sp.failed = e.Time, e.Outcome.Result.IsError
		sp.view, sp.decision = e.Outcome.View(), e.Outcome.Decision
		if sp.start.IsZero() {
			sp.start = e.Time
		}
		if sp.failed { // the model reads more than a person, to act on it
			sp.told = pegboard.OneLine(e.Outcome.Result.Text())
		}
	}
}

// folds reports whether the call may share a line with its neighbours.
func (sp *span) folds() bool { return sp.view.Folds && !sp.view.Failed }
