package background

// Watch calls f with the full list, now and after every change, in the order of the
// changes and never concurrently. A message of [Handle.Tell] counts as a change, so f
// is called whenever [Tasks.Notices] may return something new.
//
// f runs on the goroutine that made this change or another one, so it should be
// quick. It may use the table; changes that f makes are delivered after it has
// returned. A panic of f is ignored. stop ends the watch; a call of f that has begun
// may still run after stop has returned.
func (t *Tasks) Watch(f func([]Task)) (stop func()) {
	t.mu.Lock()
	stop = t.watchers.add(f, t.list())
	t.mu.Unlock()
	t.watchers.deliver()
	return stop
}

// queueUpdate queues the current list for every watcher. The caller holds the lock
// and calls deliver after releasing it.
func (t *Tasks) queueUpdate() { t.watchers.queue(t.list) }
