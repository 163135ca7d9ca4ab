package serve

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

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

// size returns the size of a result whose store knows it, or nil.
func (l link) size(ctx context.Context, s *pegboard.Session) *int64 {
	r, err := s.ResultStore().Open(ctx, l.ref)
	if err != nil {
		return nil
	}
	defer func() { _ = r.Close() }()
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
	defer func() { _ = r.Close() }()
	if seeker, ok := r.(io.Seeker); ok {
		_, err = seeker.Seek(offset, io.SeekStart)
	} else {
		_, err = io.CopyN(io.Discard, r, offset)
	}
	if errors.Is(err, io.EOF) {
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
