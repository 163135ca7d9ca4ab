package repair

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// types is a set of JSON types.
type types uint8

const (
	object types = 1 << iota
	list
	text
	null
	integer
	fraction // a number that is not whole
	boolean
	number     = integer | fraction
	everything = object | list | text | null | number | boolean
)

func typeNamed(name string) types {
	switch name {
	case "object":
		return object
	case "array":
		return list
	case "string":
		return text
	case "null":
		return null
	case "number":
		return number
	case "integer":
		return integer
	case "boolean":
		return boolean
	default:
		return everything
	}
}

// typeOf returns the type of a value in a schema.
func typeOf(n *node) types {
	switch {
	case n.object != nil:
		return object
	case n.list != nil:
		return list
	case n.value == nil:
		return null
	}
	switch n.value.(type) {
	case string:
		return text
	case bool:
		return boolean
	}
	return number
}

func namedTypes(n *node) types {
	if len(n.list) == 0 {
		name, _ := n.value.(string)
		return typeNamed(name)
	}
	var t types
	for _, item := range n.list {
		name, _ := item.value.(string)
		t |= typeNamed(name)
	}
	return t
}

// maxNumber is the maximum length of a number that is read from a string or spelled anew, in
// bytes. No real one is longer.
const maxNumber = 32

// scalarIn returns the number or boolean that a text is, if one of the types is that, or nil.
func scalarIn(inner []byte, t types) []byte {
	if word := []byte(strings.ToLower(string(inner))); t&boolean != 0 && (string(word) == "true" || string(word) == "false") {
		return word
	}
	if t&number == 0 || len(inner) > maxNumber || !json.Valid(inner) || inner[0] != '-' && (inner[0] < '0' || inner[0] > '9') {
		return nil
	}
	if t&number == integer {
		return wholeNumber(inner)
	}
	return inner
}

// wholeNumber returns a JSON number without fraction and exponent, or nil if it is not whole,
// or not exactly the same as a float64.
func wholeNumber(value []byte) []byte {
	if !bytes.ContainsAny(value, ".eE") {
		return value
	}
	if len(value) > maxNumber {
		return nil
	}
	f, _, err := big.ParseFloat(string(value), 10, 200, big.ToNearestEven)
	if err != nil || !f.IsInt() {
		return nil
	}
	whole, _ := f.Int64()
	if whole < -1<<53 || whole > 1<<53 || f.Cmp(new(big.Float).SetInt64(whole)) != 0 {
		return nil
	}
	return strconv.AppendInt(nil, whole, 10)
}
