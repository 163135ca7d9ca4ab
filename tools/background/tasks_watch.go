package background

// Watch has f called with the full list, now and at every change, in order and
// never concurrently. A message of [Handle.Tell] counts as a change, so that f
// is also called whenever [Tasks.Notices] may have something new.
//
// f runs on the goroutine of somebody who made a change, which may be that of a
// later or an earlier one; it should be quick. It may use the table: what it
// changes there, it is called for after it has returned. A panic of f is
// dropped. stop ends the watch; a call that has begun may go on after stop has
// returned.
func (t *Tasks) Watch(f func([]Task)) (stop func()) {
	t.mu.Lock()
	stop = t.watchers.add(f, t.list())
	t.mu.Unlock()
	t.watchers.deliver()
	return stop
}

// queueUpdate queues the list for those that watch. The lock is held; deliver
// follows without it.
func (t *Tasks) queueUpdate() { t.watchers.queue(t.list) }
