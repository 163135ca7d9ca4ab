package history

import "fmt"

// A Repair is one thing that was wrong and was put right.
type Repair struct {
	Kind    RepairKind
	CallID  string // of the call or result; empty if it was a whole message
	Message int    // where it stood, as an index of the messages given
}

// RepairKind says what was wrong.
type RepairKind int

// What can be wrong, and what is done about it.
const (
	MissingResult     RepairKind = iota // a call has no result: one is made
	MisplacedResult                     // a result is not where it belongs: it is moved there
	StrayResult                         // a result has no call: it is dropped
	DuplicateResult                     // a call has another result before: this one is dropped
	DuplicateCall                       // another call before has the same id: this one is dropped
	StrayCall                           // a call has no id, or the model did not make it: it is dropped
	SplitMessage                        // part of a message that calls: it is joined to the one before
	EmptyMessage                        // nothing is left of a message: it is dropped
	UnreadableMessage                   // it could not be read: it stays as it is; for wires to report
)

// String returns the kind in lower case.
func (k RepairKind) String() string {
	names := [...]string{
		"missing result", "misplaced result", "stray result", "duplicate result", "duplicate call", "stray call",
		"split message", "empty message", "unreadable message",
	}
	if k < 0 || int(k) >= len(names) {
		return fmt.Sprintf("RepairKind(%d)", int(k))
	}
	return names[k]
}
