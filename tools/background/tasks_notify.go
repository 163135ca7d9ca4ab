package background

import (
	"context"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// notifyPerson tells the person that a task has completed or failed, if the host has set
// [pegboard.KeyNotify]. Whoever stops a task knows it. A panic of the host's func is
// ignored: the goroutine on which the work has ended must not panic.
func (t *Tasks) notifyPerson(k Task) {
	if k.State != Completed && k.State != Failed {
		return
	}
	t.mu.Lock()
	s := t.session
	t.mu.Unlock()
	notify, _ := pegboard.KeyNotify.Get(s)
	if notify == nil {
		return
	}
	n := pegboard.Notification{Type: "task_" + string(k.State), Title: taskLabel(k), Message: k.sentence(), AgentID: k.AgentID}
	_ = goroutine.Try(func() error { notify(context.Background(), n); return nil })
}
