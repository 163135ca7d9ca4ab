package pegboard

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/throttle"
)

// A GroupLimit says how many calls of a group run at once, and how many start in a
// second, in all batches and agents of a conversation together. See
// [SessionConfig].Groups. The zero value is no limit.
//
// A call waits for its groups after it was decided. It holds its targets back from other
// calls meanwhile, but takes no part of the executor's MaxParallel. It starts when each of
// its groups has a place for it, the rate of each permits, and a worker is free. Of those
// that can start, the one that came first does; so a call in several groups may be
// overtaken by calls in one of them. [EventWaiting] says that a call waits, and for what.
//
// A call that was made from inside a call of its group uses the place of that call: by
// [Call.Run], or by an agent that runs in the context of the call. So a call never waits
// for itself. If two calls would each wait for a place of the other, the later one fails
// with [ErrDeadlock]. An abandoned call keeps its place until it returns; while such calls
// hold all places, others of the group fail with [ErrDetached].
type GroupLimit struct {
	// Parallel is how many calls run at once; 0 or less means any number.
	Parallel int
	// PerSecond is how many calls start in a second on average, such as 0.1 for one in ten
	// seconds; 0 or less means any number. Each attempt of a call counts, see [RetryPolicy].
	PerSecond float64
	// Burst is how many calls may start at once after a pause; less than 1 means 1. In any
	// period no more calls start than Burst and PerSecond times the period.
	Burst int
}

// interval returns the average time between two starts, or 0 if there is no rate.
func (l GroupLimit) interval() time.Duration {
	if l.PerSecond <= 0 || math.IsInf(l.PerSecond, 1) {
		return 0
	}
	const longest = math.MaxInt64 / 2
	if ns := math.Ceil(float64(time.Second) / l.PerSecond); ns < longest {
		return time.Duration(ns)
	}
	return longest
}

// A group is the calls that a key of SessionConfig.Groups names.
type group struct {
	rule     Rule
	limit    GroupLimit
	throttle *throttle.Group
}

// groups are those of a conversation. A nil groups has none.
type groups struct {
	set  throttle.Set
	list []group // by name
}

// newGroups returns the groups of a main session, or nil if there are none.
func newGroups(limits map[string]GroupLimit) (*groups, error) {
	if len(limits) == 0 {
		return nil, nil
	}
	g := new(groups)
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		l := limits[name]
		r, err := toolRule(name)
		if err == nil && math.IsNaN(l.PerSecond) {
			err = errors.New("PerSecond is not a number")
		}
		if err != nil {
			return nil, fmt.Errorf("group %q: %w", name, err)
		}
		limit := throttle.Limit{Parallel: max(0, l.Parallel), Interval: l.interval(), Burst: l.Burst}
		g.list = append(g.list, group{r, l, g.set.Group(name, limit)})
	}
	return g, nil
}

// of returns the groups of the calls of a tool.
func (g *groups) of(i *Info) (all []*throttle.Group) {
	if g == nil {
		return nil
	}
	for k := range g.list {
		if r := &g.list[k].rule; i.Group == r.Tool || r.namesTool(i) {
			all = append(all, g.list[k].throttle)
		}
	}
	return all
}

// describe returns what a call waits for, for the user.
func (g *groups) describe(o *throttle.Obstacle) string {
	name := o.Group.Name()
	i := slices.IndexFunc(g.list, func(g group) bool { return g.throttle == o.Group })
	limit := &g.list[i].limit
	if o.Rate {
		return fmt.Sprintf("waits for the rate of %s: %g in a second", name, limit.PerSecond)
	}
	return fmt.Sprintf("waits for a place in %s: %d at once", name, limit.Parallel)
}
