package repair

// A Kind is one kind of repair.
type Kind uint8

// The kinds. Those of [Text] come before those of [Values].
const (
	ControlCharacters Kind = iota + 1 // raw control characters in strings, such as line breaks, become escapes
	CodeFence                         // a Markdown code fence around the value is removed
	TrailingText                      // text after the value is removed; not for tools that write, since the value may be incomplete too
	JSONInString                      // a string that holds an object or list is replaced with it
	JoinStrings                       // a list of strings in place of a string is joined with line breaks
	DropNulls                         // an optional property that is null is removed
	Scalars                           // a string that holds a number or a boolean becomes that; 3.0 becomes 3 for an integer
)

// Kinds is a set of kinds. The zero value is empty.
type Kinds uint16

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
