package anthropic

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire/internal/deferral"
)

// Recall returns the messages that keep tools known when the messages that loaded
// them are dropped, as a compaction of the conversation does: a call of
// [pegboard.ToolSearch] and its result, which refers to the tools, just as
// [Message.History] and [Message.Results] would have written them. Give it what
// [Wire.Loaded] returned before; the two messages make the same tools known again.
//
// They belong right after a message of the user, such as the summary, and anything
// may follow. With thinking that is switched on by hand a message of the user had
// better follow: a turn of the model that is still going on and calls tools must begin
// with thinking there, and these do not.
//
// Tools that the request does not hold, or that do not wait for a search, are left
// out. If none is left, or the pool has no ToolSearch, Recall returns nil. The same
// tools give the same bytes; the id of the call depends on their names alone.
func (w *Wire) Recall(tools []string) []json.RawMessage {
	names := slices.DeleteFunc(deferral.Recallable(w.pool, tools), func(tool string) bool { _, ok := w.offered(tool); return !ok })
	if len(names) == 0 {
		return nil
	}
	input := deferral.Query(names)
	sum := sha256.Sum256(input)
	search := pegboard.Call{ID: "toolu_" + hex.EncodeToString(sum[:12]), Name: deferral.SearchTool, Input: input}
	use := object("tool_use").With("id", jsonobject.Quote(search.ID)).
		With("name", jsonobject.Quote(w.Name(search.Name))).With("input", input).Encode()
	m := &Message{Calls: []pegboard.Call{search}, wire: w, content: []json.RawMessage{use}}
	return append(m.History(), m.Results(deferral.Found(&search, names))...)
}
