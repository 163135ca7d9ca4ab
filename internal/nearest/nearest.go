// Package nearest finds the names that a misspelled name may stand for.
package nearest

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxCompared is the number of bytes of a name that are compared. The rest of a longer
// name is ignored.
const maxCompared = 128

// minShared is the number of bytes that two names must have in common to be related.
const minShared = 4

// Names returns the names in have that want may stand for, the likeliest first and at
// most limit of them. It ignores letter case. A name is likely if at most a third of the
// letters differ, if one name contains the other, or if both have the same beginning of
// at least half the shorter name. The order of have does not matter.
//
// The time is linear in the length of have, whatever the length of want.
func Names(want string, have []string, limit int) []string {
	if limit <= 0 || want == "" {
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
	for _, c := range likely[:min(limit, len(likely))] {
		names = append(names, c.name)
	}
	return names
}

// A candidate is a likely name.
type candidate struct {
	name  string
	rank  int // rankEdits or rankCommon
	edits int
}

// Ranks, the likeliest first.
const (
	rankEdits  = iota // few letters differ
	rankCommon        // the names are related
)

// rate returns name as a candidate if want, which is folded, may stand for it.
func (d *distance) rate(want []rune, name string) (candidate, bool) {
	have := fold(name)
	longer := max(len(want), len(have))
	shorter := min(len(want), len(have))
	if shorter == 0 {
		return candidate{}, false
	}
	allowed := max(longer/3, 1)
	if longer-shorter <= allowed && longer > 1 {
		if edits := d.between(want, have, allowed); edits == 0 || edits <= allowed && edits < min(letters(want), letters(have)) {
			return candidate{name: name, rank: rankEdits, edits: edits}, true
		}
	}
	if related(string(want), string(have)) {
		return candidate{name: name, rank: rankCommon, edits: longer - shorter}, true
	}
	return candidate{}, false
}

// letters returns the number of letters and digits. Names are not near because they have
// the same signs, such as -r and -A.
func letters(name []rune) (n int) {
	for _, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// related reports whether one name contains the other or both begin alike.
func related(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < minShared {
		return letters([]rune(a)) > 1 && strings.HasPrefix(b, a)
	}
	shared := 0
	for shared < len(a) && a[shared] == b[shared] {
		shared++
	}
	return shared >= max(minShared, (len(a)+1)/2) || strings.Contains(b, a)
}

// fold returns the compared part of a name in lower case.
func fold(name string) []rune {
	if len(name) > maxCompared {
		end := maxCompared
		for end > 0 && !utf8.RuneStart(name[end]) {
			end--
		}
		name = name[:end]
	}
	return []rune(strings.ToLower(name))
}

// distance computes edit distances. It reuses the memory of its rows.
type distance struct {
	before, last, next []int
}

// between returns the number of letters that must be added, removed, replaced or swapped
// with their neighbour to turn a into b. It may stop counting above limit.
func (d *distance) between(a, b []rune, limit int) int {
	d.before = grow(d.before, len(b)+1)
	d.last = grow(d.last, len(b)+1)
	d.next = grow(d.next, len(b)+1)
	for j := range d.last {
		d.last[j] = j
	}
	for i := range a {
		d.next[0] = i + 1
		lowest := i + 1
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
			lowest = min(lowest, best)
		}
		if lowest > limit && i > 0 {
			return lowest
		}
		d.before, d.last, d.next = d.last, d.next, d.before
	}
	return d.last[len(b)]
}

func grow(row []int, size int) []int {
	return slices.Grow(row[:0], size)[:size]
}
