package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire/internal/deferral"
)

// Recall returns the messages that keep tools known when the messages that loaded them
// are dropped, as a compaction of the conversation does: a call of
// [pegboard.ToolSearch] and its result, which holds the definitions of the tools, just
// as [Message.History] and [Message.Results] would have written them. Give it what
// [Wire.Loaded] returned before; the two messages make the same tools known again.
//
// They belong right after a message of the user, such as the summary, and anything may
// follow.
//
// Tools that the request cannot hold, or that do not wait for a search, are left out.
// If none is left, or the pool has no ToolSearch, Recall returns nil. The same tools
// give the same bytes; the id of the call depends on their names alone.
func (w *Wire) Recall(tools []string) []json.RawMessage {
	names := deferral.Recallable(w.pool, tools)
	names = slices.DeleteFunc(names, func(tool string) bool { return w.definition(tool) == nil })
	if len(names) == 0 {
		return nil
	}
	input := deferral.Query(names)
	sum := sha256.Sum256(input)
	search := call{
		id: "call_" + hex.EncodeToString(sum[:12]), name: w.names.API(deferral.SearchTool),
		quoted: inside(jsonobject.Quote(string(input))),
	}
	m := Message{wire: w, Calls: []pegboard.Call{{ID: search.id, Name: deferral.SearchTool, Input: input}}}
	m.keep("", grown{}, []json.RawMessage{search.encode()})
	return append(m.History(), m.Results(deferral.Found(&m.Calls[0], names))...)
}
