package mcp

import (
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
