package gemini

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
)

// Normalize repairs the contents of a request before they are sent, so that the API
// does not refuse them for their calls and results: after an interruption or a crash,
// when contents were cut off, repeated or reordered, or when results were kept one by
// one. It returns the contents to send and what was repaired, in the order of the
// contents given.
//
// Then each functionCall has one functionResponse, and those of a content come first
// in the user's content right after it, in the order of the calls. [RepairKind] lists
// what is done. Calls of the last content are answered, too: normalise when all
// results are in, right before the request.
//
// A response with an id belongs to the call with this id and its name, one without to
// the first call of its name that has none yet; where several turns qualify, to the
// one right before it. Ids may begin anew in each turn.
//
// Contents that need no repair are returned as they are, byte for byte, and so is
// every part of the others. The same history always gives the same bytes, which keeps
// a cached prompt valid, and normalising twice changes nothing. What the API may
// refuse for other reasons is left alone.
//
// The contents given are not changed; those returned share their bytes.
func Normalize(contents []json.RawMessage) ([]json.RawMessage, []Repair) {
	parsed := make([]pastContent, len(contents))
	var repairs []Repair
	for i, raw := range contents {
		var ok bool
		if parsed[i], ok = parsePast(raw); !ok {
			repairs = append(repairs, Repair{Kind: UnreadableMessage, Message: i})
		}
	}
	view, names := match(parsed)
	turns, mended := history.Mend(view)
	for _, r := range mended {
		n := names[r.CallID]
		repairs = append(repairs, Repair{Kind: RepairKind(r.Kind), CallID: n.id, Name: n.name, Message: r.Message})
	}
	slices.SortStableFunc(repairs, func(a, b Repair) int { return cmp.Compare(a.Message, b.Message) })
	out := make([]json.RawMessage, 0, len(turns))
	for _, t := range turns {
		if t.Changed {
			out = append(out, rewrite(t, parsed))
		} else {
			out = append(out, contents[t.Message])
		}
	}
	return out, repairs
}

// Normalize is [Normalize]. Here nothing depends on the tools of w.
func (w *Wire) Normalize(contents []json.RawMessage) ([]json.RawMessage, []Repair) {
	return Normalize(contents)
}

// A Repair is one thing that Normalize put right.
type Repair struct {
	Kind    RepairKind
	CallID  string // of the call or result; empty if it has none, or it was a whole content
	Name    string // of the function, as the API knows it; empty if it was a whole content
	Message int    // where it stood, as an index of the contents given
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
	// DuplicateCall: another call before in the same turn has the same id. This one
	// is dropped, with the thinking before it if nothing else follows that.
	DuplicateCall = RepairKind(history.DuplicateCall)
	// StrayCall: a call has no name, or is in a content of the user. It is dropped in
	// the same way.
	StrayCall = RepairKind(history.StrayCall)
	// SplitMessage: a content of the model belongs to the one before, the results of
	// whose calls come only after it. The two become one.
	SplitMessage = RepairKind(history.SplitMessage)
	// EmptyMessage: nothing is left of a content. It is dropped.
	EmptyMessage = RepairKind(history.EmptyMessage)
	// UnreadableMessage: an entry is not a content. It stays as it is, and what it may
	// hold is not counted.
	UnreadableMessage = RepairKind(history.UnreadableMessage)
)

// String returns the kind in lower case.
func (k RepairKind) String() string { return history.RepairKind(k).String() }

// rewrite returns a content with other parts than it had.
func rewrite(t history.Turn, past []pastContent) json.RawMessage {
	var parts []json.RawMessage
	for _, r := range t.Blocks {
		if r.Missing {
			parts = append(parts, missingResponse(past[r.Message].functions[r.Block]))
		} else {
			parts = append(parts, past[r.Message].parts[r.Block])
		}
	}
	if t.Message == history.New {
		return encodeContent("user", parts)
	}
	fields := past[t.Message].fields
	fields.Set("parts", jsonobject.List(parts))
	return fields.Encode()
}

// missingResponse answers a call whose result is not known.
func missingResponse(call function) json.RawMessage {
	var o jsonobject.Object
	if call.id != "" {
		o.Set("id", jsonobject.Quote(call.id))
	}
	o.Set("name", jsonobject.Quote(call.name))
	o.Set("response", jsonobject.With("error", jsonobject.Quote(history.Answer(call.name))).Encode())
	return jsonobject.With("functionResponse", o.Encode()).Encode()
}
