package resulttrim

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// A decider decides on the results of a history, turn by turn.
//
// Masking is one walk over all turns, not one per turn: while turns are appended, the
// window of recent results only moves forward, and no result in it is masked. For the
// same reason, deciding on the same turns again masks nothing new. Results that were
// masked or removed since only make the sums smaller than they were at that turn, so a
// result that is old now was old then.
type decider struct {
	results  []Result
	recordOf []int // index into records of the record of results[i]
	records  []record
	limits   Limits

	oldestKept  int   // index of the oldest result in the window of recent ones
	keptSize    int64 // size of the Whole results in the window
	pending     []int // older results that the next masking replaces
	pendingSize int64 // size of the pending ones
}

func (d *decider) run() {
	for start := 0; start < len(d.results); {
		end := start + 1
		for end < len(d.results) && d.results[end].Turn == d.results[start].Turn {
			end++
		}
		d.limitTurn(start, end)
		d.mask()
		for i := start; i < end; i++ {
			if *d.form(i) == Whole {
				d.keptSize += d.results[i].size()
			}
		}
		start = end
	}
}

func (d *decider) form(i int) *Form { return &d.records[d.recordOf[i]].form }

// replaceable reports whether a result may be replaced and is large enough.
func (d *decider) replaceable(i int) bool {
	return !d.results[i].Fixed && d.results[i].size() > d.minSize()
}

func (d *decider) minSize() int64 { return int64(max(d.limits.MinSize, 0)) }

// limitTurn decides on the new results of the turn from start to end.
func (d *decider) limitTurn(start, end int) {
	var large []int // new results that can be replaced
	for i := start; i < end; i++ {
		if *d.form(i) != undecided {
			continue
		}
		*d.form(i) = Whole
		if d.replaceable(i) {
			large = append(large, i)
		}
	}
	limit := int64(d.limits.PerMessage)
	if len(large) == 0 || limit <= 0 {
		return
	}
	var sum int64
	for i := start; i < end; i++ {
		sum += d.sentSize(i)
	}
	if sum <= limit {
		return
	}
	slices.SortStableFunc(large, func(a, b int) int {
		return cmp.Compare(d.results[b].size(), d.results[a].size())
	})
	for _, i := range large {
		if sum <= limit {
			return
		}
		*d.form(i) = Replaced
		sum += d.minSize() - d.results[i].size()
	}
}

// sentSize returns the size in which a result is sent, as far as it is known: until its
// text is set, a replacement counts as MinSize.
func (d *decider) sentSize(i int) int64 {
	r, size := &d.records[d.recordOf[i]], d.results[i].size()
	switch {
	case r.form == Whole:
		return size
	case r.text == "":
		return min(size, d.minSize())
	}
	return int64(utf8.RuneCountInString(r.text))
}

// mask masks old results, as seen from a turn whose own results are not counted yet.
func (d *decider) mask() {
	if d.limits.KeepRecent <= 0 {
		return
	}
	for ; d.keptSize > int64(d.limits.KeepRecent); d.oldestKept++ {
		if *d.form(d.oldestKept) != Whole {
			continue
		}
		size := d.results[d.oldestKept].size()
		d.keptSize -= size
		if d.replaceable(d.oldestKept) {
			d.pending = append(d.pending, d.oldestKept)
			d.pendingSize += size
		}
	}
	if len(d.pending) == 0 || d.pendingSize < int64(d.limits.MaskStep) {
		return
	}
	for _, i := range d.pending {
		*d.form(i) = Masked
	}
	d.pending, d.pendingSize = d.pending[:0], 0
}
