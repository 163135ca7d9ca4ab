// Package repair mends what models often get wrong in the input of a tool:
// slips of JSON that leave no doubt about what was meant.
//
// Input that is fine is never touched, and mending twice is mending once. Two
// equal keys and keys in other letter case are never mended, since they do
// leave doubt.
package repair

// A Kind is one way to mend.
type Kind uint8

// The kinds. Those of [Text] come before those of [Values].
const (
	ControlCharacters Kind = iota + 1 // raw line breaks and the like in strings become escapes
	CodeFence                         // a Markdown code fence around the value is removed
	TrailingText                      // text after the value is cut; not for tools that write, since the value may have been cut too
	JSONInString                      // an object or list that was written as a string is decoded
	JoinStrings                       // a list of strings in place of a string becomes its lines
	DropNulls                         // null for an optional property is dropped
)

// String returns the kind's name in words, or "unknown".
func (k Kind) String() string {
	switch k {
	case ControlCharacters:
		return "control characters"
	case CodeFence:
		return "code fence"
	case TrailingText:
		return "trailing text"
	case JSONInString:
		return "JSON in a string"
	case JoinStrings:
		return "joined strings"
	case DropNulls:
		return "dropped null"
	default:
		return "unknown"
	}
}

// Kinds is a set of kinds. The zero value is empty.
type Kinds uint8

// KindsOf returns the set of the given kinds.
func KindsOf(kinds ...Kind) Kinds {
	var set Kinds
	for _, k := range kinds {
		set |= 1 << k
	}
	return set
}

// Has reports whether k is in the set.
func (s Kinds) Has(k Kind) bool { return s&(1<<k) != 0 }

// A Repair says what was mended.
type Repair struct {
	Kind Kind
	Path string // of the value in the mended input, such as items[2].name; "" for the root or the whole text
	Note string // one sentence for logs, without any part of the input but names of properties
}
