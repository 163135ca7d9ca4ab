package schema

import (
	"bytes"
	"math/big"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// kinds is a set of kinds of JSON values that their text distinguishes.
type kinds uint8

const (
	nulls kinds = 1 << iota
	booleans
	texts
	integers // numbers without fraction and exponent
	decimals // other numbers; 1.0 counts as one, although JSON Schema takes it for an integer
	lists
	objects

	containers = lists | objects
	allKinds   = nulls | booleans | texts | integers | decimals | containers
)

// An acceptor recognises values that one schema accepts. The empty acceptor recognises none.
// Another acceptor has all kinds of values that the schema accepts, except decimals that are
// integers.
type acceptor struct {
	kinds kinds
	// either, if not empty, holds acceptors of which one must accept the value; the fields
	// below are then unused. At most one of them accepts objects or lists, so no object or
	// list is read twice.
	either []*acceptor

	bounds     *jsonschema.Schema // the schema with the bounds of numbers, lengths and counts
	listed     [][]byte           // the JSON texts of the allowed values; nil if all are allowed
	items      *acceptor
	properties []property
	required   uint64    // a bit for each of the properties
	additional *acceptor // for undeclared keys; nil if they are not allowed
}

type property struct {
	name  []byte
	value *acceptor
}

// isListed reports whether the value with that text is allowed by enum or const.
func (a *acceptor) isListed(text []byte) bool {
	for _, one := range a.listed {
		if bytes.Equal(one, text) {
			return true
		}
	}
	return a.listed == nil
}

// hasTextBounds reports whether the schema restricts the content of strings.
func (a *acceptor) hasTextBounds() bool {
	return a.bounds.Pattern != nil || a.bounds.MinLength != -1 || a.bounds.MaxLength != -1
}

func (a *acceptor) acceptsText(text []byte) bool {
	b := a.bounds
	return within(b.MinLength, utf8.RuneCount(text), b.MaxLength) && (b.Pattern == nil || b.Pattern.Match(text))
}

// within reports whether n is within bounds. A bound of -1 is none.
func within(low, n, high int) bool {
	return (low == -1 || n >= low) && (high == -1 || n <= high)
}

func (a *acceptor) acceptsNumber(number []byte) bool {
	b := a.bounds
	if b.Minimum == nil && b.ExclusiveMinimum == nil && b.Maximum == nil && b.ExclusiveMaximum == nil {
		return true // without an allocation
	}
	n, ok := new(big.Rat).SetString(string(number))
	return ok &&
		(b.Minimum == nil || n.Cmp(b.Minimum) >= 0) &&
		(b.ExclusiveMinimum == nil || n.Cmp(b.ExclusiveMinimum) > 0) &&
		(b.Maximum == nil || n.Cmp(b.Maximum) <= 0) &&
		(b.ExclusiveMaximum == nil || n.Cmp(b.ExclusiveMaximum) < 0)
}
