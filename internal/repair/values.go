package repair

import (
	"encoding/json"

	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

const (
	// maxRepairs is how many repairs one input may need. With more it is not a
	// slip, and the list of them would be long.
	maxRepairs = 100
	// maxStringLevels is how many times strings may hold JSON inside each other.
	maxStringLevels = 4
)

// Values mends the values of an input that schema does not accept, in the ways
// that allow holds:
//
//   - A string that is the text of an object or a list is decoded where those
//     are accepted and strings are not.
//   - A list of strings becomes their lines, joined with line breaks, where
//     only strings are accepted, or strings and null.
//   - A property that is null is dropped where the schema declares it, never
//     asks for it and does not accept null.
//
// A value is mended only if the schema forbids its type for certain, whatever
// the rest of the input is; so valid input is never changed. References inside
// the schema, allOf, anyOf and oneOf are followed. What is mended may still be
// invalid: the result needs to be validated.
//
// Keys keep their order, and what is not mended keeps its bytes. With nothing
// to mend it returns data itself and ok is false. So it does for data that
// strictjson does not read, for an input that needs more than 100 repairs or
// has some 100,000 different keys, for strings inside strings beyond four, and
// for a schema that is over 1 MiB, very intricate, of an unknown dialect, or
// holds others with their own $id or $schema. It never changes data.
func Values(data []byte, schema json.RawMessage, allow Kinds) (mended []byte, repairs []Repair, ok bool) {
	if allow&KindsOf(JSONInString, JoinStrings, DropNulls) == 0 || !isReadable(data) {
		return data, nil, false
	}
	root, d, ok := readSchema(schema)
	if !ok {
		return data, nil, false
	}
	w := repairState{rules: newRules(root, d), allow: allow}
	m := repairer{repairState: &w, scan: jsonscan.Scanner{Text: data}, depth: strictjson.DefaultDepth}
	m.repairText(root, nil)
	if len(w.repairs) == 0 || w.failed || w.rules.steps < 0 {
		return data, nil, false
	}
	return m.out, w.repairs, true
}
