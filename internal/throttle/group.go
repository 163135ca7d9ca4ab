package throttle

import (
	"math"
	"slices"
	"time"
)

// A Limit says how many jobs of a group run. The zero value is no limit.
type Limit struct {
	Parallel int           // jobs that run at once; 0 means any number
	Interval time.Duration // between two starts on average; 0 means none
	Burst    int           // starts at once after a pause; less than 1 means 1
}

// A Group is a set of jobs with a common limit. Make it with [Set.Group].
type Group struct {
	set   *Set
	name  string
	limit Limit
	slack time.Duration // how far before next a job may start: Burst-1 intervals

	// Guarded by set.mu.
	places []*place  // the taken ones, at most Parallel
	next   time.Time // when the next start is due at the average rate
}

// A place is taken by a job, or by a job and jobs inside it, each inside the one before.
// Of these the last one uses it; the others wait for that one.
type place struct{ holders []*Entry }

// Name returns the name given to [Set.Group].
func (g *Group) Name() string { return g.name }

// setSlack computes slack, without an overflow.
func (g *Group) setSlack() {
	if more, interval := int64(g.limit.Burst)-1, int64(g.limit.Interval); more > 0 && interval > 0 {
		const longest = math.MaxInt64 / 2
		g.slack = longest
		if more <= longest/interval {
			g.slack = time.Duration(more * interval)
		}
	}
}

// startsAt returns the time from which the rate lets a job start.
func (g *Group) startsAt() time.Time { return g.next.Add(-g.slack) }

// placeFor returns a place that e may use: one of a job around it that no other job
// uses, or a new one. It returns nil if all places are in use.
func (g *Group) placeFor(e *Entry) *place {
	for o := e.outer; o != nil; o = o.outer {
		if i := g.placeOf(o); i >= 0 && g.places[i].user() == o {
			return g.places[i]
		}
	}
	if len(g.places) < g.limit.Parallel {
		return new(place)
	}
	return nil
}

// placeOf returns the index of the place that e holds, or -1.
func (g *Group) placeOf(e *Entry) int {
	return slices.IndexFunc(g.places, func(p *place) bool { return slices.Contains(p.holders, e) })
}

// start counts a start of e.
func (g *Group) start(e *Entry, now time.Time) {
	if g.limit.Interval > 0 {
		if g.next.Before(now) {
			g.next = now
		}
		g.next = g.next.Add(g.limit.Interval)
	}
	if g.limit.Parallel > 0 {
		p := g.placeFor(e)
		if len(p.holders) == 0 {
			g.places = append(g.places, p)
		}
		p.holders = append(p.holders, e)
	}
}

// leave gives back the place of e, if it holds one.
func (g *Group) leave(e *Entry) {
	i := g.placeOf(e)
	if i < 0 {
		return
	}
	p := g.places[i]
	p.holders = slices.DeleteFunc(p.holders, func(h *Entry) bool { return h == e })
	if len(p.holders) == 0 {
		g.places = slices.Delete(g.places, i, i+1)
	}
}

// user returns the job that uses p.
func (p *place) user() *Entry { return p.holders[len(p.holders)-1] }
