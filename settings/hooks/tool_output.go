package hooks

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// sameJSON reports whether two texts are the same JSON, whatever the order of members.
func sameJSON(a, b []byte) bool {
	if string(a) == string(b) {
		return true
	}
	x, errA := decodeExact(a)
	y, errB := decodeExact(b)
	return errA == nil && errB == nil && reflect.DeepEqual(x, y)
}

// changedInput returns the input that a hook gives in place of the observed one, without the
// members that the call has for observers only. It reports whether that differs from the input
// of the call.
func changedInput(c *pegboard.Call, input json.RawMessage) (changed json.RawMessage, differs bool) {
	observed := c.Observed()
	if sameJSON(input, observed) || sameJSON(input, c.Input) {
		return nil, false
	}
	given, err := jsonobject.Parse(input)
	seen, _ := jsonobject.Parse(observed)
	written, _ := jsonobject.Parse(c.Input)
	if err != nil {
		return input, true
	}
	given = slices.DeleteFunc(given, func(m jsonobject.Member) bool {
		value := seen.Get(m.Name)
		return value != nil && written.Get(m.Name) == nil && sameJSON(value, m.Value)
	})
	for i, m := range given { // as the model wrote it, where the hook saw another spelling
		if value := seen.Get(m.Name); value != nil && written.Get(m.Name) != nil && sameJSON(value, m.Value) {
			given[i].Value = written.Get(m.Name)
		}
	}
	input = given.Encode()
	return input, !sameJSON(input, c.Input)
}

// toolResponse returns the output of a call as hooks see it: the typed output, or the content
// of a tool of a server.
func toolResponse(h *pegboard.HookCall) json.RawMessage {
	r := h.Outcome.Result
	external := h.Tool != nil && h.Tool.Info().Origin.External()
	if !external && r.Data != nil {
		if text, err := encode(r.Data); err == nil {
			return text
		}
	}
	if !external && onlyText(r.Parts) {
		return jsonobject.Quote(r.Text())
	}
	text, err := encode(contentBlocks(r.Parts))
	if err != nil {
		return jsonobject.Quote(r.Text())
	}
	return text
}

func onlyText(parts []pegboard.Part) bool {
	return !slices.ContainsFunc(parts, func(p pegboard.Part) bool { return p.MIME != "" || p.Tool != "" })
}

// contentBlocks returns parts in the form of MCP.
func contentBlocks(parts []pegboard.Part) []map[string]any {
	blocks := []map[string]any{}
	for _, p := range parts {
		switch {
		case p.Tool != "":
			blocks = append(blocks, map[string]any{"type": "tool_reference", "tool_name": p.Tool})
		case len(p.Data) > 0:
			blocks = append(blocks, map[string]any{"type": mediaBlock(p.MIME), "mimeType": p.MIME, "data": base64.StdEncoding.EncodeToString(p.Data)})
		default:
			blocks = append(blocks, map[string]any{"type": "text", "text": p.Text})
		}
	}
	return blocks
}

// mediaBlock returns the type of a block of MCP with bytes.
func mediaBlock(mime string) string {
	kind, _, _ := strings.Cut(mime, "/")
	if kind == "image" || kind == "audio" {
		return kind
	}
	return "resource"
}

// externalResult returns a result for the model of any JSON: the text of a string, or content
// blocks of MCP.
func externalResult(output json.RawMessage) *pegboard.Result {
	var text string
	if json.Unmarshal(output, &text) == nil {
		return pegboard.TextResult(text)
	}
	var blocks []struct{ Type, Text, Data, MimeType string }
	content := output
	if o, err := jsonobject.Parse(output); err == nil && o.Get("content") != nil {
		content = o.Get("content")
	}
	if json.Unmarshal(content, &blocks) != nil || len(blocks) == 0 {
		return pegboard.TextResult(string(output))
	}
	result := &pegboard.Result{}
	for _, b := range blocks {
		data, err := base64.StdEncoding.DecodeString(b.Data)
		switch {
		case b.Type == "text":
			result.Parts = append(result.Parts, pegboard.Part{Text: b.Text})
		case b.Data != "" && err == nil && b.MimeType != "":
			result.Parts = append(result.Parts, pegboard.Part{MIME: b.MimeType, Data: data})
		default:
			return pegboard.TextResult(string(output))
		}
	}
	return result
}

// encode returns v as JSON, in which the characters <, > and & are left as they are. A method
// of v that panics is an error.
func encode(v any) (text json.RawMessage, err error) {
	crash := goroutine.Try(func() error {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		err = e.Encode(v)
		text = bytes.TrimRight(b.Bytes(), "\n")
		return nil
	})
	if crash != nil {
		return nil, fmt.Errorf("encode it as JSON: %w", crash)
	}
	return text, err
}

// decodeExact decodes JSON without a loss of digits.
func decodeExact(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, errors.New("there is more than one value")
	}
	return v, nil
}
