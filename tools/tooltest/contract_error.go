package tooltest

import (
	"fmt"
)

// A ContractError is one way in which a tool breaks the contract of [pegboard.Tool], or
// other code of a host the contract that a function of this package checks. The error of
// [Check] joins them; errors.As finds the first one.
type ContractError struct {
	Rule  string // one of the rules in the comment of Check, or of the other function
	Why   string // the purpose of the rule
	Input string // that broke the rule; empty if no input did
	Got   string // observed behaviour
}

// Error returns all fields on one line.
func (e *ContractError) Error() string {
	s := e.Rule + ": " + e.Got
	if e.Input != "" {
		s += fmt.Sprintf(" (input %s)", shorten(e.Input))
	}
	return s + "; " + e.Why
}

// shorten limits the length of an input in a message.
func shorten(input string) string {
	const limit = 200
	if len(input) <= limit {
		return input
	}
	return fmt.Sprintf("%.*s… of %d bytes", limit, input, len(input))
}
