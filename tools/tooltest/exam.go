package tooltest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// An exam is one check of one tool.
type exam struct {
	tool       pegboard.Tool
	session    *pegboard.Session
	grace      time.Duration
	info       pegboard.Info
	schema     json.RawMessage // as declared
	violations []error
}

func (x *exam) addViolation(rule, input, format string, args ...any) {
	x.violations = append(x.violations, &ContractError{Rule: rule, Why: rulePurposes[rule], Input: input, Got: fmt.Sprintf(format, args...)})
}

// runStage calls f, which calls the tool, on a goroutine of its own. It reports
// whether f has returned. If not, it records a violation, and the caller must not
// read the variables that f sets.
func (x *exam) runStage(stage, input string, f func()) bool {
	select {
	case err := <-goroutine.Go(f):
		if err != nil {
			x.addViolation(ruleReturns, input, "%s: %v", stage, err)
		}
		return err == nil
	case <-time.After(x.grace):
		x.addViolation(ruleReturns, input, "%s did not return within %v", stage, x.grace)
		return false
	}
}

// checkInfo checks registration and Info. It reports whether the tool can be examined
// further.
func (x *exam) checkInfo() bool {
	var refused error
	var r pegboard.Registry
	if !x.runStage("Info", "", func() { refused = r.Add(x.tool) }) {
		return false
	}
	if refused != nil {
		x.addViolation(ruleRegisters, "", "%v", refused)
		return false
	}
	var infos []pegboard.Info
	if !x.runStage("Info", "", func() { infos = repeat(repeats, x.tool.Info) }) {
		return false
	}
	x.info = infos[0]
	for _, i := range infos {
		if !reflect.DeepEqual(i, x.info) {
			x.addViolation(ruleInfo, "", "it was %+v, then %+v", x.info, i)
			return false
		}
	}
	x.checkTitle()
	return true
}

// repeats is how often a stage is asked for the same value. It is high enough to
// reveal the random order of a map with two keys.
const repeats = 16

func repeat[T any](n int, f func() T) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = f()
	}
	return all
}
