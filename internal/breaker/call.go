package breaker

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

const (
	// maxName is how many bytes of a tool's name are kept. Providers allow fewer.
	maxName = 256
	// maxInput is the length in bytes of the longest input that is kept as it is.
	maxInput = 4 << 10
)

// A Call identifies a tool and an input. It is small: of a long input it keeps a digest.
type Call struct {
	tool    string
	input   string // the input, or the digest of its sorted form
	long    bool   // whether input is a digest
	byteSum uint64 // see byteSumOf; 0 if it cannot be compared
}

// CallOf returns the identity of a call.
func CallOf(tool string, input []byte) Call {
	if len(bytes.TrimSpace(input)) == 0 {
		input = []byte("{}")
	}
	c := Call{tool: truncateName(tool), byteSum: byteSumOf(input), long: len(input) > maxInput}
	if c.long {
		c.input = digest(input)
	} else {
		c.input = string(input)
	}
	return c
}

// same reports whether two calls are identical. Inputs that are the same JSON value are
// identical whatever the order of their keys, their space and their escapes; 1 and 1.0
// are different. An empty input is the same as {}. Inputs that are not JSON are compared
// byte by byte.
//
// Most different inputs have different byte sums, so few are decoded here.
func (c Call) same(d Call) bool {
	if c.tool != d.tool {
		return false
	}
	if c.long == d.long && c.input == d.input {
		return true
	}
	if c.byteSum != d.byteSum && c.byteSum != 0 && d.byteSum != 0 {
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

// digest returns a digest of the JSON value in input with the keys of its objects in
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

// byteSumOf sums the cubes of all bytes of input except space. Order and space do not
// change the sum, so all spellings of a JSON value have the same sum. It is 0 for an
// input with an escape, which spells the same value with other bytes.
func byteSumOf(input []byte) uint64 {
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

func truncateName(tool string) string {
	if len(tool) <= maxName {
		return tool
	}
	return strings.Clone(tool[:maxName])
}
