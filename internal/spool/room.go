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
		d.own.invalidate()
		d.total.invalidate()
		return c, d.surveyAll(ctx, &c)
	}
	return c, nil
}

// writeCounts notes both counts. If that fails, they will have to be found out.
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

// addToCounts changes both counts. One that is not known stays so.
func (d *Dir) addToCounts(by int64) {
	for _, l := range []ledger{d.own, d.total} {
		l.add(by)
	}
}

// available is how many bytes more there may be. It is negative if there are too many.
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

// maxCountAge is how long counts and queues are believed before the files are looked at
// again: somebody may have removed some, or died.
const maxCountAge = 10 * time.Second

func (d *Dir) evictFrom(ctx context.Context, q *evictionQueue, c *counts, survey func(context.Context, *counts) error, fits func() bool) error {
	for surveyed, progress := false, false; !fits(); {
		if stale := time.Since(q.surveyedAt) > maxCountAge; len(q.oldest) > 0 && (surveyed || !stale) {
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
func (d *Dir) evictOne(a candidate, c *counts) (removed bool) {
	path := a.folder + "/" + a.name
	info, err := d.root.Lstat(path)
	if err != nil || info.Size() != a.size || !info.ModTime().Equal(a.modTime) {
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
		l.add(-a.size)
		_ = l.file.Close()
	}
	return true
}

// An candidate is an entry that may be evicted.
type candidate struct {
	folder, name string
	size         int64
	modTime      time.Time
}

// A evictionQueue holds the oldest entries of a survey. Whatever comes later is younger.
type evictionQueue struct {
	oldest     []candidate
	surveyedAt time.Time
	complete   bool // whether the survey found no others
}

// maxQueue bounds the memory of a queue.
const maxQueue = 1024

// add keeps an entry for as long as it may be one of the oldest.
func (q *evictionQueue) add(a candidate) {
	q.oldest = append(q.oldest, a)
	if len(q.oldest) == 2*maxQueue {
		q.trim()
	}
}

// trim puts the oldest entries in order and drops the others.
func (q *evictionQueue) trim() {
	slices.SortFunc(q.oldest, func(a, b candidate) int {
		return cmp.Or(a.modTime.Compare(b.modTime), cmp.Compare(a.name, b.name), cmp.Compare(a.folder, b.folder))
	})
	if len(q.oldest) > maxQueue {
		clear(q.oldest[maxQueue:])
		q.oldest = q.oldest[:maxQueue]
		q.complete = false
	}
}
