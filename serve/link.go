package serve

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard"
)

// The addresses of stored results.
const (
	linkPrefix   = "pegboard:result/"
	linkTemplate = linkPrefix + "{id}{?offset}"
	nextPage     = "pegboard/next" // in _meta: the address of the next page
	pageSize     = 1 << 20         // of a page, in bytes
)

// A link is a stored result that a client was told of.
type link struct {
	peer *peer
	ref  string // in the store of the peer's session
}

// addLink returns the address of a result. The same result has one address.
func (s *Server) addLink(l link) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, other := range s.links {
		if other == l {
			return linkPrefix + id
		}
	}
	id := rand.Text()
	s.links[id] = l
	return linkPrefix + id
}

func (s *Server) linkOf(id string) (link, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.links[id]
	return l, ok
}

// size returns the size of a result whose store knows it, or nil.
func (l link) size(ctx context.Context, s *pegboard.Session) *int64 {
	r, err := s.ResultStore().Open(ctx, l.ref)
	if err != nil {
		return nil
	}
	defer r.Close()
	seeker, ok := r.(io.Seeker)
	if !ok {
		return nil
	}
	size, err := seeker.Seek(0, io.SeekEnd)
	if err != nil {
		return nil
	}
	return &size
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

func parseAddress(address string) (id string, offset int64, ok bool) {
	rest, ok := strings.CutPrefix(address, linkPrefix)
	if !ok {
		return "", 0, false
	}
	id, query, _ := strings.Cut(rest, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return "", 0, false
	}
	if text := values.Get("offset"); text != "" {
		offset, err = strconv.ParseInt(text, 10, 64)
	}
	return id, offset, err == nil && offset >= 0
}

// readPage reads at most pageSize bytes from offset. A page of text ends with a whole
// character.
func readPage(ctx context.Context, store pegboard.ResultStore, ref string, offset int64) (page []byte, more bool, err error) {
	r, err := store.Open(ctx, ref)
	if err != nil {
		return nil, false, err
	}
	defer r.Close()
	if seeker, ok := r.(io.Seeker); ok {
		_, err = seeker.Seek(offset, io.SeekStart)
	} else {
		_, err = io.CopyN(io.Discard, r, offset)
	}
	if err == io.EOF {
		return nil, false, nil // the offset is behind the end
	} else if err != nil {
		return nil, false, err
	}
	page, err = io.ReadAll(io.LimitReader(r, pageSize+1))
	if err != nil || len(page) <= pageSize {
		return page, false, err
	}
	page = page[:pageSize]
	for cut := 0; cut < utf8.UTFMax; cut++ {
		if whole := page[:pageSize-cut]; utf8.Valid(whole) {
			return bytes.Clone(whole), true, nil
		}
	}
	return page, true, nil
}
