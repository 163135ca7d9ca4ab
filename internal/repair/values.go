package repair

import (
	"encoding/json"

	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

const (
	// maxRepairs is the maximum number of repairs of one input. With more, the input is not
	// a small mistake, and their list would be long.
	maxRepairs = 100
	// maxStringLevels is the maximum number of nested strings that hold JSON.
	maxStringLevels = 4
)

// Values repairs the values of an input that schema does not accept, with the allowed kinds
// of repairs:
//
//   - A string that holds the text of an object or list is replaced with it where the
//     schema accepts objects or lists and no strings.
//   - A list of strings is joined with line breaks where the schema accepts only strings, or
//     strings and null.
//   - A property that is null is removed where the schema declares it, never requires it
//     and does not accept null.
//   - A string that holds a number, or true or false in any letter case, is replaced with it
//     where the schema accepts such values and no strings.
//   - A whole number that is spelled with a fraction or an exponent, such as 3.0, is spelled
//     without where the schema accepts only integers. The schema accepts it as it is, but a
//     Go type may not.
//
// But for the last, a value is repaired only if the schema certainly forbids its type, whatever the rest of
// the input is; so Values never changes the meaning of valid input. It follows references inside the
// schema, allOf, anyOf and oneOf. A repaired input may still be invalid: the caller must
// validate the result.
//
// Keys keep their order, and values that are not repaired keep their bytes. If there is
// nothing to repair, Values returns data itself and ok is false. It does the same if
// strictjson does not decode data, if the input needs more than 100 repairs or has about
// 100,000 different keys, if more than four strings that hold JSON are nested, and if the
// schema is over 1 MiB, very intricate, of an unknown dialect, or contains schemas with
// their own $id or $schema. It never changes data.
func Values(data []byte, schema json.RawMessage, allow Kinds) (repaired []byte, repairs []Repair, ok bool) {
	if allow&KindsOf(JSONInString, JoinStrings, DropNulls, Scalars) == 0 || !isReadable(data) {
		return data, nil, false
	}
	root, d, ok := readSchema(schema)
	if !ok {
		return data, nil, false
	}
	state := repairState{rules: newRules(root, d), allow: allow}
	r := repairer{repairState: &state, scan: jsonscan.Scanner{Text: data}, depth: strictjson.DefaultDepth}
	r.repairText(root, nil)
	if len(state.repairs) == 0 || state.failed || state.rules.steps < 0 {
		return data, nil, false
	}
	return r.out, state.repairs, true
}
