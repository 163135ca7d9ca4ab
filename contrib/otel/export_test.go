package otel

// Open returns how many calls have no outcome yet.
func (t *Tracing) Open() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.calls)
}
