package spool

import (
	"context"
	"errors"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/filelock"
)

// maxWait is how long a Dir waits for another holder of the root's lock. Holders need it
// for moments, unless their process was stopped.
const maxWait = 5 * time.Second

var errBusy = errors.New("another process holds the lock of the store")

// lock acquires the lock of the root, which guards counting, evicting and renaming under
// the root, in this process and others.
func (d *Dir) lock(ctx context.Context) (unlock func(), err error) {
	deadline := time.Now().Add(maxWait)
	late := time.NewTimer(maxWait)
	defer late.Stop()
	select {
	case d.rootLock <- struct{}{}:
	case <-late.C:
		return nil, errBusy
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err = ctx.Err(); err == nil {
		err = filelock.Lock(ctx, d.total.file, time.Until(deadline))
	}
	switch {
	case ctx.Err() != nil && err != nil:
		err = ctx.Err()
	case errors.Is(err, filelock.ErrHeld):
		err = errBusy
	default: // locked, or there are no locks here, or the Dir is closed, as the next use finds out
		return func() { _ = filelock.Unlock(d.total.file); <-d.rootLock }, nil
	}
	<-d.rootLock
	return nil, err
}
