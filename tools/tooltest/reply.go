package tooltest

import (
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// A Reply says how a [Fake] handles one call. The fields that are set take effect in
// the order of their declaration. The zero Reply returns an empty text at once.
type Reply struct {
	// Emit is reported as progress, one event for each text.
	Emit []string
	// Barrier blocks the call until enough other calls have arrived. If they do not
	// arrive in time, the call returns the barrier's error.
	Barrier *Barrier
	// Sleep is how long the call takes. If its context ends earlier, the call returns
	// the cause; with Stubborn it ignores the context.
	Sleep    time.Duration
	Stubborn bool

	// The first of these fields that is set ends the call.
	Panic  any              // value of a panic
	Goexit bool             // call runtime.Goexit
	Err    error            // returned
	Result *pegboard.Result // a copy is returned
	Text   string           // returned as the only part of a result
}

// run executes the reply.
func (r Reply) run(ctx context.Context, c *pegboard.Call) (*pegboard.Result, error) {
	for _, text := range r.Emit {
		c.Emit(text)
	}
	if r.Barrier != nil {
		if err := r.Barrier.Wait(ctx); err != nil {
			return nil, err
		}
	}
	if err := r.sleep(ctx); err != nil {
		return nil, err
	}
	switch {
	case r.Panic != nil:
		panic(r.Panic)
	case r.Goexit:
		runtime.Goexit()
	case r.Err != nil:
		return nil, r.Err
	case r.Result != nil:
		result := *r.Result
		result.Parts = slices.Clone(result.Parts) // hooks may change the result
		return &result, nil
	}
	return pegboard.TextResult(r.Text), nil
}

func (r Reply) sleep(ctx context.Context) error {
	if r.Sleep <= 0 {
		return nil
	}
	timer := time.NewTimer(r.Sleep)
	defer timer.Stop()
	ended := ctx.Done()
	if r.Stubborn {
		ended = nil
	}
	select {
	case <-timer.C:
		return nil
	case <-ended:
		return context.Cause(ctx)
	}
}
