package mcp

import (
	"sync"
	"time"
)

// A moment is something that a callClock waits for.
type moment int

const (
	idleMoment moment = iota // nothing has happened for too long
	lastMoment               // the call has taken too long
	moveMoment               // the call should go on in the background
	moments
)

// callClock says when the limits of a call are reached. One timer serves all of them.
type callClock struct {
	reached func(moment) // called once for each moment, on a goroutine of its own
	idle    time.Duration
	timer   *time.Timer

	mu     sync.Mutex
	at     [moments]time.Time // zero: not waited for
	paused int                // how often pause was called without resume
	ended  bool
}

// start starts the clock. A duration of 0 or less means no limit.
func (c *callClock) start(idle, last, move time.Duration, reached func(moment)) {
	now := time.Now()
	c.reached, c.idle = reached, max(idle, 0)
	for m, d := range [moments]time.Duration{idleMoment: idle, lastMoment: last, moveMoment: move} {
		if d > 0 {
			c.at[m] = now.Add(d)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if next, ok := c.next(); ok {
		c.timer = time.AfterFunc(next.Sub(now), c.tick)
	}
}

// next returns the next moment. The lock is held.
func (c *callClock) next() (next time.Time, ok bool) {
	for m, at := range c.at {
		if at.IsZero() || moment(m) == idleMoment && c.paused > 0 {
			continue
		}
		if next.IsZero() || at.Before(next) {
			next = at
		}
	}
	return next, !next.IsZero()
}

// tick is called by the timer.
func (c *callClock) tick() {
	c.mu.Lock()
	now := time.Now()
	var passed []moment
	for m, at := range c.at {
		if c.ended || at.IsZero() || at.After(now) || moment(m) == idleMoment && c.paused > 0 {
			continue
		}
		c.at[m] = time.Time{}
		passed = append(passed, moment(m))
	}
	c.rearm(now)
	c.mu.Unlock()
	for _, m := range passed {
		c.reached(m)
	}
}

// rearm sets the timer to the next moment. The lock is held.
func (c *callClock) rearm(now time.Time) {
	if next, ok := c.next(); ok && !c.ended {
		c.timer.Reset(next.Sub(now))
	}
}

// reset begins the time of idleness anew. The timer is left alone: when it fires it is set to
// the new time.
func (c *callClock) reset() { c.pauseBy(0) }

// pause stops the time of idleness until resume was called as often.
func (c *callClock) pause() { c.pauseBy(1) }

// resume undoes pause, and begins the time of idleness anew.
func (c *callClock) resume() { c.pauseBy(-1) }

func (c *callClock) pauseBy(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paused += n
	if c.at[idleMoment].IsZero() {
		return // no limit, or reached
	}
	now := time.Now()
	c.at[idleMoment] = now.Add(c.idle)
	if n < 0 {
		c.rearm(now)
	}
}

// stop stops the clock.
func (c *callClock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	if c.timer != nil {
		c.timer.Stop()
	}
}
