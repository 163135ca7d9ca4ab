package tooltest

import (
	"errors"
	"fmt"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// A verdict collects the violations that an exam finds. It is for one goroutine.
type verdict struct {
	purposes   map[string]string // of the rules, by rule
	returns    string            // the rule that everything examined returns
	grace      time.Duration     // how long it may take
	violations []error
	stuck      bool // something did not return within the grace period
}

func (v *verdict) addViolation(rule, input, format string, args ...any) {
	v.violations = append(v.violations, &ContractError{Rule: rule, Why: v.purposes[rule], Input: input, Got: fmt.Sprintf(format, args...)})
}

// err joins the violations.
func (v *verdict) err() error { return errors.Join(v.violations...) }

// runStage calls f, which calls the examined code, on a goroutine of its own. It reports
// whether f has returned. If not, it records a violation, and the caller must not
// read the variables that f sets.
func (v *verdict) runStage(stage, input string, f func()) bool {
	return v.runAll(v.returns, stage, input, f)
}

// runAll is like runStage for functions that run at the same time. A function that does
// not return within the grace period breaks the rule late.
func (v *verdict) runAll(late, stage, input string, fs ...func()) bool {
	ended := make([]<-chan error, len(fs))
	for i, f := range fs {
		ended[i] = goroutine.Go(f)
	}
	grace := time.After(v.grace)
	for _, end := range ended {
		select {
		case err := <-end:
			if err != nil {
				v.addViolation(v.returns, input, "%s: %v", stage, err)
				return false
			}
		case <-grace:
			v.stuck = true
			v.addViolation(late, input, "%s did not return within %v", stage, v.grace)
			return false
		}
	}
	return true
}

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
