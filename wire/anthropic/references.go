package anthropic

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/wire/internal/history"
)

// Normalize is [Normalize] for the request that holds w's tools. Results may also
// refer to tools that went away since, and the API refuses the whole request for
// one of them: a text takes its place for as long as the tool is not there. A tool
// that is there under another name, as an alias says, is referred to by that. What
// the search of tools that the API runs has found is left alone.
func (w *Wire) Normalize(messages []json.RawMessage) ([]json.RawMessage, []Repair) {
	if w.pool == nil {
		return Normalize(messages)
	}
	var stale []Repair
	fresh := make([]json.RawMessage, len(messages))
	for i, raw := range messages {
		var ids []string
		fresh[i], ids = w.dropStale(raw)
		for _, id := range ids {
			stale = append(stale, Repair{Kind: StaleReference, CallID: id, Message: i})
		}
	}
	out, repairs := Normalize(fresh)
	repairs = append(repairs, stale...)
	slices.SortStableFunc(repairs, func(a, b Repair) int { return cmp.Compare(a.Message, b.Message) })
	return out, repairs
}

// dropStale returns a message without stale references, and for each that was in it
// the id of the call.
func (w *Wire) dropStale(raw json.RawMessage) (fresh json.RawMessage, ids []string) {
	if !bytes.Contains(raw, []byte("tool_reference")) {
		return raw, nil // nearly all messages are read no further
	}
	past, _ := parsePast(raw)
	for i, o := range past.parsed {
		parts, ok := resultParts(o)
		if !ok {
			continue
		}
		before := len(ids)
		for j, part := range parts {
			tool, ok := referenceIn(part)
			if !ok {
				continue
			}
			now, ok := w.offered(w.tool(tool))
			if ok && now == tool {
				continue
			}
			id, _ := o.Text("tool_use_id")
			ids, parts[j] = append(ids, id), textBlock(goneTool(tool))
			if ok { // it has another name now
				parts[j] = toolReference(now)
			}
		}
		if len(ids) > before {
			o.Set("content", jsonobject.List(parts))
			past.blocks[i] = o.Encode()
		}
	}
	if len(ids) == 0 {
		return raw, nil
	}
	past.fields.Set("content", jsonobject.List(past.blocks))
	return past.fields.Encode(), ids
}

// Loaded returns the tools that the messages of a conversation have made known to
// the model, in the order of their first mention, by their names in the pool. These
// are the tools that a result refers to, that a search which the API ran has found,
// that stand in a <functions> block of a result of [pegboard.ToolSearch], as other
// wires write it, and that the model called. Such a block in any other result says
// nothing, nor does one whose call is not in messages.
//
// The same messages give the same names, whatever became of the tools: those that
// are not in the pool now are among them, since a source may come back. Messages
// that cannot be read are passed over.
func (w *Wire) Loaded(messages []json.RawMessage) []string {
	var tools []string
	past, called := w.readPast(messages)
	for _, m := range past {
		for i, o := range m.parsed {
			b := m.view.Blocks[i]
			if b.Kind == history.Call && m.view.Role != history.Model {
				continue
			}
			for _, api := range mentions(o, b, called[b.ID]) {
				tools = append(tools, w.tool(api))
			}
		}
	}
	return history.Loaded(slices.Values(tools))
}

// mentions returns the tools that a block makes known, as the API calls them. It
// belongs to a call of the tool called.
func mentions(o jsonobject.Object, b history.Block, called string) (names []string) {
	switch b.Kind {
	case history.Call:
		name, _ := o.Text("name")
		return []string{name}
	case history.Result:
		references, _ := resultParts(o)
		return slices.AppendSeq(referencesIn(references), readResult(o, called).Shown())
	}
	if kind, _ := o.Text("type"); kind == "tool_search_tool_result" {
		found, _ := jsonobject.Parse(o.Get("content"))
		return referencesIn(list(found.Get("tool_references")))
	}
	return nil
}

// resultParts returns the content of a result, if it is a list. It fails if o is no
// result.
func resultParts(o jsonobject.Object) (parts []json.RawMessage, ok bool) {
	kind, _ := o.Text("type")
	return list(o.Get("content")), kind == "tool_result"
}

// list returns the elements of an array, or nil.
func list(raw json.RawMessage) (elements []json.RawMessage) {
	if len(raw) > 0 && raw[0] == '[' {
		_ = json.Unmarshal(raw, &elements) // it was read before
	}
	return elements
}

// referencesIn returns the tools that blocks refer to.
func referencesIn(blocks []json.RawMessage) (tools []string) {
	for _, b := range blocks {
		if tool, ok := referenceIn(b); ok {
			tools = append(tools, tool)
		}
	}
	return tools
}

// referenceIn returns the tool that a block refers to.
func referenceIn(raw json.RawMessage) (tool string, ok bool) {
	o, _ := jsonobject.Parse(raw)
	if kind, _ := o.Text("type"); kind != "tool_reference" {
		return "", false
	}
	return o.Text("tool_name")
}

// textIn returns the text of a text block.
func textIn(raw json.RawMessage) (text string, ok bool) {
	o, _ := jsonobject.Parse(raw)
	if kind, _ := o.Text("type"); kind != "text" {
		return "", false
	}
	return o.Text("text")
}
