package pegboard

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// The reasons for no further attempt, beside the number of attempts.
var (
	errLongPause = errors.New("the pause that is asked for is longer than a call may wait")
	errNoTime    = errors.New("there is no time left for another attempt")
)

// attempts calls the tool, and calls it again when its transport fails, as its policy
// says.
func (j *job) attempts(own context.Context) (result *Result, err, crash error) {
	begun := time.Now()
	for n := 1; ; n++ {
		j.attempted.Store(int32(n)) //nolint:gosec // nobody makes so many
		result, err, crash = j.callTool(own)
		if crash != nil || err == nil || !j.mayRetry(own, err) {
			return result, attempted(err, n, nil), crash
		}
		policy := &j.entry.info.Retry
		if n >= policy.Attempts {
			return result, attempted(err, n, nil), nil
		}
		pause, ok := policy.pause(n, err)
		if !ok {
			return result, attempted(err, n, errLongPause), nil
		}
		if limit := j.run.timeout(); limit > 0 && time.Since(begun)+pause >= limit {
			return result, attempted(err, n, errNoTime), nil
		}
		if j.batch.exec.OnEvent != nil {
			j.emitUnlessOver(EventRetried, j.call, fmt.Sprintf("attempt %d of %d in %v: %v", n+1, policy.Attempts, pause.Round(time.Millisecond), err))
		}
		if ended := j.waitToRetry(own, pause); ended != nil {
			return result, attempted(err, n, ended), nil
		}
	}
}

// attempted returns err with the number of attempts, if there is something to say.
func attempted(err error, n int, ended error) error {
	if err == nil || n == 1 && ended == nil {
		return err
	}
	return &retriedError{last: err, attempts: n, ended: ended}
}

// callTool calls the tool once.
func (j *job) callTool(own context.Context) (result *Result, err, crash error) {
	invoke, t, c := j.batch.exec.Invoke, j.entry.tool, j.call
	begun := time.Now()
	crash = goroutine.Try(func() error {
		if invoke != nil && !j.entry.info.Supplied {
			result, err = invoke(own, t, c)
		} else {
			result, err = t.Call(own, c)
		}
		return nil
	})
	j.run.took += time.Since(begun)
	if p := (*PanicError)(nil); invoke != nil && errors.As(err, &p) { // of the tool, in another process
		return nil, nil, p
	}
	return result, err, crash
}

// mayRetry reports whether the call may be attempted again after err.
func (j *job) mayRetry(own context.Context, err error) bool {
	tr := &j.call.state.traits
	return j.entry.info.Retry.Attempts > 1 && (tr.ReadOnly || tr.Idempotent) && isTransient(err) &&
		own.Err() == nil && j.run.Running()
}

// waitToRetry waits for the next attempt and starts it. Meanwhile the call holds its keys
// and nothing else. It returns why there is no next attempt, or nil.
func (j *job) waitToRetry(own context.Context, pause time.Duration) error {
	j.pausing.Store(true)
	defer j.pausing.Store(false)
	j.release()
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-own.Done():
		return context.Cause(own)
	}
	if !j.run.Running() { // abandoned in the moment before it paused
		return ErrDetached
	}
	return j.acquire(own)
}
