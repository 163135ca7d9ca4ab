package pegboard

import (
	"context"
)

type sessionKey struct{}

// WithSession returns a context that carries s, as the context of a tool does.
func WithSession(ctx context.Context, s *Session) context.Context {
	return context.WithValue(ctx, sessionKey{}, s)
}

// SessionFrom returns the session that ctx carries.
func SessionFrom(ctx context.Context) (*Session, bool) {
	s, ok := ctx.Value(sessionKey{}).(*Session)
	return s, ok && s != nil
}
