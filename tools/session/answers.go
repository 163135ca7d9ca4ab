package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/policy"
)

// Answers are the reply to the questions of one call of AskUserQuestion. One of the three fields
// is set.
type Answers struct {
	// Answers are by the text of the question: the label of an option, several labels joined
	// by ", ", or any other text, which counts as the user's own. A question without an answer
	// is left out.
	Answers map[string]string
	// Response is a text in place of answers.
	Response string
	// Away is the time without an answer, by the dialog's own clock. It must be at least a
	// millisecond. The model is told to go on by its own judgment.
	Away time.Duration
}

// Answer returns the decision with which an [pegboard.Asker], an approver or a permission hook
// answers q, or [pegboard.Session.Answer] does. To refuse the questions, decide with Deny
// instead.
//
// The error wraps [ErrInvalidAnswer] if q does not come from AskUserQuestion, an answer is to a
// question that was not asked, or not just one field of a is set. The decision is zero then, and
// the question stays open.
func Answer(q *pegboard.Question, a Answers) (policy.Decision, error) {
	questions, ok := Asked(q)
	if !ok {
		return policy.Decision{}, fmt.Errorf("%w: it does not come from %s", ErrInvalidAnswer, askTool)
	}
	if err := a.check(questions); err != nil {
		return policy.Decision{}, fmt.Errorf("%w: %w", ErrInvalidAnswer, err)
	}
	input, err := jsonobject.Parse(q.Call.Input)
	if err != nil {
		return policy.Decision{}, fmt.Errorf("%w: the input of the call: %w", ErrInvalidAnswer, err)
	}
	input = slices.DeleteFunc(slices.Clone(input), func(m jsonobject.Member) bool { return slices.Contains(answerKeys, m.Name) })
	decision := policy.Decision{Behavior: policy.Allow, Reason: "the questions were answered"}
	switch {
	case a.Away > 0:
		input.Set("afkTimeoutMs", fmt.Append(nil, a.Away.Milliseconds()))
		decision.Reason = fmt.Sprintf("nobody has answered for %v", a.Away)
	case a.Response != "":
		input.Set("response", jsonobject.Quote(a.Response))
	default:
		answers, err := json.Marshal(a.Answers)
		if err != nil {
			return policy.Decision{}, fmt.Errorf("%w: %w", ErrInvalidAnswer, err)
		}
		input.Set("answers", answers)
	}
	decision.Input = input.Encode()
	return decision, nil
}

// check returns an error unless a is one answer to the questions.
func (a *Answers) check(questions []Question) error {
	set := 0
	for _, is := range []bool{len(a.Answers) > 0, strings.TrimSpace(a.Response) != "", a.Away != 0} {
		if is {
			set++
		}
	}
	switch {
	case set != 1:
		return errors.New("set one of Answers, Response and Away")
	case a.Away != 0 && a.Away < time.Millisecond:
		return fmt.Errorf("%v is no time to be away", a.Away)
	}
	return checkAnswers(questions, a.Answers)
}
