package chat

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/seed49eaa51d/pegboard/wire/internal/history"
)

// Normalize repairs the messages of a conversation before they are sent, so that
// the API does not refuse them for their calls and results: after an interruption
// or a crash, or when messages were cut off, repeated or reordered. It returns the
// messages to send and what was repaired, in the order of the messages given.
//
// Then each call has one result, and the results of a message come right after it,
// in the order of the calls. [RepairKind] lists what is done. Calls of the last
// message are answered, too: normalise when all results are in, right before the
// request.
//
// An id may name a call again in a later turn, as with services that count anew:
// a result belongs to the last call with its id before it.
//
// Messages that need no repair are returned as they are, byte for byte, and so are
// all calls and results of the others. The same history always gives the same
// bytes, which keeps a cached prompt valid, and normalising twice changes nothing.
// What the API may refuse for other reasons is left alone, and so are messages of
// the old form, with function_call and the role "function".
//
// The messages given are not changed; those returned share their bytes.
func Normalize(messages []json.RawMessage) ([]json.RawMessage, []Repair) {
	var c conversation
	var repairs []Repair
	for i, raw := range messages {
		if !c.add(raw) {
			repairs = append(repairs, Repair{Kind: UnreadableMessage, Message: i})
		}
	}
	turns, mended := history.Mend(c.view())
	repairs = append(repairs, c.repairs(mended)...)
	slices.SortStableFunc(repairs, func(a, b Repair) int { return cmp.Compare(a.Message, b.Message) })
	out := make([]json.RawMessage, 0, len(messages))
	for _, t := range turns {
		out = c.write(out, t)
	}
	return out, repairs
}

// Normalize is [Normalize]. Here nothing depends on the tools of w.
func (w *Wire) Normalize(messages []json.RawMessage) ([]json.RawMessage, []Repair) {
	return Normalize(messages)
}

// A Repair is one thing that Normalize put right.
type Repair struct {
	Kind    RepairKind
	CallID  string // of the call or result; empty if it was a whole message
	Message int    // where it stood, as an index of the messages given
}

// RepairKind says what was wrong in a conversation.
type RepairKind int

// What can be wrong, and what is done about it.
const (
	// MissingResult: a call has no result. It gets one that says so.
	MissingResult = RepairKind(history.MissingResult)
	// MisplacedResult: a result is not where it belongs. It is moved there.
	MisplacedResult = RepairKind(history.MisplacedResult)
	// StrayResult: a result has no call. It is dropped.
	StrayResult = RepairKind(history.StrayResult)
	// DuplicateResult: the call has another result before. This one is dropped.
	DuplicateResult = RepairKind(history.DuplicateResult)
	// DuplicateCall: another call before has the same id, and no result came
	// between. This one is dropped, unless it calls something else after others
	// have spoken: then the one before is answered as interrupted.
	DuplicateCall = RepairKind(history.DuplicateCall)
	// StrayCall: a call has no id. It is dropped.
	StrayCall = RepairKind(history.StrayCall)
	// SplitMessage: a message of the model belongs to the one before, the results
	// of whose calls come only after it. The two become one.
	SplitMessage = RepairKind(history.SplitMessage)
	// EmptyMessage: nothing is left of a message of the model. It is dropped.
	EmptyMessage = RepairKind(history.EmptyMessage)
	// UnreadableMessage: a message is not one of Chat Completions. It stays as it
	// is, and what it may hold is not counted.
	UnreadableMessage = RepairKind(history.UnreadableMessage)
)

// String returns the kind in lower case.
func (k RepairKind) String() string { return history.RepairKind(k).String() }
