package mcp

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

const (
	maxHostCall    = 100 * time.Millisecond // that a func of the host is waited for
	maxHostWaiting = 1000                   // calls of such funcs that wait for one that hangs
)

// hostCalls calls funcs of the host one after the other. A func that hangs holds up those
// after it and nothing else; a panic is lost. The zero value is ready to use.
type hostCalls struct {
	mu      sync.Mutex
	waiting []func()
	busy    bool // a goroutine works them off
	late    bool // the func that runs has taken too long
}

// call calls f. It waits for the end of f, but not for long. The oldest func that waits is
// dropped if there are too many.
func (h *hostCalls) call(f func()) {
	done := make(chan struct{})
	h.mu.Lock()
	if len(h.waiting) >= maxHostWaiting {
		h.waiting = slices.Delete(h.waiting, 0, 1)
	}
	h.waiting = append(h.waiting, func() { defer close(done); f() })
	if !h.busy {
		h.busy = true
		goroutine.Go(h.work)
	}
	late := h.late
	h.mu.Unlock()
	if late {
		return
	}
	timer := time.NewTimer(maxHostCall)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		h.mu.Lock()
		h.late = h.busy
		h.mu.Unlock()
	}
}

// work calls what waits until nothing does.
func (h *hostCalls) work() {
	returned := false
	defer func() {
		if !returned { // f has ended the goroutine
			goroutine.Go(h.work)
		}
	}()
	for f := h.next(); f != nil; f = h.next() {
		_ = goroutine.Try(func() error { f(); return nil })
	}
	returned = true
}

// next returns the func to call, or nil if none waits.
func (h *hostCalls) next() (f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.late = false
	if h.busy = len(h.waiting) > 0; !h.busy {
		return nil
	}
	f, h.waiting = h.waiting[0], h.waiting[1:]
	return f
}

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
