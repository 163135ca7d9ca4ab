package responses

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/seed49eaa51d/pegboard/wire/internal/history"
)

// Normalize repairs the items of a conversation before they are sent as input, so
// that the API does not refuse them for their calls and outputs: after an
// interruption or a crash, when items were cut off, repeated or reordered. It
// returns the items to send and what was repaired, in the order of the items given.
//
// Then each call has one output, and the outputs come right after the items of the
// model's turn, in the order of the calls. [RepairKind] lists what is done. Calls
// of the last turn are answered, too: normalise when all outputs are in, right
// before the request. It looks at the calls that it can answer itself: of functions
// and custom tools, of apply_patch, and searches for tools that are left to the
// client. All other items stay.
//
// The items are returned as they are, byte for byte. The same history always gives
// the same bytes, which keeps a cached prompt valid, and normalising twice changes
// nothing. What the API may refuse for other reasons is left alone.
//
// It is for requests that send the whole conversation. With previous_response_id
// the calls are not among the items, and their outputs would seem to be stray; with
// an item_reference among the items, none does.
//
// The items given are not changed; those returned share their bytes.
func Normalize(items []json.RawMessage) ([]json.RawMessage, []Repair) {
	past := readPast(items)
	view := make([]history.Message, len(past.turns))
	for i, t := range past.turns {
		view[i] = t.view
	}
	turns, mended := history.Mend(view)
	repairs := append(past.found, past.locate(mended)...)
	slices.SortStableFunc(repairs, func(a, b Repair) int {
		return cmp.Or(cmp.Compare(a.Message, b.Message), cmp.Compare(a.Kind, b.Kind))
	})
	out := make([]json.RawMessage, 0, len(items))
	for _, t := range turns {
		if t.Message != history.New && view[t.Message].Role == history.Other {
			out = append(out, items[past.turns[t.Message].items[0]])
			continue
		}
		for _, r := range t.Blocks {
			item := items[past.turns[r.Message].items[r.Block]]
			if r.Missing {
				item = missingOutput(item)
			}
			out = append(out, item)
		}
	}
	return out, repairs
}

// Normalize is [Normalize]. Here nothing depends on the tools of w.
func (w *Wire) Normalize(items []json.RawMessage) ([]json.RawMessage, []Repair) {
	return Normalize(items)
}

// A Repair is one thing that Normalize put right.
type Repair struct {
	Kind    RepairKind
	CallID  string // of the call or output; empty if the item has none
	Message int    // the item, as an index of those given
}

// RepairKind says what was wrong in a conversation.
type RepairKind int

// What can be wrong, and what is done about it.
const (
	// MissingResult: a call has no output. It gets one that says so.
	MissingResult = RepairKind(history.MissingResult)
	// MisplacedResult: an output is not where it belongs. It is moved there.
	MisplacedResult = RepairKind(history.MisplacedResult)
	// StrayResult: an output has no call. It is dropped.
	StrayResult = RepairKind(history.StrayResult)
	// DuplicateResult: the call has another output before. This one is dropped.
	DuplicateResult = RepairKind(history.DuplicateResult)
	// DuplicateCall: another call before has the same id. This one is dropped,
	// with the reasoning before it if nothing else follows that.
	DuplicateCall = RepairKind(history.DuplicateCall)
	// StrayCall: a call has no id. It is dropped in the same way.
	StrayCall = RepairKind(history.StrayCall)
	// UnreadableMessage: an item is not one of the Responses API. It stays as it
	// is, and what it may hold is not counted.
	UnreadableMessage = RepairKind(history.UnreadableMessage)
	// DuplicateMessage: an item that is no call and no output is there before, with
	// the same id and to the byte. This one is dropped.
	DuplicateMessage RepairKind = 100
)

// String returns the kind in lower case.
func (k RepairKind) String() string {
	if k == DuplicateMessage {
		return "duplicate message"
	}
	return history.RepairKind(k).String()
}
