package spool

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// evict removes the oldest entries until more bytes fit, or no entry is left that can be
// removed.
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

// maxCountAge is how long counts and queues are used before the files are surveyed again,
// since another process may have removed some, or died.
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
			return nil // no other entry can be removed
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

// evictOne removes an entry if it has not changed since the survey. It reports whether it
// did.
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

// A candidate is an entry that may be evicted.
type candidate struct {
	folder, name string
	size         int64
	modTime      time.Time
}

// An evictionQueue holds the oldest entries of a survey; all others are younger.
type evictionQueue struct {
	oldest     []candidate
	surveyedAt time.Time
	complete   bool // whether it holds all entries of the survey
}

// maxQueue limits the length of a queue.
const maxQueue = 1024

// add adds an entry while it may be one of the oldest.
func (q *evictionQueue) add(a candidate) {
	q.oldest = append(q.oldest, a)
	if len(q.oldest) == 2*maxQueue {
		q.trim()
	}
}

// trim sorts the oldest entries and drops the others.
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
