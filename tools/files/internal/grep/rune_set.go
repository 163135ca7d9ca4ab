package grep

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A runeSet is a set of characters: pairs of the first and the last character of a
// range.
type runeSet []rune

// canonical returns s in order, with adjacent ranges joined.
func (s runeSet) canonical() runeSet {
	pairs := make([][2]rune, 0, len(s)/2)
	for i := 0; i+1 < len(s); i += 2 {
		pairs = append(pairs, [2]rune{s[i], s[i+1]})
	}
	slices.SortFunc(pairs, func(a, b [2]rune) int { return int(a[0]) - int(b[0]) })
	out := make(runeSet, 0, len(s))
	for _, p := range pairs {
		if n := len(out); n > 0 && p[0] <= out[n-1]+1 {
			out[n-1] = max(out[n-1], p[1])
			continue
		}
		out = append(out, p[0], p[1])
	}
	return out
}

// negated returns the characters that are not in s.
func (s runeSet) negated() runeSet {
	out := runeSet{}
	next := rune(0)
	for c := s.canonical(); len(c) > 0; c = c[2:] {
		if next < c[0] {
			out = append(out, next, c[0]-1)
		}
		next = c[1] + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, next, unicode.MaxRune)
	}
	return out
}

// has reports whether r is in s, which must be canonical.
func (s runeSet) has(r rune) bool {
	n, found := slices.BinarySearch(s, r)
	return found || n%2 == 1
}

// bracketClass returns a class in brackets that matches s or, if negated, all other
// characters.
func (s runeSet) bracketClass(negated bool) string {
	s = s.canonical()
	if len(s) == 0 {
		s, negated = runeSet{0, unicode.MaxRune}, !negated
	}
	var b strings.Builder
	b.WriteByte('[')
	if negated {
		b.WriteByte('^')
	}
	for ; len(s) > 0; s = s[2:] {
		for i, r := range s[:2] {
			if i == 1 {
				b.WriteByte('-')
			}
			b.WriteString(`\x{` + strconv.FormatInt(int64(r), 16) + `}`)
		}
	}
	b.WriteByte(']')
	return b.String()
}

// tableSet returns the characters of all the tables.
func tableSet(ts ...*unicode.RangeTable) runeSet {
	var s runeSet
	add := func(low, high, stride rune) {
		if stride == 1 {
			s = append(s, low, high)
			return
		}
		for r := low; r <= high; r += stride {
			s = append(s, r, r)
		}
	}
	for _, t := range ts {
		for _, r := range t.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return s.canonical()
}
