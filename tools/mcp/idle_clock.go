package mcp

import (
	"sync"
	"time"
)

// idleClock calls a func when nothing has happened for too long. A nil clock never does.
type idleClock struct {
	limit time.Duration
	timer *time.Timer

	mu     sync.Mutex
	paused int // how often pause was called without resume
	ended  bool
}

// newIdleClock returns a clock that runs. A limit of 0 means none.
func newIdleClock(limit time.Duration, fire func()) *idleClock {
	if limit <= 0 {
		return nil
	}
	return &idleClock{limit: limit, timer: time.AfterFunc(limit, fire)}
}

// reset begins the time anew.
func (k *idleClock) reset() { k.change(0) }

// pause stops the clock until resume was called as often.
func (k *idleClock) pause() { k.change(1) }

// resume undoes pause, and begins the time anew.
func (k *idleClock) resume() { k.change(-1) }

func (k *idleClock) change(pauses int) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.paused += pauses
	if k.ended {
		return
	}
	if k.timer.Stop(); k.paused == 0 {
		k.timer.Reset(k.limit)
	}
}

// stop ends the clock.
func (k *idleClock) stop() {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ended = true
	k.timer.Stop()
}
