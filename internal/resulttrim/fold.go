package resulttrim

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// A fold goes over a history turn by turn.
//
// Masking is one walk over all turns, not one per turn: while turns are appended
// the spared results only move forward, and masking takes away nothing among
// them. For the same reason a replay masks nothing new. Results that are masked
// by now, or gone, only make the sums smaller than they were at that turn, so
// whatever is old in the replay was old then.
type fold struct {
	results []Result
	at      []int // results[i] is remembered in records[at[i]]
	records []record
	limits  Limits

	edge   int   // the oldest result that is spared
	recent int64 // characters of the whole ones among those spared
	stale  []int // the older ones that are to be masked
	waste  int64 // characters of those
}

func (f *fold) run() {
	for start := 0; start < len(f.results); {
		end := start + 1
		for end < len(f.results) && f.results[end].Turn == f.results[start].Turn {
			end++
		}
		f.budget(start, end)
		f.mask()
		for i := start; i < end; i++ {
			if *f.fate(i) == Whole {
				f.recent += f.results[i].size()
			}
		}
		start = end
	}
}

func (f *fold) fate(i int) *Fate { return &f.records[f.at[i]].fate }

// replaceable reports whether it is allowed and worthwhile to replace a result.
func (f *fold) replaceable(i int) bool {
	return !f.results[i].Fixed && f.results[i].size() > f.least()
}

func (f *fold) least() int64 { return int64(max(f.limits.Least, 0)) }

// budget decides on the fresh results of the turn from start to end.
func (f *fold) budget(start, end int) {
	var large []int // the fresh ones that can be replaced
	for i := start; i < end; i++ {
		if *f.fate(i) != undecided {
			continue
		}
		*f.fate(i) = Whole
		if f.replaceable(i) {
			large = append(large, i)
		}
	}
	limit := int64(f.limits.Message)
	if len(large) == 0 || limit <= 0 {
		return
	}
	var sum int64
	for i := start; i < end; i++ {
		sum += f.sent(i)
	}
	if sum <= limit {
		return
	}
	slices.SortStableFunc(large, func(a, b int) int {
		return cmp.Compare(f.results[b].size(), f.results[a].size())
	})
	for _, i := range large {
		if sum <= limit {
			return
		}
		*f.fate(i) = Replaced
		sum += f.least() - f.results[i].size()
	}
}

// sent returns how many characters of a result go out, as far as is known: what
// stands in for it is taken to have the least size until its text is set.
func (f *fold) sent(i int) int64 {
	r, size := &f.records[f.at[i]], f.results[i].size()
	switch {
	case r.fate == Whole:
		return size
	case r.text == "":
		return min(size, f.least())
	}
	return int64(utf8.RuneCountInString(r.text))
}

// mask masks what is old, as seen from a turn whose results are not counted yet.
func (f *fold) mask() {
	if f.limits.Keep <= 0 {
		return
	}
	for ; f.recent > int64(f.limits.Keep); f.edge++ {
		if *f.fate(f.edge) != Whole {
			continue
		}
		size := f.results[f.edge].size()
		f.recent -= size
		if f.replaceable(f.edge) {
			f.stale = append(f.stale, f.edge)
			f.waste += size
		}
	}
	if len(f.stale) == 0 || f.waste < int64(f.limits.Batch) {
		return
	}
	for _, i := range f.stale {
		*f.fate(i) = Masked
	}
	f.stale, f.waste = f.stale[:0], 0
}
