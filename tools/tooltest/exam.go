package tooltest

import (
	"encoding/json"
	"reflect"

	"github.com/seed49eaa51d/pegboard"
)

// An exam is one check of one tool.
type exam struct {
	verdict
	tool    pegboard.Tool
	session *pegboard.Session
	info    pegboard.Info
	schema  json.RawMessage // as declared
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
