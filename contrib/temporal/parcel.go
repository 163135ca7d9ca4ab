package temporal

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/seed49eaa51d/pegboard"
)

// MaxInline is how many bytes of an input or a result are sent through Temporal, which refuses
// more than 2 MiB and warns of more than 512 KiB. They are encoded in base64, and a result is
// twice in the history.
const MaxInline = 256 << 10

// A parcel is bytes on their way, or where the store of the session has them.
type parcel struct {
	Bytes []byte `json:"bytes,omitempty"`
	Ref   string `json:"ref,omitempty"`
	Size  int64  `json:"size,omitempty"` // of the bytes under Ref
}

// pack returns a parcel of b. CallID names its call in the store.
func pack(ctx context.Context, store pegboard.ResultStore, callID string, b []byte) (parcel, error) {
	if len(b) <= MaxInline {
		return parcel{Bytes: b}, nil
	}
	stored, err := store.Put(ctx, callID, "application/json", bytes.NewReader(b))
	switch {
	case err != nil:
		return parcel{}, fmt.Errorf("%w: %d bytes could not be kept: %w", ErrStore, len(b), err)
	case stored.Size != int64(len(b)):
		return parcel{}, fmt.Errorf("%w: it keeps %d of %d bytes; raise its limit", ErrStore, stored.Size, len(b))
	}
	return parcel{Ref: stored.Ref, Size: stored.Size}, nil
}

// open returns the bytes of p.
func (p *parcel) open(ctx context.Context, store pegboard.ResultStore) ([]byte, error) {
	if p.Ref == "" {
		return p.Bytes, nil
	}
	r, err := store.Open(ctx, p.Ref)
	if err != nil {
		return nil, fmt.Errorf("%w: the host and its workers need a store that both can read: %w", ErrStore, err)
	}
	defer func() { _ = r.Close() }() // it was only read
	b, err := io.ReadAll(io.LimitReader(r, p.Size+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrStore, err)
	case int64(len(b)) != p.Size:
		return nil, fmt.Errorf("%w: it has %d bytes of %d", ErrStore, len(b), p.Size)
	}
	return b, nil
}
