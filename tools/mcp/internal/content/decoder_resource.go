package content

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// Resources is the output of the tool ReadMcpResource, as Claude Code documents it.
type Resources struct {
	Contents []Resource `json:"contents"`
}

// A Resource is one of the contents of a resource that was read.
type Resource struct {
	URI         string `json:"uri"`
	MIMEType    string `json:"mimeType,omitempty"`
	Text        string `json:"text,omitempty"`
	BlobSavedTo string `json:"blobSavedTo,omitempty"` // the path of the file that holds its bytes
}

// Resource returns the result of an answer to resources/read. Its Data is a [Resources]. The
// error is worded for the model. Contents that are neither text nor bytes are named in the
// parts.
func (d Decoder) Resource(ctx context.Context, raw json.RawMessage) (*pegboard.Result, error) {
	answer, err := d.read(raw)
	if err != nil {
		return nil, err
	}
	if text := d.unfinished(answer); text != "" {
		return nil, errors.New(text)
	}
	value := answer.value("contents")
	contents, rest := d.list(ctx, value, "contents")
	if len(value) > 0 && value[0] == '{' {
		contents = [][]byte{value}
	}
	if contents == nil && string(value) != "[]" {
		return nil, fmt.Errorf("MCP server %s answered without the contents of the resource", strictjson.Quote(d.Server))
	}
	r, output := &pegboard.Result{}, Resources{Contents: []Resource{}}
	for _, raw := range contents {
		m := membersOf(raw)
		l, ok := d.resource(ctx, m)
		if !ok {
			r.Parts = append(r.Parts, texts(fmt.Sprintf("(A content that has neither a text nor bytes, as JSON:)\n%s", raw))...)
			continue
		}
		uri, _ := m.text("uri")
		_, spelled := m.mime()
		output.Contents = append(output.Contents, Resource{URI: uri, MIMEType: spelled, Text: l.text, BlobSavedTo: l.path})
		r.Parts = append(r.Parts, l.parts...)
	}
	r.Parts, r.Data = joined(append(harmless(r.Parts), rest...)), output
	if len(r.Parts) == 0 {
		r.Parts = texts("(The resource has no contents.)")
	}
	return r, nil
}
