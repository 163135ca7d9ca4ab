package session

import "errors"

// The errors. Their texts are worded for the model, apart from those that only a host meets.
var (
	// ErrNoAnswer: a call of AskUserQuestion was allowed, and nobody has answered. The dialog
	// should return what [Answer] returns.
	ErrNoAnswer = errors.New("the questions were passed on, and nobody has answered them; take no option as chosen. Ask in your text, or go on by your own judgment")
	// ErrInvalidAnswer: an answer that [Answer] was given is none to the question.
	ErrInvalidAnswer = errors.New("no answer to the question")
	// ErrNotPlanning: ExitPlanMode was called outside of plan mode.
	ErrNotPlanning = errors.New("this conversation is not in plan mode, so there is no plan to approve")
	// ErrNoPlanMode: plan mode cannot be entered.
	ErrNoPlanMode = errors.New("plan mode was not entered")
	// ErrNoPlan: there is no approved plan.
	ErrNoPlan = errors.New("no plan was approved in this conversation")
)
