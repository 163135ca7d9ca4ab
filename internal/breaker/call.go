package breaker

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// maxName is how many bytes of a tool's name are kept. No real name is longer.
const maxName = 256

// A Call identifies a tool and an input. It is small, keeps no reference to the
// input, and two calls are identical if they are equal.
type Call struct {
	tool  string
	input [sha256.Size]byte
}

// CallOf returns the identity of a call. Inputs that are the same JSON value are
// identical whatever the order of their keys, their space and their escapes;
// 1 and 1.0 are different. No input is the same as {}. What is not JSON is
// compared byte by byte.
func CallOf(tool string, input []byte) Call {
	return Call{tool: cutName(tool), input: sha256.Sum256(sorted(input))}
}

// sorted returns the value in input with the keys of its objects in order.
func sorted(input []byte) []byte {
	if len(bytes.TrimSpace(input)) == 0 {
		return []byte("{}")
	}
	v, err := strictjson.Decode(input, strictjson.Limits{})
	if err != nil {
		return input
	}
	text, err := json.Marshal(v) // sorts
	if err != nil {
		return input
	}
	return text
}

func cutName(tool string) string {
	return strings.Clone(tool[:min(len(tool), maxName)])
}
