package breaker

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

const (
	// maxName is how many bytes of a tool's name are kept. No real name is longer.
	maxName = 256
	// maxKept is how long an input may be that is kept as it is, in bytes.
	maxKept = 4 << 10
)

// A Call identifies a tool and an input. It is small: of a long input it keeps a
// digest.
type Call struct {
	tool  string
	input string // as it was written, or the digest of its sorted form
	long  bool   // input is a digest
	sum   uint64 // of what the input is written with; 0 if that says nothing
}

// CallOf returns the identity of a call.
func CallOf(tool string, input []byte) Call {
	if len(bytes.TrimSpace(input)) == 0 {
		input = []byte("{}")
	}
	c := Call{tool: cutName(tool), sum: sumOf(input), long: len(input) > maxKept}
	if c.long {
		c.input = digest(input)
	} else {
		c.input = string(input)
	}
	return c
}

// same reports whether two calls are identical. Inputs that are the same JSON
// value are identical whatever the order of their keys, their space and their
// escapes; 1 and 1.0 are different. No input is the same as {}. What is not JSON
// is compared byte by byte.
//
// Most calls differ in what they are written with, so few are ever decoded here.
func (c Call) same(d Call) bool {
	if c.tool != d.tool {
		return false
	}
	if c.long == d.long && c.input == d.input {
		return true
	}
	if c.sum != d.sum && c.sum != 0 && d.sum != 0 {
		return false
	}
	return c.digest() == d.digest()
}

func (c Call) digest() string {
	if c.long {
		return c.input
	}
	return digest([]byte(c.input))
}

// digest returns a digest of the value in input, the keys of its objects in
// order, or of input itself if it is not JSON.
func digest(input []byte) string {
	text := input
	if v, err := strictjson.Decode(input, strictjson.Limits{}); err == nil {
		if ordered, err := json.Marshal(v); err == nil { // sorts
			text = ordered
		}
	}
	sum := sha256.Sum256(text)
	return string(sum[:])
}

// sumOf adds up the bytes of input but for space. Order and space do not change
// the sum, so texts of one JSON value have the same, unless there is an escape.
func sumOf(input []byte) uint64 {
	if bytes.IndexByte(input, '\\') >= 0 {
		return 0
	}
	sum := uint64(1)
	for _, b := range input {
		if b > ' ' {
			n := uint64(b)
			sum += n * n * n
		}
	}
	return sum
}

func cutName(tool string) string {
	if len(tool) <= maxName {
		return tool
	}
	return strings.Clone(tool[:maxName])
}
