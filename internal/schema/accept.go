package schema

import (
	"bytes"
	"math/big"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// Accepts reports whether raw is certain to be valid: strictjson.Decode takes it
// with the default limits, and Validate finds nothing wrong with the value.
//
// False means that this is not known, never that raw is invalid. Accepts reads
// the text once, builds no values and mostly allocates nothing. It gives up at
// what is rare or costly to decide.
func (s *Schema) Accepts(raw []byte) bool {
	if len(raw) > strictjson.DefaultBytes || !utf8.Valid(raw) {
		return false
	}
	r := acceptReader{text: raw, levels: strictjson.DefaultDepth}
	if !r.value(s.acceptor) {
		return false
	}
	r.space()
	return r.pos == len(raw)
}

// kinds is a set of the kinds of JSON values that can be told by their text.
type kinds uint8

const (
	nulls kinds = 1 << iota
	booleans
	texts
	integers // numbers without fraction and exponent
	decimals // other numbers; 1.0 is an integer too, but nobody sends that
	lists
	objects

	containers = lists | objects
	allKinds   = nulls | booleans | texts | integers | decimals | containers
)

// An acceptor knows values that one schema accepts; the empty one knows none.
// Others have all kinds of values that the schema accepts, but for the decimals
// that are integers.
type acceptor struct {
	kinds kinds
	// either is not empty if all is said by other acceptors, one of which must
	// accept the value. At most one of them has objects or lists, so none of
	// those is read twice.
	either []*acceptor

	bounds     *jsonschema.Schema // has those of numbers, lengths and counts
	listed     [][]byte           // the JSON texts of all values, nil if any value will do
	items      *acceptor
	properties []property
	required   uint64    // a bit for each of the properties
	additional *acceptor // of keys that are no properties, nil if none are allowed
}

type property struct {
	name  []byte
	value *acceptor
}

// isListed reports whether text, of a value, is one of those that are listed.
func (a *acceptor) isListed(text []byte) bool {
	for _, one := range a.listed {
		if bytes.Equal(one, text) {
			return true
		}
	}
	return a.listed == nil
}

// hasTextBounds reports whether it matters what a string says.
func (a *acceptor) hasTextBounds() bool {
	return a.bounds.Pattern != nil || a.bounds.MinLength != -1 || a.bounds.MaxLength != -1
}

func (a *acceptor) acceptsText(text []byte) bool {
	b := a.bounds
	return within(b.MinLength, utf8.RuneCount(text), b.MaxLength) && (b.Pattern == nil || b.Pattern.Match(text))
}

// within reports whether n is within bounds, of which -1 is none.
func within(least, n, most int) bool {
	return (least == -1 || n >= least) && (most == -1 || n <= most)
}

func (a *acceptor) acceptsNumber(number []byte) bool {
	b := a.bounds
	if b.Minimum == nil && b.ExclusiveMinimum == nil && b.Maximum == nil && b.ExclusiveMaximum == nil {
		return true // without allocating
	}
	n, ok := new(big.Rat).SetString(string(number))
	return ok &&
		(b.Minimum == nil || n.Cmp(b.Minimum) >= 0) &&
		(b.ExclusiveMinimum == nil || n.Cmp(b.ExclusiveMinimum) > 0) &&
		(b.Maximum == nil || n.Cmp(b.Maximum) <= 0) &&
		(b.ExclusiveMaximum == nil || n.Cmp(b.ExclusiveMaximum) < 0)
}
