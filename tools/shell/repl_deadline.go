package shell

import (
	"sync"
	"time"
)

// How code is interrupted whose time is over. The state of the interpreter outlives that; it
// is lost if the code does not end all the same.
const (
	interruptEvery = time.Second
	interruptTries = 3 // before the process is ended
)

// A deadline ends code that takes too long: it interrupts the code, and if that does not end,
// the process. Its methods may be called concurrently.
type deadline struct {
	child *child

	mu       sync.Mutex
	begun    bool // the code runs; before, the driver may not be ready for an interrupt
	passed   bool // the time is over
	killed   bool // the process was ended
	over     bool // the code has ended
	attempts int
	timer    *time.Timer // of the next attempt
}

// pass is called when the time of the code is over.
func (d *deadline) pass() {
	d.mu.Lock()
	first := !d.passed && !d.over
	d.passed = d.passed || first
	d.mu.Unlock()
	if first {
		d.interrupt()
	}
}

// interrupt makes the next attempt to end the code.
func (d *deadline) interrupt() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return
	}
	d.attempts++
	if d.attempts > interruptTries {
		d.killed = true
		d.child.process.Stop(errCodeTime)
		return
	}
	all := d.attempts > 1 // what the code waits for may keep it from being interrupted itself
	d.timer = time.AfterFunc(interruptEvery, d.interrupt)
	if d.begun {
		d.child.interrupt(all)
	}
}

// begin is called when the code begins to run.
func (d *deadline) begin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.begun = true
}

// end is called when the code has ended, and reports whether its time was over, and
// whether its process is being ended.
func (d *deadline) end() (passed, killed bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
	if d.timer != nil {
		d.timer.Stop()
	}
	return d.passed, d.killed
}
