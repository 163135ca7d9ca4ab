package pegboard

import (
	"context"
)

type sessionKey struct{}

// mustHaveContext panics if ctx is nil. The caller is the exported function that was
// given ctx.
func mustHaveContext(caller string, ctx context.Context) { //nolint:revive // the context is what is checked
	if ctx == nil {
		panic("pegboard: " + caller + " with a nil context; use context.Background() if nothing cancels it")
	}
}

// WithSession returns a context that carries s, as the context of a tool does.
func WithSession(ctx context.Context, s *Session) context.Context {
	return context.WithValue(ctx, sessionKey{}, s)
}

// SessionFrom returns the session that ctx carries.
func SessionFrom(ctx context.Context) (*Session, bool) {
	s, ok := ctx.Value(sessionKey{}).(*Session)
	return s, ok && s != nil
}
