package tooltest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// exam is one check of one tool.
type exam struct {
	tool    pegboard.Tool
	session *pegboard.Session
	grace   time.Duration
	info    pegboard.Info
	schema  json.RawMessage // as declared
	found   []error
}

func (x *exam) violated(rule, input, format string, args ...any) {
	x.found = append(x.found, &ContractError{Rule: rule, Why: whys[rule], Input: input, Got: fmt.Sprintf(format, args...)})
}

// try runs foreign code on a goroutine of its own. It reports whether f returned;
// if it did not, the violation is noted, and what f was to set is not read.
func (x *exam) try(stage, input string, f func()) bool {
	select {
	case err := <-goroutine.Go(f):
		if err != nil {
			x.violated(ruleReturns, input, "%s: %v", stage, err)
		}
		return err == nil
	case <-time.After(x.grace):
		x.violated(ruleReturns, input, "%s did not return within %v", stage, x.grace)
		return false
	}
}

// identity checks what must hold before anything else makes sense.
func (x *exam) identity() bool {
	var refused error
	var r pegboard.Registry
	if !x.try("Info", "", func() { refused = r.Add(x.tool) }) {
		return false
	}
	if refused != nil {
		x.violated(ruleRegisters, "", "%v", refused)
		return false
	}
	var infos []pegboard.Info
	if !x.try("Info", "", func() { infos = times(repeats, x.tool.Info) }) {
		return false
	}
	x.info = infos[0]
	for _, i := range infos {
		if !reflect.DeepEqual(i, x.info) {
			x.violated(ruleInfo, "", "it was %+v, then %+v", x.info, i)
			return false
		}
	}
	return true
}

// repeats is how often a stage is asked for the same thing: often enough for
// the order of a map with two keys to show.
const repeats = 16

func times[T any](n int, f func() T) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = f()
	}
	return all
}
