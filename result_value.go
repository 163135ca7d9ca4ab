package pegboard

import (
	"encoding/base64"
	"slices"
)

// Value returns what code gets that made the call with [Call.Run], such as a script: data,
// and no text that is worded for the model. It is [Result].Value. A result without that
// has its Data as the value, which encoding/json can encode and the tool's output schema
// describes; and one without Data the text of its parts, or if there are other parts than
// text, a list of them in the form of MCP. Parts of the value may be a [FileValue].
//
// If the call failed, the error is a *[CodeError]. A result that has both IsError and a
// Value is no failure for code, such as that of a command whose exit code is 1.
func (o *Outcome) Value() (any, error) {
	r := o.Result
	failure, failed := r.Value.(*CodeError)
	switch {
	case failed && o.Err == nil:
		e := *failure
		e.Tool = o.Call.ToolName()
		if e.Data == nil {
			e.Data = r.Data
		}
		return nil, &e
	case o.Err != nil || r.IsError && r.Value == nil:
		return nil, &CodeError{Tool: o.Call.ToolName(), Kind: codeKindOf(o.Err), Text: r.Text(), Data: r.Data, Err: o.Err}
	case r.Value != nil:
		return r.Value, nil
	case r.Data != nil:
		return r.Data, nil
	}
	return valueOfParts(r.Parts), nil
}

// valueOfParts returns parts as code gets them.
func valueOfParts(parts []Part) any {
	if !slices.ContainsFunc(parts, func(p Part) bool { return p.MIME != "" || p.Tool != "" }) {
		r := Result{Parts: parts}
		return r.Text()
	}
	blocks := []any{}
	for _, p := range parts {
		switch {
		case p.Tool != "":
			blocks = append(blocks, map[string]any{"type": "tool_reference", "tool_name": p.Tool})
		case len(p.Data) > 0:
			kind := "resource"
			if p.isImage() {
				kind = "image"
			}
			blocks = append(blocks, map[string]any{"type": kind, "mimeType": p.MIME, "data": base64.StdEncoding.EncodeToString(p.Data)})
		default:
			blocks = append(blocks, map[string]any{"type": "text", "text": p.Text})
		}
	}
	return blocks
}

// withValueAfterHook returns r, which a hook may have changed; before is a copy of the
// result that the hook got. What the hook has taken out of the parts must not reach code by
// another way, so parts that were changed are the value.
func (r *Result) withValueAfterHook(before *Result) *Result {
	same := slices.EqualFunc(before.Parts, r.Parts, func(a, b Part) bool {
		return a.Text == b.Text && a.MIME == b.MIME && a.Tool == b.Tool && slices.Equal(a.Data, b.Data)
	})
	_, failed := r.Value.(*CodeError)
	fails := failed || r.IsError && (r.Value == nil || !before.IsError)
	if same && (!fails || failed || r.Value == nil) {
		return r
	}
	changed := *r
	switch {
	case fails:
		changed.Value, changed.Data, changed.IsError = nil, nil, true
	default:
		changed.Value = valueOfParts(r.Parts)
	}
	return &changed
}
