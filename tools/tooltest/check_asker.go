package tooltest

import (
	"context"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// CheckAsker reports every way in which an asker breaks the contract of [pegboard.Asker].
// User plays the person: it is given a question that the asker was asked, perhaps one that
// is over, and the answer, and does as the person would: it clicks a button of the page,
// writes a line to the terminal, sends a message to the bridge. It returns when that is
// done. A nil user is for an asker that decides by itself. The error joins one
// *[ContractError] for each violation; nil means that CheckAsker has found none. Use an
// [AskerChecker] to choose the grace period.
//
// CheckAsker runs calls through a real executor, in a session that asks about them. It
// checks these rules:
//
//  1. Answers count: if the user allows a call, it runs, and if not, it is denied. That
//     holds for odd questions, too: with a long input, line breaks, terminal escapes, NUL and
//     bidirectional marks, with a hundred targets and with none.
//  2. It returns when its context ends: because the call is cancelled, or the question was
//     answered in another way.
//  3. An end is no answer: an asker whose user has not answered does not return Allow.
//  4. Other questions are not answered: an answer to a question that is over does not
//     become the answer to the next one, and neither do both answers to the first.
//  5. Decisions are known: the behavior is Allow, Deny, or Undecided, which abstains.
//  6. It does not panic: nor does it call runtime.Goexit, whatever the question is.
//
// Without a user the rules 1, 3 and 4 are not checked. CheckAsker stops at the first kind of
// question for which a rule is broken.
func CheckAsker(ask pegboard.Asker, user func(q *pegboard.Question, answer pegboard.Decision)) error {
	return AskerChecker{}.Check(ask, user)
}

// An AskerChecker is a [CheckAsker] with settings. The zero value is equivalent to
// CheckAsker.
type AskerChecker struct {
	// Grace is how long an asker may take to show a question, to return after an answer,
	// and to return when its context has ended; 0 means [DefaultTimeout].
	Grace time.Duration
}

// Check is like the function [CheckAsker].
func (k AskerChecker) Check(ask pegboard.Asker, user func(q *pegboard.Question, answer pegboard.Decision)) error {
	x := &askerExam{
		verdict: verdict{purposes: askerPurposes, returns: ruleAskerPanics, grace: k.Grace},
		ask:     ask, user: user, asked: make(chan *askedQuestion, 1),
	}
	if x.grace <= 0 {
		x.grace = DefaultTimeout
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{Ask: x.observe})
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), x.grace)
		defer cancel()
		_ = s.Close(ctx) // an asker that does not return was reported
	}()
	if x.pool, err = poolOf(askedTool(), s); err != nil {
		return err
	}
	x.check()
	return x.err()
}
