// Package nearest finds the names that somebody may have meant.
package nearest

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// considered is how many bytes of a name are compared. Longer names differ in
// their beginnings or not at all.
const considered = 128

// leastShared is how many bytes names must have in common to be related.
const leastShared = 4

// Names returns the names in have that are likely meant by want, the likeliest
// first and at most most of them. Letter case does not count. A name is likely
// if a third of its letters or fewer differ, if one contains the other, or if
// both begin alike for half of the shorter. The result depends on the names alone, not on their order.
//
// The time is linear in the length of have, whatever the length of want.
func Names(want string, have []string, most int) []string {
	if most <= 0 || want == "" {
		return nil
	}
	folded := fold(want)
	var likely []candidate
	var rows distance
	for _, name := range have {
		if c, ok := rows.rate(folded, name); ok {
			likely = append(likely, c)
		}
	}
	slices.SortFunc(likely, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.edits, b.edits), cmp.Compare(a.name, b.name))
	})
	likely = slices.CompactFunc(likely, func(a, b candidate) bool { return a.name == b.name })
	var names []string
	for _, c := range likely[:min(most, len(likely))] {
		names = append(names, c.name)
	}
	return names
}

// A candidate is a likely name.
type candidate struct {
	name  string
	rank  int // what makes it likely: few edits before a common part
	edits int
}

// Ranks, the likeliest first.
const (
	rankEdits = iota
	rankCommon
)

// rate says whether want, folded, may stand for name.
func (d *distance) rate(want []rune, name string) (candidate, bool) {
	have := fold(name)
	longer := max(len(want), len(have))
	shorter := min(len(want), len(have))
	if shorter == 0 {
		return candidate{}, false
	}
	allowed := max(longer/3, 1)
	if longer-shorter <= allowed && longer > 1 {
		if edits := d.between(want, have, allowed); edits <= allowed && edits < shorter {
			return candidate{name: name, rank: rankEdits, edits: edits}, true
		}
	}
	if related(string(want), string(have)) {
		return candidate{name: name, rank: rankCommon, edits: longer - shorter}, true
	}
	return candidate{}, false
}

// related reports whether one name contains the other or begins like it.
func related(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < leastShared {
		return len(a) > 1 && strings.HasPrefix(b, a)
	}
	shared := 0
	for shared < len(a) && a[shared] == b[shared] {
		shared++
	}
	return shared >= max(leastShared, (len(a)+1)/2) || strings.Contains(b, a)
}

// fold returns the beginning of a name without differences of letter case.
func fold(name string) []rune {
	if len(name) > considered {
		end := considered
		for end > 0 && !utf8.RuneStart(name[end]) {
			end--
		}
		name = name[:end]
	}
	return []rune(strings.ToLower(name))
}

// distance counts edits. It keeps its rows for the next pair.
type distance struct {
	before, last, next []int
}

// between returns how many letters must be added, removed, replaced or swapped
// with their neighbour to make b of a. It may stop counting above most.
func (d *distance) between(a, b []rune, most int) int {
	d.before = grow(d.before, len(b)+1)
	d.last = grow(d.last, len(b)+1)
	d.next = grow(d.next, len(b)+1)
	for j := range d.last {
		d.last[j] = j
	}
	for i := range a {
		d.next[0] = i + 1
		least := i + 1
		for j := range b {
			replace := d.last[j]
			if a[i] != b[j] {
				replace++
			}
			best := min(replace, d.last[j+1]+1, d.next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				best = min(best, d.before[j-1]+1)
			}
			d.next[j+1] = best
			least = min(least, best)
		}
		if least > most && i > 0 {
			return least
		}
		d.before, d.last, d.next = d.last, d.next, d.before
	}
	return d.last[len(b)]
}

func grow(row []int, size int) []int {
	return slices.Grow(row[:0], size)[:size]
}
