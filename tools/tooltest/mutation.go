package tooltest

import (
	"encoding/json"
	"strings"
)

// A mutation is an input with a defect.
type mutation struct{ defect, input string }

// mutate returns the mutations of a valid input that the schema or the decoding of
// inputs must refuse.
func mutate(schema json.RawMessage, input string) []mutation {
	if strings.TrimSpace(input) == "" {
		input = "{}" // an empty input means the empty object
	}
	input = strings.TrimSpace(input)
	all := []mutation{
		{"the JSON is truncated", input[:len(input)-1]},
		{"something stands after the object", input + " {}"},
		{"an array stands in place of the object", "[" + input + "]"},
		{"null stands in place of the object", "null"},
	}
	return append(all, shapeOf(schema).mutate("", json.RawMessage(input))...)
}
