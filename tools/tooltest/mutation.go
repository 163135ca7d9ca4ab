package tooltest

import (
	"encoding/json"
	"strings"
)

// mutation is an input made worse.
type mutation struct{ defect, input string }

// mutate returns every mutation of a good input that the schema, or the way in
// which inputs are read, must refuse.
func mutate(schema json.RawMessage, input string) []mutation {
	if strings.TrimSpace(input) == "" {
		input = "{}" // what an empty input stands for
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
