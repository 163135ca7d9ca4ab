package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard"
)

// resultOf returns an outcome in the form of the protocol.
func (p *peer) resultOf(o *pegboard.Outcome) *mcp.CallToolResult {
	r := &mcp.CallToolResult{IsError: o.Result.IsError || o.Err != nil, Content: []mcp.Content{}}
	stored := false
	for i := range o.Result.Parts {
		part := &o.Result.Parts[i]
		r.Content = append(r.Content, contentOf(part)...)
		if link := p.linkTo(part.Ref); link != nil {
			r.Content, stored = append(r.Content, link), true
		}
	}
	for i := range o.Result.Messages { // the protocol has no other place for them
		r.Content = append(r.Content, contentOf(&o.Result.Messages[i])...)
	}
	if r.IsError || o.Result.Data == nil || stored && !p.hasSchema(o.Call.ToolName()) {
		return r
	}
	if data, err := json.Marshal(o.Result.Data); err == nil && bytes.HasPrefix(data, []byte("{")) {
		r.StructuredContent = json.RawMessage(data)
	}
	return r
}

// linkTo returns the link to a stored result, or nil.
func (p *peer) linkTo(ref string) *mcp.ResourceLink {
	session, _ := p.current()
	if ref == "" || session == nil {
		return nil
	}
	l := link{peer: p, ref: ref}
	address := p.server.addLink(l)
	p.stay(p.server.o.Answer)
	return &mcp.ResourceLink{
		URI: address, Name: "result", Title: "The whole result", Size: l.size(context.Background(), session),
		Description: fmt.Sprintf("The result is longer than what is shown. Read it in pages of %d bytes.", pageSize),
	}
}

// readResult reads a page of a stored result that the client was told of.
func (p *peer) readResult(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	id, offset, ok := parseAddress(req.Params.URI)
	l, known := p.server.linkOf(id)
	if !ok || !known || !l.peer.is(p) || !l.peer.use() {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	defer l.peer.release()
	session, _ := l.peer.current()
	if session == nil {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	page, more, err := readPage(ctx, session.ResultStore(), l.ref, offset)
	if err != nil {
		p.server.logError("reading a stored result", err)
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	c := &mcp.ResourceContents{URI: req.Params.URI, MIMEType: "text/plain", Text: string(page)}
	if !utf8.Valid(page) {
		c.MIMEType, c.Text, c.Blob = http.DetectContentType(page), "", page
	}
	if more {
		next := fmt.Sprintf("%s%s?offset=%d", linkPrefix, id, offset+int64(len(page)))
		c.Meta = mcp.Meta{nextPage: next}
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{c}}, nil
}
