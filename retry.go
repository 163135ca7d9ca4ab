package pegboard

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// The defaults of [RetryPolicy], which are those of the standard retry mode of the AWS
// SDKs.
const (
	DefaultRetryDelay    = time.Second
	DefaultMaxRetryDelay = 20 * time.Second
)

// A RetryPolicy says how often a call is attempted when its transport fails: when the
// tool's error wraps [ErrTransient]. The zero value is one attempt.
//
// Only a call whose Traits say ReadOnly or Idempotent is attempted again, since nobody
// knows what a failed attempt has done. A result, also one with IsError, is the tool's
// answer and never a reason to try again; nor is a panic, a denial, or the end of the
// call's context. All attempts together have the call's time limit.
//
// The claims of an external tool count here. So set a policy only for a source that you
// believe.
type RetryPolicy struct {
	// Attempts is how often the tool is called at most, the first time included; less than
	// 2 means once.
	Attempts int
	// Delay is the longest pause before the second attempt. It doubles with each further
	// attempt, up to MaxDelay. The pause is a random part of it, so that calls that failed
	// together are not repeated together. 0 means DefaultRetryDelay.
	Delay time.Duration
	// MaxDelay limits the pause; 0 means DefaultMaxRetryDelay. If the error asks for a
	// longer one, see [Transient], there is no further attempt.
	MaxDelay time.Duration
}

// check returns an error if p makes no sense.
func (p RetryPolicy) check() error {
	if p.Attempts < 0 || p.Delay < 0 || p.MaxDelay < 0 {
		return errors.New("no field may be negative")
	}
	return nil
}

// pause returns the pause after the given number of attempts, the last of which failed
// with err. False means that err asks for a longer one than the policy permits.
func (p RetryPolicy) pause(attempts int, err error) (pause time.Duration, ok bool) {
	longest, limit := cmp.Or(p.Delay, DefaultRetryDelay), cmp.Or(p.MaxDelay, DefaultMaxRetryDelay)
	for range attempts - 1 {
		if longest >= limit/2 {
			longest = limit
			break
		}
		longest *= 2
	}
	pause = rand.N(max(1, min(longest, limit))) //nolint:gosec // it spreads calls, it protects nothing
	if t := (*TransientError)(nil); errors.As(err, &t) {
		pause = max(pause, t.After)
	}
	return pause, pause <= limit
}

// A TransientError is a failure of the transport, which may not be there the next time.
// It wraps [ErrTransient] and Err.
type TransientError struct {
	Err   error
	After time.Duration // before which another attempt is useless; 0 means unknown
}

// Transient marks err as a failure of the transport: the connection broke, the service
// is overloaded. After is the pause that the service asks for, as in the header
// Retry-After, or 0. The result is a *[TransientError], or nil if err is nil.
//
// The tool's Call returns it, and [RetryPolicy] says whether the call is attempted again.
// Without a policy it fails as with err.
func Transient(err error, after time.Duration) error {
	if err == nil {
		return nil
	}
	return &TransientError{Err: err, After: max(0, after)}
}

// Error returns the text of Err, and the pause if it is known.
func (e *TransientError) Error() string {
	if e.After > 0 {
		return fmt.Sprintf("%v (try again after %v)", e.Err, e.After)
	}
	return e.Err.Error()
}

// Unwrap returns ErrTransient and Err.
func (e *TransientError) Unwrap() []error { return []error{ErrTransient, e.Err} }

// isTransient reports whether err is a failure of the transport, and not one of this
// library in its guise.
func isTransient(err error) bool {
	if !errors.Is(err, ErrTransient) {
		return false
	}
	for _, e := range []error{ErrDenied, ErrCancelled, ErrTimeout, ErrDetached, ErrDeferred, ErrPanic, ErrClosed, ErrBudget, ErrDeadlock} {
		if errors.Is(err, e) {
			return false
		}
	}
	return true
}

// retriedError is the last error of a call that was attempted more than once, or that
// would have been.
type retriedError struct {
	last     error
	attempts int
	ended    error // why there was no further attempt; nil if the policy permits no more
}

// Error tells the model how often the call was attempted.
func (e *retriedError) Error() string {
	text, tried := e.last.Error(), "tried once"
	if e.attempts > 1 {
		tried = fmt.Sprintf("tried %d times", e.attempts)
	}
	if e.ended != nil {
		return fmt.Sprintf("%s (%s; not again, since %v)", text, tried, e.ended)
	}
	return fmt.Sprintf("%s (%s)", text, tried)
}

// Unwrap returns the last error. Why there was no further attempt is no reason why the
// call failed.
func (e *retriedError) Unwrap() error { return e.last }
