package spool

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"
)

// counts are how many bytes there are in the folder and under the root. They change
// under the lock of the root.
type counts struct {
	own, all int64
}

// counts reads both ledgers. What one of them does not know is found out for both.
func (d *Dir) counts(ctx context.Context) (counts, error) {
	own, ownKnown := d.own.read()
	all, allKnown := d.total.read()
	c := counts{own: own, all: all}
	if !ownKnown || !allKnown {
		d.own.forget()
		d.total.forget()
		return c, d.surveyAll(ctx, &c)
	}
	return c, nil
}

// write notes both counts. If that fails, they will have to be found out.
func (d *Dir) write(c counts) error {
	err := d.own.write(c.own)
	if err == nil {
		err = d.total.write(c.all)
	}
	if err != nil {
		d.own.forget()
		d.total.forget()
	}
	return err
}

// shift changes both counts. One that is not known stays so.
func (d *Dir) shift(by int64) {
	for _, l := range []ledger{d.own, d.total} {
		l.shift(by)
	}
}

// room is how many bytes more there may be. It is negative if there are too many.
func (d *Dir) room(c counts) int64 {
	room := int64(math.MaxInt64)
	if limit := d.options.MaxSession; limit >= 0 {
		room = min(room, limit-c.own)
	}
	if limit := d.options.MaxTotal; limit >= 0 {
		room = min(room, limit-c.all)
	}
	return room
}

// evict removes the oldest entries until there is room for so many bytes more, or
// nothing is left that can be removed.
func (d *Dir) evict(ctx context.Context, c *counts, more int64) error {
	if limit := d.options.MaxSession; limit >= 0 && c.own+more > limit {
		fits := func() bool { return c.own+more <= limit }
		if err := d.evictFrom(ctx, &d.ownOldest, c, d.surveyOwn, fits); err != nil {
			return err
		}
	}
	if limit := d.options.MaxTotal; limit >= 0 && c.all+more > limit {
		fits := func() bool { return c.all+more <= limit }
		return d.evictFrom(ctx, &d.allOldest, c, d.surveyAll, fits)
	}
	return nil
}

// trusted is how long counts and queues are believed before the files are looked at
// again: somebody may have removed some, or died.
const trusted = 10 * time.Second

func (d *Dir) evictFrom(ctx context.Context, q *queue, c *counts, survey func(context.Context, *counts) error, fits func() bool) error {
	for surveyed, progress := false, false; !fits(); {
		if stale := time.Since(q.made) > trusted; len(q.oldest) > 0 && (surveyed || !stale) {
			oldest := q.oldest[0]
			q.oldest = q.oldest[1:]
			progress = d.evictOne(oldest, c) || progress
			continue
		}
		if surveyed && (q.complete || !progress) {
			return nil // nothing else can be removed
		}
		if err := survey(ctx, c); err != nil {
			return err
		}
		if len(q.oldest) == 0 {
			return nil
		}
		surveyed, progress = true, false
	}
	return nil
}

// evictOne removes an entry, if it is still the one that was seen and can be removed.
func (d *Dir) evictOne(a aged, c *counts) (removed bool) {
	path := a.folder + "/" + a.name
	info, err := d.root.Lstat(path)
	if err != nil || info.Size() != a.size || !info.ModTime().Equal(a.made) {
		return false
	}
	if d.root.Remove(path) != nil {
		return false
	}
	c.all -= a.size
	if a.folder == d.name {
		c.own -= a.size
		return true
	}
	other, err := d.session(a.folder)
	if err != nil {
		return true
	}
	defer func() { _ = other.Close() }()
	if l, err := openLedger(other, sizeName); err == nil {
		l.shift(-a.size)
		_ = l.file.Close()
	}
	return true
}

// An aged is an entry that may be evicted.
type aged struct {
	folder, name string
	size         int64
	made         time.Time
}

// A queue holds the oldest entries of a survey. Whatever comes later is younger.
type queue struct {
	oldest   []aged
	made     time.Time
	complete bool // whether the survey found no others
}

// maxQueue bounds the memory of a queue.
const maxQueue = 1024

// add keeps an entry for as long as it may be one of the oldest.
func (q *queue) add(a aged) {
	q.oldest = append(q.oldest, a)
	if len(q.oldest) == 2*maxQueue {
		q.trim()
	}
}

// trim puts the oldest entries in order and drops the others.
func (q *queue) trim() {
	slices.SortFunc(q.oldest, func(a, b aged) int {
		return cmp.Or(a.made.Compare(b.made), cmp.Compare(a.name, b.name), cmp.Compare(a.folder, b.folder))
	})
	if len(q.oldest) > maxQueue {
		clear(q.oldest[maxQueue:])
		q.oldest = q.oldest[:maxQueue]
		q.complete = false
	}
}
