package spool

import (
	"context"
	"math"
)

// counts are the numbers of bytes in the folder and under the root. They change under
// the lock of the root.
type counts struct {
	own, all int64
}

// counts reads both ledgers. If one of them has no count, it counts the files for both.
func (d *Dir) counts(ctx context.Context) (counts, error) {
	own, ownKnown := d.own.read()
	all, allKnown := d.total.read()
	c := counts{own: own, all: all}
	if !ownKnown || !allKnown {
		d.own.invalidate()
		d.total.invalidate()
		return c, d.surveyAll(ctx, &c)
	}
	return c, nil
}

// writeCounts writes both counts. If that fails, it invalidates both.
func (d *Dir) writeCounts(c counts) error {
	err := d.own.write(c.own)
	if err == nil {
		err = d.total.write(c.all)
	}
	if err != nil {
		d.own.invalidate()
		d.total.invalidate()
	}
	return err
}

// addToCounts adds to both counts. An invalid one stays invalid.
func (d *Dir) addToCounts(by int64) {
	for _, l := range []ledger{d.own, d.total} {
		l.add(by)
	}
}

// available returns how many bytes may be added. It is negative if the quotas are
// exceeded.
func (d *Dir) available(c counts) int64 {
	room := int64(math.MaxInt64)
	if limit := d.options.MaxSession; limit >= 0 {
		room = min(room, limit-c.own)
	}
	if limit := d.options.MaxTotal; limit >= 0 {
		room = min(room, limit-c.all)
	}
	return room
}
