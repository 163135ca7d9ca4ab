package gemini

import (
	"encoding/json"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire/internal/deferral"
)

// unsigned stands in for the signature of a call that no model made. Gemini 3 refuses
// a call without any; the documentation of thought signatures names this one for
// calls that a client puts into the contents.
const unsigned = "skip_thought_signature_validator"

// Recall returns the contents that keep tools known when the contents that loaded them
// are dropped, as a compaction of the conversation does: a call of
// [pegboard.ToolSearch] and its result, which holds the definitions of the tools, just
// as [Message.History] and [Message.Results] would have written them. Give it what
// [Wire.Loaded] returned before; the two contents make the same tools known again.
//
// They belong right after a content of the user, such as the summary: the first is the
// model's, the second the user's. Where roles must alternate, what the user says next
// goes into the second, behind its part.
//
// Tools that the request cannot hold, or that do not wait for a search, are left out.
// If none is left, or the pool has no ToolSearch, Recall returns nil. The same tools
// give the same bytes. The call has no id, like those of many models, and where a
// signature would be the text that the API documents for calls that no model made.
func (w *Wire) Recall(tools []string) []json.RawMessage {
	names := deferral.Recallable(w.pool, tools)
	names = slices.DeleteFunc(names, func(tool string) bool { return w.definition(tool) == nil })
	if len(names) == 0 {
		return nil
	}
	search := pegboard.Call{ID: "recall", Name: deferral.SearchTool, Input: deferral.Query(names)}
	api := w.names.API(deferral.SearchTool)
	function := jsonobject.With("name", jsonobject.Quote(api)).With("args", search.Input)
	part := jsonobject.With("functionCall", function.Encode()).With("thoughtSignature", jsonobject.Quote(unsigned))
	m := Message{wire: w, Calls: []pegboard.Call{search}, content: []json.RawMessage{part.Encode()}}
	m.ask(&call{id: search.ID, name: api})
	return append(m.History(), m.Results(deferral.Found(&search, names))...)
}
