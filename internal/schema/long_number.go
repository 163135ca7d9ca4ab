package schema

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// maxDigits is the maximum number of digits of a number when it is written out. Validation
// computes exactly, so that one exponent of a million costs as much as thousands of calls.
const maxDigits = 1000

// longNumber returns a problem for a number in v that has more than maxDigits digits.
func longNumber(v any) (Problem, bool) {
	switch v := v.(type) {
	case json.Number:
		if !isLong(string(v)) {
			return Problem{}, false
		}
		return Problem{Message: "the number " + strictjson.Cut(string(v)) + " has too many digits; send one that fits 64 bits"}, true
	case map[string]any:
		return longNumberIn(v)
	case []any:
		for i, item := range v {
			if p, found := longNumber(item); found {
				p.Path = strictjson.Join(strictjson.AppendIndex("", i), p.Path)
				return p, true
			}
		}
	}
	return Problem{}, false
}

// longNumberIn returns the problem for the first key by name, so that the result does not
// vary.
func longNumberIn(object map[string]any) (first Problem, found bool) {
	var owner string
	for key, value := range object {
		p, ok := longNumber(value)
		if !ok || found && owner < key {
			continue
		}
		p.Path = strictjson.Join(strictjson.AppendKey("", key), p.Path)
		first, owner, found = p, key, true
	}
	return first, found
}

func isLong(number string) bool {
	if len(number) > maxDigits {
		return true
	}
	e := strings.IndexAny(number, "eE")
	if e < 0 {
		return false
	}
	exponent, err := strconv.Atoi(number[e+1:])
	return err != nil || exponent > maxDigits || exponent < -maxDigits
}
