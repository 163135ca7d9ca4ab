package mcp

import (
	"context"
	"log/slog"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// hostHandler is a handler of the host's log that neither panics nor hangs.
type hostHandler struct {
	slog.Handler
	calls *hostCalls // shared by all handlers that are derived from one
}

// newHostLogger returns a logger that writes to the log of the host.
func newHostLogger(l *slog.Logger) *slog.Logger {
	if _, ok := l.Handler().(hostHandler); ok || l.Handler() == slog.DiscardHandler {
		return l
	}
	return slog.New(hostHandler{l.Handler(), new(hostCalls)})
}

// Enabled is false if the handler of the host panics.
func (h hostHandler) Enabled(ctx context.Context, level slog.Level) (enabled bool) {
	_ = goroutine.Try(func() error { enabled = h.Handler.Enabled(ctx, level); return nil })
	return enabled
}

// Handle hands a record to the handler of the host.
func (h hostHandler) Handle(ctx context.Context, r slog.Record) error {
	r = r.Clone()
	h.calls.call(func() { _ = h.Handler.Handle(ctx, r) })
	return nil
}

// WithAttrs returns a handler that adds attributes; h itself if the host's panics.
func (h hostHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return h.derive(func() slog.Handler { return h.Handler.WithAttrs(attrs) })
}

// WithGroup returns a handler that opens a group; h itself if the host's panics.
func (h hostHandler) WithGroup(name string) slog.Handler {
	return h.derive(func() slog.Handler { return h.Handler.WithGroup(name) })
}

func (h hostHandler) derive(f func() slog.Handler) slog.Handler {
	derived := h
	_ = goroutine.Try(func() error { derived.Handler = f(); return nil })
	return derived
}
