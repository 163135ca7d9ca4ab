package responses

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire/internal/deferral"
)

// Recall returns the items that keep tools known when the items that loaded them are
// dropped, as a compaction of the conversation does: a call of [pegboard.ToolSearch]
// and its output, which holds the definitions of the tools, just as [Message.History]
// and [Message.Results] would have written them. Give it what [Wire.Loaded] returned
// before; the two items make the same tools known again. With [ClientSearch] they are
// a tool_search_call and its output.
//
// They belong right after a message of the user, such as the summary, and anything may
// follow.
//
// Tools that the request cannot hold, or that do not wait for a search, are left out.
// If none is left, or the pool has no ToolSearch, Recall returns nil: what the API
// found by [HostedSearch] it finds again. The same tools give the same bytes; the id
// of the call depends on their names alone.
func (w *Wire) Recall(tools []string) []json.RawMessage {
	names := slices.DeleteFunc(deferral.Recallable(w.pool, tools), func(tool string) bool { return len(w.definitions([]string{tool})) == 0 })
	if len(names) == 0 {
		return nil
	}
	input := deferral.Query(names)
	sum := sha256.Sum256(input)
	search := pegboard.Call{ID: "call_" + hex.EncodeToString(sum[:12]), Name: deferral.SearchTool, Input: input}
	m := &Message{Calls: []pegboard.Call{search}, wire: w, items: []json.RawMessage{w.recalling(search)}}
	if search.Name == w.options.search.tool {
		m.searches = map[string]bool{search.ID: true}
	}
	return append(m.History(), m.Results(deferral.Found(&search, names))...)
}

// recalling returns a call of the search as an item.
func (w *Wire) recalling(search pegboard.Call) json.RawMessage {
	id := jsonobject.Quote(search.ID)
	if search.Name == w.options.search.tool {
		return jsonobject.With("type", jsonobject.Quote("tool_search_call")).With("call_id", id).
			With("execution", jsonobject.Quote("client")).With("status", jsonobject.Quote("completed")).
			With("arguments", search.Input).Encode()
	}
	return jsonobject.With("type", jsonobject.Quote("function_call")).With("call_id", id).
		With("name", jsonobject.Quote(w.Name(search.Name))).With("arguments", jsonobject.Quote(string(search.Input))).Encode()
}
