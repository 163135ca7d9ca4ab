package content_test

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/content"
)

// A stored is what a store was given.
type stored struct {
	kind string
	data string
}

// A host keeps what a decoder hands to it.
type host struct {
	stored []stored
	told   []string
	parts  []pegboard.Part
	full   bool // nothing can be stored
}

func (h *host) decoder() content.Decoder {
	return content.Decoder{Server: "srv", Store: h.store, Tell: func(text string, parts []pegboard.Part) {
		h.told, h.parts = append(h.told, text), parts
	}}
}

func (h *host) store(_ context.Context, kind string, r io.Reader) (pegboard.StoredResult, error) {
	if h.full {
		return pegboard.StoredResult{}, errors.New("the disk is full")
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return pegboard.StoredResult{}, err
	}
	h.stored = append(h.stored, stored{kind, string(data)})
	return pegboard.StoredResult{Ref: "r", Path: fmt.Sprintf("/store/%d", len(h.stored)), Size: int64(len(data))}, nil
}

// tinyPNG is an image of one pixel, in base64.
const tinyPNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
