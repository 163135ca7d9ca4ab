package spool

import (
	"context"
	"errors"
	"time"
)

// maxWait is how long others are waited for that hold the lock of the root. They
// hold it for moments, unless somebody has stopped them.
const maxWait = 5 * time.Second

var errBusy = errors.New("another process holds the lock of the store")

// lock waits until nobody else counts, evicts or renames anything under the root,
// in this process or another one.
func (d *Dir) lock(ctx context.Context) (unlock func(), err error) {
	late := time.NewTimer(maxWait)
	defer late.Stop()
	select {
	case d.turn <- struct{}{}:
	case <-late.C:
		return nil, errBusy
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		<-d.turn
		return nil, err
	}
	const longest = 2 * time.Millisecond
	for pause := 20 * time.Microsecond; ; pause = min(2*pause, longest) {
		// An error means that there are no locks here, or that the Dir is closed,
		// which whatever comes next finds out.
		if free, err := tryLock(d.total.file, true); free || err != nil {
			return func() { release(d.total.file); <-d.turn }, nil
		}
		select {
		case <-time.After(pause):
			continue
		case <-late.C:
			err = errBusy
		case <-ctx.Done():
			err = ctx.Err()
		}
		<-d.turn
		return nil, err
	}
}
