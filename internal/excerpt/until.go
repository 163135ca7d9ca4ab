package excerpt

import (
	"context"
	"io"
)

// Until returns a reader of r that fails once ctx has ended. It does not interrupt a Read
// that blocks.
func Until(ctx context.Context, r io.Reader) io.Reader { return until{ctx, r} }

type until struct {
	ctx  context.Context //nolint:containedctx // it bounds the reader
	from io.Reader
}

func (u until) Read(p []byte) (int, error) {
	if err := context.Cause(u.ctx); err != nil {
		return 0, err
	}
	return u.from.Read(p)
}
