package tooltest

import (
	"fmt"
)

// A ContractError is one way in which a tool breaks the contract of
// [pegboard.Tool]. The error of [Check] joins them; errors.As finds the first.
type ContractError struct {
	Rule  string // one of those listed at Check
	Why   string // what the rule is for
	Input string // with which it showed; empty if that does not matter
	Got   string // what the tool did
}

// Error returns all of it, on one line.
func (e *ContractError) Error() string {
	s := e.Rule + ": " + e.Got
	if e.Input != "" {
		s += fmt.Sprintf(" (input %s)", shorten(e.Input))
	}
	return s + "; " + e.Why
}

// shorten keeps an input from hiding the message around it.
func shorten(input string) string {
	const most = 200
	if len(input) <= most {
		return input
	}
	return fmt.Sprintf("%.*s… of %d bytes", most, input, len(input))
}
