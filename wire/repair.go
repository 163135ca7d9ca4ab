package wire

import "fmt"

// A Repair is one thing that was wrong in a conversation and that Normalize put right.
type Repair struct {
	Kind    RepairKind
	CallID  string // of the call or result; empty if it has none, or a whole message is meant
	Name    string // of the function in a conversation of Gemini, as the API knows it; empty elsewhere
	Message int    // index of the message in the list given to Normalize
}

// A RepairKind is a kind of defect in a conversation.
type RepairKind int

// The kinds of defect, each with the repair by Normalize. A kind that only some providers
// have names them.
const (
	// MissingResult: a call has no result. Normalize adds one that says so.
	MissingResult RepairKind = iota
	// MisplacedResult: a result is not where the provider wants it. It is moved there.
	MisplacedResult
	// StrayResult: a result has no call. It is dropped.
	StrayResult
	// DuplicateResult: the call has an earlier result. This one is dropped.
	DuplicateResult
	// DuplicateCall: an earlier call has the same id; in Gemini, an earlier call of the
	// same turn. This one is dropped, and so is thinking before it that nothing else
	// follows. In Chat Completions, where ids may be used again, a call counts as
	// duplicate only if no result came between the two; and if it calls something else
	// after others have spoken, it stays and the earlier call is answered as
	// interrupted.
	DuplicateCall
	// StrayCall: a call has no id (in Gemini, no name), or the user made it. It is
	// dropped in the same way.
	StrayCall
	// SplitMessage: a message of the model belongs to the one before it, because the
	// results of that one's calls come only after it. The two become one. Responses has
	// none: its items are never joined.
	SplitMessage
	// EmptyMessage: nothing is left of a message. It is dropped. Responses has none.
	EmptyMessage
	// UnreadableMessage: a message is not one of this API. It stays as it is, and calls
	// and results in it do not count.
	UnreadableMessage
	// StaleReference: a result refers to a tool that is not in the request, or has
	// another name there. A text or the new name replaces the reference. Only Anthropic
	// has references.
	StaleReference
	// DuplicateMessage: an item that is neither call nor output stands there before,
	// with the same id and the same bytes. This one is dropped. Only Responses has it.
	DuplicateMessage
	// SuspendedCall: a call of the last turn with calls waits for an answer, as Suspended in the
	// Config says. It stays without a result, and the provider refuses the request.
	SuspendedCall
)

// String returns the kind in lower case.
func (k RepairKind) String() string {
	names := [...]string{
		"missing result", "misplaced result", "stray result", "duplicate result", "duplicate call", "stray call",
		"split message", "empty message", "unreadable message", "stale reference", "duplicate message", "suspended call",
	}
	if k < 0 || int(k) >= len(names) {
		return fmt.Sprintf("RepairKind(%d)", int(k))
	}
	return names[k]
}
