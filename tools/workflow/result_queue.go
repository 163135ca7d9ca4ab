package workflow

import "sync"

// A resultQueue has the agents that have ended and whose results were not taken, in the
// order of their ends.
type resultQueue struct {
	signal chan struct{} // has a value after a push

	mu    sync.Mutex
	ended []*agentCall
}

func newResultQueue() *resultQueue { return &resultQueue{signal: make(chan struct{}, 1)} }

func (q *resultQueue) push(a *agentCall) {
	q.mu.Lock()
	q.ended = append(q.ended, a)
	q.mu.Unlock()
	select {
	case q.signal <- struct{}{}:
	default:
	}
}

func (q *resultQueue) pop() (a *agentCall, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.ended) == 0 {
		return nil, false
	}
	a = q.ended[0]
	q.ended = q.ended[1:]
	return a, true
}
